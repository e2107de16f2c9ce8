"""Why RSA takes longer behind jitter: an IKE_AUTH request in several packets waits for the last.

The receiver needs every packet of a message: the fragments into which IKE (RFC 7383) or IP cuts it.
The last packet therefore counts. Of k independent delays with the same mean the greatest is later
than the mean by the expected maximum of k draws, which for two normal ones is the standard
deviation over the square root of pi. The mean of the delays cancels between a message of one packet
and a message of several; only the deviation matters.

The difference of two arms would be a poor estimate: two set-ups differ by two further delays, so it
takes hundreds of them, while a capture shows the delay of each single message.
"""

from collections.abc import Mapping
from typing import Unpack

import numpy as np
import pandas as pd
from scipy.special import bdtr as binomial_share
from scipy.special import ndtr

from notebooks.psk_rsa.asks import ARMS, MS, NETWORKS, PERCENT, PskRsa
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.verdicts.study_tables import comparison_table
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Asking

WAIT: Asked = {"metric": "request_wait", "where": {"auth": "rsa", "network": "impaired"}}
LONGER: Asked = {
    "quantity": "difference", "metric": "set_up", "of": {"auth": "rsa"}, "to": {"auth": "psk"},
}  # fmt: skip


def last_of(packets: int, deviation: float) -> float:
    """How much later the last of so many packets is expected than a single packet, if delays are
    independent and normal with standard deviation `deviation` [unit of `deviation`]. netem draws
    from a table of 4096 values of that distribution, which changes nothing that matters."""
    x = np.linspace(-10, 10, 2001)
    density = packets * ndtr(x) ** (packets - 1) * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return float(np.trapezoid(x * density, x)) * deviation


class Fragments:
    """Requests of IKE_AUTH in fragments, and their wait for the last one."""

    def __init__(self, of: PskRsa):
        self._of, self._results = of, of.notebook.results
        settings = of.notebook.scenario.settings_where(network="impaired")
        impairment = settings.shaping["gw1.wan"].impairment
        self.loss = impairment.loss_percent / 100
        """share of packets that netem was told to lose on the impaired network"""
        observations = of.notebook.observations
        requests = observations[observations["metric"] == "auth_request_packets"]
        self.packets = requests.groupby("auth", observed=True)["value"].max().reindex(list(ARMS))
        """packets of a request at most, by arm"""
        rsa, psk = (last_of(self.packets[auth], impairment.jitter_ms) for auth in ("rsa", "psk"))
        self.waiting = rsa - psk
        """how long a request with RSA waits for its last packet, by the model [ms]"""
        ids = comparison_table(of.notebook.own_study).set_index("id")
        self.study: float = ids["rsa"]["pratama-ike-impaired"] - ids["psk"]["pratama-ike-impaired"]
        """the study's printed time on the impaired network, RSA less PSK [ms]"""

    def longer(self, estimator: str, **question: Unpack[Asked]) -> dict[str, Estimate]:
        """How much longer a set-up takes with RSA than with a PSK [ms]: `computing` (the additional
        time on the normal network), `predicted` (computing and the wait for the last fragment), and
        `measured` on the impaired network; over both ways of starting the daemon, or of one
        `probe`. This comparison was made after the data were seen."""
        summaries = self._of.estimators[estimator]
        set_ups = summaries[summaries["metric"] == "ike_sa"]
        # Without a unit means are arithmetic, as the sum of waiting and computing needs them.
        trials = Asking(self._of.notebook, set_ups.assign(metric="set_up", unit=""))
        normal, impaired = (
            trials.estimate(LONGER, question, at={"network": network}) for network in NETWORKS
        )
        more = self.waiting
        predicted = Estimate(normal.value + more, normal.low + more, normal.high + more, normal.n)
        says = "computing and the wait for the last packet"
        predicted = predicted.computed(says, [normal])
        return {"computing": normal, "predicted": predicted, "measured": impaired}

    def table(self, rows: Mapping[str, Mapping[str, Estimate]]) -> pd.DataFrame:
        """Prediction, measurement and the study's number; `rows`: label -> RSA less PSK."""
        shown = [
            {
                "RSA - PSK, ms": label,
                "last fragment": f"{self.waiting:.1f}",
                "computing (normal network)": text(one["computing"]),
                "predicted": text(one["predicted"]),
                "measured (impaired network)": text(one["measured"]),
                "study": f"{self.study:.2f}",
            }
            for label, one in rows.items()
        ]
        return pd.DataFrame(shown, dtype=object)

    def hand_over(self, longer: Mapping[str, Estimate]) -> None:
        """Keep the model's expectation and the measurement, and the pings that the arm with RSA
        lost on the impaired network; `longer` over both daemons."""
        results = self._results
        for auth, name in ARMS.items():
            says = f"packets of an IKE_AUTH request, {name}, at most"
            results.number(f"RequestPackets{auth.title()}", self.packets[auth], 0, source=says)
        says = "model: the greatest of as many normal delays as the request has packets, above "
        results.number("LastPacket", self.waiting, 1, MS, f"{says}their mean")
        asked.hand_over(self._of.notebook, {"LastPacketSeen": WAIT})
        for name, found in longer.items():
            results.words(f"BothIke{name.title()}", text(found))
        says = "published: pratama-ike-impaired, RSA less PSK"
        results.number("StudyIkeDiffImpaired", self.study, 2, MS, says)
        # The chance of so few lost pings: netem sits in one direction, so an echo meets it once.
        observations = self._of.notebook.observations
        rsa = observations.query("probe == 'loss' and auth == 'rsa' and network == 'impaired'")
        counted = rsa.groupby("metric", observed=True)["value"].sum()
        pings = counted.reindex(["sent", "received"])
        sent, lost = pings["sent"], pings["sent"] - pings["received"]
        results.number("PingsSent", sent, 0, source="pings of probe loss, rsa, impaired")
        results.number("PingsLost", lost, 0, source="lost pings of probe loss, rsa, impaired")
        chance = 100 * binomial_share(lost, sent, self.loss)
        says = "binomial: at most as many lost pings as were counted, at the loss that was set"
        results.number("PingsChance", chance, 1, PERCENT, says)
