"""Why RSA takes longer behind jitter: an IKE_AUTH request in several packets waits for the last."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from notebooks.psk_rsa.asks import ARMS, NETWORKS, PskRsa
from remeasure.paper.analysis.estimates import Estimate, mean_estimate
from remeasure.paper.analysis.models.fragment_delay import Prediction, added_delay, added_timeouts
from remeasure.paper.analysis.summaries import paired
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.verdicts.study_tables import comparison_table

_WAIT = "metric == 'auth_request_wait' and auth == 'rsa' and network == 'impaired'"
_SAYS = "last fragment of an IKE_AUTH request behind the mean of its fragments, RSA, impaired, ms"
_SET_UPS = ["ike_restarted", "ike_warm"]


class Longer(NamedTuple):
    """How much longer a set-up takes with RSA than with a PSK on the impaired network [ms]."""

    computing: Estimate
    """what it takes longer on the normal network"""
    predicted: Estimate
    """computing and the wait for the last fragment"""
    measured: Estimate


class Fragments:
    """Requests of IKE_AUTH in fragments, and what they wait for the last one."""

    def __init__(self, of: PskRsa):
        self._of = of
        observations = of.notebook.observations
        settings = of.notebook.scenario.settings_where(network="impaired")
        self._impairment = settings.shaping["gw1.wan"].impairment
        self.loss = self._impairment.loss_percent / 100
        """share of packets that netem was told to lose on the impaired network"""
        pattern = r"auth_(request|response)_(fragments|packets)"
        self._pieces = observations[observations["metric"].str.fullmatch(pattern)]
        requests = self._pieces[self._pieces["metric"] == "auth_request_packets"]
        arms = dict.fromkeys([*ARMS, *requests["auth"]])
        self.packets = {arm: requests.loc[requests["auth"] == arm, "value"].max() for arm in arms}
        """packets of a request at most, by arm, those that only a later campaign has too"""
        jitter = self._impairment.jitter_ms
        rsa, psk = ([1, self.packets[arm]] for arm in ("rsa", "psk"))
        self.waiting = added_delay(rsa, jitter) - added_delay(psk, jitter)
        """how long a request with RSA waits for its last packet, by the model [ms]"""
        self._waits = {
            "real": observations.query(_WAIT),
            "virtual": of.virtual.tables["observations"].query(_WAIT),
        }
        self.waited = {time: self._waited(time) for time in self._waits}
        """the same as measured, in real and in virtual time"""

    def timeouts(self) -> float:
        """How much longer RSA takes because a packet of its request may be lost, by the model
        [ms]."""
        return added_timeouts([1, self.packets["rsa"]], self.loss)

    def counted(self) -> pd.DataFrame:
        """Fragments and packets of requests and responses, fewest and most, by arm and network."""
        return self._pieces.pivot_table(
            index=self._of.factors,
            columns="metric",
            values="value",
            aggfunc=["min", "max"],
            observed=True,
        ).convert_dtypes()

    def waits_table(self) -> pd.DataFrame:
        """What requests with RSA waited for their last fragment: expected, and in both times."""
        row: dict[str, object] = {"expected, ms": f"{self.waiting:.2f}"}
        row |= {f"{time} time, ms": text(found) for time, found in self.waited.items()}
        row |= {f"{time} time, set-ups": len(rows) for time, rows in self._waits.items()}
        return pd.DataFrame([row], dtype=object)

    def longer(self, estimator: str, probes: list[str] | None = None) -> Longer:
        """RSA less PSK over `probes` (None: both ways of starting the daemon). This comparison was
        made after the data were seen."""
        probes = probes or _SET_UPS
        found = {network: self._longer(estimator, probes, network) for network in NETWORKS}
        predicted = Prediction(self.waiting, found["normal"]).total
        return Longer(found["normal"], predicted, found["impaired"])

    def table(self, rows: Mapping[str, Longer]) -> pd.DataFrame:
        """The sum of wait and computing beside what was measured and what the study prints; `rows`:
        label -> RSA less PSK."""
        columns: dict[str, Callable[[Longer], str]] = {
            "last fragment": lambda _: f"{self.waiting:.1f}",
            "computing (normal network)": lambda one: text(one.computing),
            "predicted": lambda one: text(one.predicted),
            "measured (impaired network)": lambda one: text(one.measured),
            "study": lambda _: f"{self.study():.2f}",
        }
        return pd.DataFrame(
            [
                {"RSA - PSK, ms": label} | {title: of(one) for title, of in columns.items()}
                for label, one in rows.items()
            ],
            dtype=object,
        )

    def study(self) -> float:
        """What the study prints on the impaired network, RSA less PSK [ms]."""
        printed = comparison_table(self._of.notebook.own_study).set_index("id")
        row = printed.loc["pratama-ike-impaired"]
        return row["rsa"] - row["psk"]

    def _waited(self, time: str) -> Estimate:
        values = self._waits[time].groupby("block")["value"].mean()
        virtual = time == "virtual"
        where = self._of.virtual.summaries.attrs if virtual else None
        return _over_blocks(
            values, _SAYS, "auth_request_wait", ["rsa"], "impaired", _SET_UPS, where
        )

    def _longer(self, estimator: str, probes: list[str], network: str) -> Estimate:
        table = self._of.estimators[estimator]
        of_probes = (paired(table, probe, "ike_sa", "auth", network=network) for probe in probes)
        # An arm whose trials were all rejected has no column.
        pairs = pd.concat(of_probes).groupby(level=0).mean().reindex(columns=list(ARMS)).dropna()
        says = f"RSA less PSK, {network} network, ms"
        return _over_blocks(
            pairs["rsa"] - pairs["psk"],
            says,
            "ike_sa",
            ARMS,
            network,
            probes,
        )


def _over_blocks(
    values: pd.Series,
    says: str,
    metric: str,
    arms: Iterable[str],
    network: str,
    probes: list[str],
    where: Mapping[str, Any] | None = None,
) -> Estimate:
    """The mean of `values`, one for each block, with its origin."""
    made_of = [
        {"auth": auth, "network": network, "probe": probe} for auth in arms for probe in probes
    ]
    found = mean_estimate(values.to_numpy())
    return found.measured(says, metric, made_of, values.index, where)
