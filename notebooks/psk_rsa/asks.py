"""Scenario psk-rsa: two arms (PSK, RSA) on two networks, their tables and charts."""

import math
from collections.abc import Collection, Iterable, Mapping

import altair as alt
import pandas as pd
from IPython.display import HTML

from remeasure.paper.analysis.comparisons import block_mean, cell_estimates
from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.analysis.models.packet_balance import replay_drops
from remeasure.paper.analysis.models.set_up_gap import log_minus_wire
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import loss_in_words
from remeasure.paper.analysis.verdicts.sensitivity import of_estimators
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import NAMES, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime

ARMS = {"psk": "PSK", "rsa": "RSA"}
NETWORKS = ["normal", "impaired"]
MS, MBIT = r"\milli\second", r"\mega\bit\per\second"
Quantity = tuple[str, str]
"""a probe and its metric"""
RATES: dict[Quantity, str] = {
    (f"{protocol}_{way}", "goodput"): f"{protocol.upper()} {way}"
    for protocol in ("tcp", "udp")
    for way in ("up", "down")
}
"""goodput of each protocol and direction -> its label"""
IKE: dict[Quantity, str] = {
    (f"ike_{daemon}", metric): f"{seen}, {daemon}"
    for daemon in ("restarted", "warm")
    for metric, seen in (("ike_sa", "log"), ("ike_wire", "wire"))
}
"""set-up of an IKE_SA by where it is timed and how the daemon was started -> its label"""
CHILD: dict[Quantity, str] = {
    (f"ike_{daemon}", metric): f"{what}, {daemon}"
    for metric, what in (("child_sa", "CHILD_SA"), ("child_rekey", "rekeying"))
    for daemon in ("restarted", "warm")
}
"""time to install or rekey a CHILD_SA -> its label"""
TIMES: dict[Quantity, str] = {
    ("ike_restarted", "ike_sa"): "IKE_SA set-up, log, ms",
    ("ike_warm", "ike_wire"): "IKE_SA set-up, wire, ms",
}
GOODPUT: dict[Quantity, str] = {
    (f"{protocol}_{way}", "goodput"): f"{protocol.upper()} {way}, Mbit/s"
    for protocol in ("udp", "tcp")
    for way in ("up", "down")
}
REST: dict[Quantity, str] = {
    ("ike_warm", "child_rekey"): "rekeying, ms",
    ("latency", "rtt"): "RTT, ms",
    ("latency", "jitter"): "jitter, ms",
    ("udp_up", "loss"): "UDP up, loss, %",
    ("udp_down", "loss"): "UDP down, loss, %",
    ("tcp_up", "retransmits"): "TCP up, segments sent again",
}
"""what was measured in real and in virtual time -> its label, with the unit"""
_MARKS = "Faint marks are trials; solid marks are means over blocks with 95 % intervals."
_REPLAY = "replay drops over datagrams sent, UDP upload, impaired"


class PskRsa:
    """The trials of scenario psk-rsa, by arm and network."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook, self.factors = notebook, notebook.tables.between
        cost = notebook.per_megabyte("cpu_per_megabyte", notebook.scenario.topology.gateways)
        self.summaries = notebook.summarise(estimator, cost)
        self.estimators = of_estimators(
            notebook.observations, notebook.tables.factors, self.summaries
        )
        self.cells = cell_estimates(self.summaries, self.factors)
        self.medians = cell_estimates(self.estimators["median"], self.factors)
        self.virtual = VirtualTime(notebook, "median", self.estimators["median"])

    def cell(
        self, quantity: Quantity, auth: str, network: str, of: pd.DataFrame | None = None
    ) -> Estimate:
        """The estimate of one cell (`of`: the table of cells, means if none is given). A cell whose
        trials were all rejected has none."""
        table = self.cells if of is None else of
        probe, metric = quantity  # noqa: RUF059 - read by the query
        chosen = table.query(
            "probe == @probe and metric == @metric and auth == @auth and network == @network"
        )
        return Estimate.of_row(chosen.iloc[0]) if len(chosen) else NOTHING

    def number(
        self,
        name: str,
        quantity: Quantity,
        unit: str = "",
        networks: Mapping[str, str] | None = None,
    ) -> None:
        """Hand over <name><Arm><ending> for both arms and each network of `networks` (ending ->
        network; the normal one without an ending if there are none)."""
        for ending, network in (networks or {"": "normal"}).items():
            for auth in ARMS:
                found = self.cell(quantity, auth, network)
                probe, metric = quantity
                says = f"mean {metric} of {probe}, {auth}, {network.capitalize()}"
                self.notebook.results.number(
                    name + auth.capitalize() + ending, found, unit=unit, source=says
                )

    def texts(
        self, quantities: Mapping[Quantity, str], of: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """A row for each network and arm, a column for each of `quantities` (-> its label)."""
        return pd.DataFrame(
            [
                {"network": network, "auth": ARMS[auth]}
                | {
                    label: text(self.cell(quantity, auth, network, of))
                    for quantity, label in quantities.items()
                }
                for network in NETWORKS
                for auth in ARMS
            ]
        )

    def by_network(
        self, quantities: Mapping[Quantity, str], x_title: str, log: Collection[str] = ()
    ) -> alt.HConcatChart:
        """Two panels, normal and impaired, with a row for each of `quantities` (-> its label);
        logarithmic for the networks in `log`."""

        def rows(table: pd.DataFrame, network: str) -> pd.DataFrame:
            chosen = [
                table[(table["probe"] == probe) & (table["metric"] == metric)].assign(row=label)
                for (probe, metric), label in quantities.items()
            ]
            shown = pd.concat(chosen).query("network == @network and auth in @ARMS")
            return shown.assign(level=shown["auth"].map(ARMS.get))

        panels = (
            figures.points_and_intervals(
                rows(self.summaries, network),
                rows(self.cells, network),
                levels=list(ARMS.values()),
                legend="authentication",
                x_title=x_title,
                width=panel(PAGE, 2, beside=NAMES),
                scale=alt.Scale(type="log") if network in log else None,
            ).properties(title=f"{network} network")
            for network in NETWORKS
        )
        return alt.hconcat(*panels, spacing=14)

    def figure(
        self,
        name: str,
        says: str,
        quantities: Mapping[Quantity, str],
        x_title: str,
        log: Collection[str] = (),
    ) -> HTML:
        """The chart of `by_network`, handed over for the web; `says` begins its caption."""
        chart = self.by_network(quantities, x_title, log)
        return self.notebook.results.figure(name, f"{says} {_MARKS}", chart)

    def gaps(self) -> dict[tuple[str, str, str], Estimate]:
        """Log time less wire time of a set-up [ms], by probe, network and arm."""
        gaps = log_minus_wire(self.notebook.observations, self.factors)
        found = {}
        for probe in ("ike_restarted", "ike_warm"):
            for network in NETWORKS:
                for auth in ARMS:
                    group = gaps.query("probe == @probe and auth == @auth and network == @network")
                    cell = {"probe": probe, "auth": auth, "network": network}
                    found[probe, network, auth] = block_mean(
                        group, "ike_sa minus ike_wire", "ike_sa", cell
                    )
        return found

    def negotiations(self) -> pd.DataFrame:
        """Observations of requests that were sent again, one for each negotiation."""
        observations = self.notebook.observations
        return observations[observations["metric"] == "ike_retransmits"]

    def lost_pings(self) -> pd.DataFrame:
        """Pings sent and received in each cell, and the loss [%]."""
        seen = self.notebook.observations.query("probe == 'loss' and metric in ('sent','received')")
        loss = seen.pivot_table(
            index=self.factors, columns="metric", values="value", aggfunc="sum", observed=True
        )
        loss["loss, %"] = 100 * (1 - loss["received"] / loss["sent"])
        cells = pd.MultiIndex.from_product([list(ARMS), NETWORKS], names=self.factors)
        return loss.reindex(cells).round(3)

    def quote_losses(self) -> None:
        """Hand over the loss of pings on the impaired network, of both arms."""
        for auth in ARMS:
            lost = loss_in_words(self.cell(("loss", "loss"), auth, "impaired"))
            says = f"pings of probe loss, {auth}, impaired"
            self.notebook.results.words(f"Loss{auth.capitalize()}Impaired", lost, says)

    def replay_dropped(self) -> dict[str, Estimate]:
        """Share of an impaired upload's datagrams that the replay window of gw2, which receives
        them, dropped [%], by arm."""
        notebook = self.notebook
        drops = replay_drops(notebook.counters, notebook.observations, self.factors, "gw2")
        drops = drops.query("probe == 'udp_up' and network == 'impaired'")
        return {
            auth: block_mean(
                drops[drops["auth"] == auth],
                _REPLAY,
                "sent",
                {"probe": "udp_up", "auth": auth, "network": "impaired"},
            )
            for auth in ARMS
        }

    def in_both(self, quantities: Mapping[Quantity, str], arms: Iterable[str]) -> pd.DataFrame:
        """The table of `quantities` (-> label and unit) in virtual and in real time, for each
        network and arm."""
        arms = list(arms)
        rows = {
            f"{label}, {network}{f', {ARMS[auth]}' if len(arms) > 1 else ''}": {
                "probe": probe,
                "metric": metric,
                "where": {"auth": auth, "network": network},
            }
            for (probe, metric), label in quantities.items()
            for network in NETWORKS
            for auth in arms
        }
        return self.virtual.beside("quantity", rows)

    def acknowledgements(self) -> dict[str, float]:
        """Packets that went the other way through the SA for 100 packets of an impaired TCP
        download, in Virtual and in Real time."""
        asked = "probe == 'tcp_down' and network == 'impaired' and counter == 'sa_in_packets'"
        counters = {
            "Virtual": self.virtual.tables["counters"],
            "Real": self.notebook.counters,
        }
        sums = {
            time: table.query(asked).groupby("host", observed=True)["change"].sum()
            for time, table in counters.items()
        }
        return {
            time: 100 * found.get("gw2", math.nan) / found.get("gw1", math.nan)
            for time, found in sums.items()
        }
