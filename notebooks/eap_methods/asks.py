"""Scenario eap-methods: methods of authentication by round trip, their tables and charts."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.authentication_delay import fit_delays, surplus
from remeasure.paper.analysis.models.echo_grain import beyond_negotiation, spread
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import number_text
from remeasure.paper.analysis.verdicts.study_tables import Samples
from remeasure.paper.notebook.asked import each, joined
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.set_up_lines import set_up_lines
from remeasure.paper.notebook.charts.theme import COLUMN, NUMBERS, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime

DIRECT = {"metric": "delay", "probe": "direct"}
ECHO = {"metric": "rtt", "probe": "reauthentication"}
TRAIN = {"metric": "wait", "probe": "train"}
HOSTS = {host: {"metric": f"{host}_cpu"} for host in ("initiator", "responder", "aaa")}
COUNTS = {
    "ike_exchanges": "IKE exchanges",
    "ike_datagrams": "IKE datagrams",
    "ike_packets": "IP packets",
    "ike_bytes": "IKE bytes",
    "radius_exchanges": "RADIUS exchanges",
    "radius_bytes": "RADIUS bytes",
    "tls_server_bytes": "TLS bytes, server",
    "tls_client_bytes": "TLS bytes, client",
}
"""metric that the captures count -> its label"""
NAMES = {
    "psk": "PSK",
    "rsa-2-2": "RSA",
    "ecdsa-2-2": "ECDSA",
    "psk-mlkem": "PSK with ML-KEM",
    "eap-md5": "EAP-MD5",
    "eap-tls-2-2": "EAP-TLS 2-2",
    "eap-ttls": "EAP-TTLS",
    "eap-tls-4-4": "EAP-TLS 4-4",
}
"""method of the paper's chart -> its label; methods that take as many exchanges share a line"""
_LIBRARIES = {
    "libcrypto": "libcrypto",
    "libc": "libc",
    "kernel": "vmlinux",
    "all three": "authentication",
}
"""column of the study's samples -> field of them"""
_WIDTH = panel(COLUMN, beside=NUMBERS)
_COUNTED = {
    "exchanges": "ike_exchanges",
    "datagrams": "ike_datagrams",
    "bytes": "ike_bytes",
    "RADIUS": "radius_exchanges",
}
"""column of `EapMethods.overview` -> the metric that the captures count"""


class EapMethods:
    """The trials of scenario eap-methods."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        self.observations = notebook.observations
        self.summaries = notebook.summarise(estimator)
        # The statements on delays were registered for medians within a trial.
        self.registered = trial_summaries(self.observations, notebook.tables.factors, "median")
        self.methods = notebook.measured("method")
        scenario = notebook.scenario
        tunnels = {m: scenario.settings_where(method=m).tunnel for m in self.methods}
        self.eap = [m for m, tunnel in tunnels.items() if tunnel and tunnel.eap]
        """methods with EAP"""
        echoes = self.summaries["probe"] == "reauthentication"
        asked = set(self.summaries.loc[echoes, "method"])
        self.studied = [m for m in self.methods if m in asked]
        """methods measured by the study's protocol"""
        self.rtts = sorted(set(notebook.trials["rtt"]), key=int)
        self.near, self.far = self.rtts[0], self.rtts[-1]
        self.direct = self.observations[
            (self.observations["probe"] == "direct") & self.observations["metric"].isin(COUNTS)
        ]
        """what the captures counted of each authentication"""
        means = self.direct.pivot_table(
            index="method", columns="metric", values="value", observed=True
        )
        self.counts = means.reindex(index=self.methods, columns=list(COUNTS))
        self.model = fit_delays(self._delays_of_blocks(), "direct")
        """one line over the round trip for all methods, by the exchanges that each takes"""
        self.virtual = VirtualTime(notebook)

    def _delays_of_blocks(self) -> pd.DataFrame:
        """Delay of each direct authentication, as of analysis.models.authentication_delay."""
        of_block = self.summaries.query("probe == 'direct'").pivot_table(
            index=["block", "method", "rtt"], columns="metric", values="value", observed=True
        )
        of_block = of_block.reset_index()
        exchanges = of_block["ike_exchanges"]
        rtt = of_block["rtt"].astype(float)
        return of_block.assign(rtt=rtt, exchanges=exchanges)

    def surplus(self, rtt: str) -> Estimate:
        """What an exchange takes beyond one round trip and its delay between neighbours [ms]."""
        return surplus(self._delays_of_blocks(), float(rtt), "direct")

    @property
    def trains(self) -> dict[str, dict[str, Any]]:
        """The question for trains of echoes; none in campaigns before the trains."""
        return {"train": TRAIN} if "train" in set(self.summaries["probe"]) else {}

    def ratio(self, of: str, to: str, **question: Any) -> dict[str, Any]:
        """The question how many times as much method (or group) `of` has as `to`."""
        methods = {"quantity": "ratio", "of": {"method": of}, "to": {"method": to}}
        return joined(methods, question)

    def registered_ratio(
        self, of: str, to: str, rtt: str, blocks: Collection[int] = ()
    ) -> Estimate:
        """Ratio of direct delays by the registered estimator, medians within a trial; from some
        `blocks`, or from all."""
        question = self.ratio(of, to, within="median", **DIRECT, where={"rtt": rtt})
        table = self.registered
        chosen = table[table["block"].isin(blocks)] if blocks else table
        found = self.notebook.estimate(chosen, **question)
        if not blocks or found.origin is None:
            return found
        says = f"{found.origin.says}; blocks {', '.join(map(str, sorted(blocks)))}"
        return replace(found, origin=replace(found.origin, says=says))

    def authentications(self) -> pd.DataFrame:
        """Authentications in sequence, by method and round trip."""
        delays = self.observations.query("probe == 'direct' and metric == 'delay'")
        counted = delays.groupby(["method", "rtt"], observed=True).size().unstack()
        return counted.reindex(index=self.methods, columns=self.rtts).fillna(0)

    def delays(self) -> pd.DataFrame:
        """Delays to be drawn, as of ScenarioNotebook.points."""
        levels = each("rtt", self.rtts, "{} ms")
        return self.notebook.points(each("method", self.methods), levels, **DIRECT)

    def delay_chart(self) -> alt.LayerChart:
        points = self.summaries.query("metric == 'delay' and probe == 'direct'")
        points = points.rename(columns={"method": "row"}).assign(level=lambda t: t["rtt"] + " ms")
        points = points[["row", "level", "value"]]
        return figures.points_and_intervals(
            points,
            self.delays(),
            levels=[f"{rtt} ms" for rtt in self.rtts],
            legend="round trip",
            x_title=f"delay of an authentication ({self.notebook.unit('delay')})",
            width=_WIDTH,
            row_step=17,
            scale=alt.Scale(domain=[0, 1.05 * points["value"].max()]),
        )

    def model_chart(self) -> alt.TopLevelMixin:
        """Delay over the round trip, beside exchanges times round trip and beside virtual time."""
        shown = self.delays()
        shown = shown.assign(
            method=shown["row"],
            rtt=shown["level"].str.removesuffix(" ms"),
            exchanges=shown["row"].map(self.counts["ike_exchanges"]),
        )
        shown["virtual"] = [
            self.virtual.estimate(**DIRECT, where={"method": one.method, "rtt": one.rtt}).value
            for one in shown.itertuples()
        ]
        shown = shown.assign(rtt=shown["rtt"].astype(float))
        return set_up_lines(shown, NAMES, self.notebook.unit("delay"))

    def processor_chart(self) -> alt.LayerChart:
        """Processor time of each host; the AAA server's of methods that ask it."""

        def asked(table: pd.DataFrame) -> pd.DataFrame:
            return table[(table["level"] != "aaa") | table["row"].isin(self.eap)]

        metrics = [f"{host}_cpu" for host in HOSTS]
        used = self.summaries[self.summaries["metric"].isin(metrics)]
        used = used.assign(level=used["metric"].str.split("_").str[0])
        used = used.rename(columns={"method": "row"})[["row", "level", "value"]]
        used = asked(used)
        cells = self.notebook.points(each("method", self.methods), HOSTS, probe="cost")
        unit = self.notebook.unit("initiator_cpu")
        return figures.points_and_intervals(
            used,
            asked(cells),
            levels=list(HOSTS),
            legend="host",
            x_title=f"processor time ({unit} for one authentication)",
            width=_WIDTH,
            row_step=15,
            scale=alt.Scale(domain=[0, 1.05 * used["value"].max() if len(used) else 1]),
        )

    def echo_grain(self) -> pd.DataFrame:
        """How much longer echoes and trains wait than the negotiation takes by the initiator's log
        [ms], between neighbours."""
        beyond = beyond_negotiation(self.observations, self.notebook.tables.factors)
        near = beyond[beyond["rtt"] == self.near]
        values = {
            kind: near.loc[near["kind"] == kind, "value"]
            for kind in dict.fromkeys(["held", *near["kind"]])
        }
        return pd.DataFrame({kind: spread(of) for kind, of in values.items()}).T

    def lines(self) -> pd.DataFrame:
        """Each method's line over the round trip, beside the exchanges that were counted."""
        lines = self.notebook.texts(
            "method",
            {method: {"of": {"method": method}} for method in self.methods},
            {
                "round trips waited for": {"quantity": "slope"},
                "everything else, ms": {"quantity": "intercept"},
            },
            over="rtt",
            **DIRECT,
        )
        exchanges = self.counts["ike_exchanges"].map("{:.0f}".format).to_numpy()
        lines.insert(1, "exchanges counted", exchanges)
        by_model = [text(Estimate.of_row(row)) for row in self.model.computation.itertuples()]
        return lines.assign(**{"everything else by one model, ms": by_model})

    def differing(self) -> pd.DataFrame:
        """Largest difference between two authentications of one method, where there is one."""
        counted = self.direct.groupby(["method", "metric"], observed=True)["value"]
        apart = counted.agg(lambda values: values.max() - values.min())
        apart = apart[apart > 0].unstack().reindex(columns=list(COUNTS))
        return apart.dropna(how="all", axis=1)

    def samples_table(self) -> pd.DataFrame:
        """Processor time of the initiator over EAP-MD5: the study's samples, and ours."""
        study = self.notebook.own_study.rows("samples", Samples)
        theirs = {row.method: row for row in study if row.method in self.methods}
        (base,) = (row for row in study if row.method == "eap-md5")
        ours = self.notebook.texts(
            "method",
            {method: {"of": {"method": method}} for method in theirs},
            {"ours": {"metric": "initiator_cpu"}},
            quantity="ratio",
            probe="cost",
            to={"method": "eap-md5"},
        )
        for place, (title, field) in enumerate(_LIBRARIES.items(), 1):
            ratios = [getattr(row, field) / getattr(base, field) for row in theirs.values()]
            ours.insert(place, title, [number_text(ratio) for ratio in ratios])
        return ours

    def overview(self, methods: list[str]) -> pd.DataFrame:
        """Counts, delays by round trip (a column for each of the scenario), and processor time of
        the initiator."""
        columns = {rtt: DIRECT | {"where": {"rtt": rtt}} for rtt in self.rtts}
        columns["initiator"] = {"metric": "initiator_cpu", "probe": "cost"}
        shown = self.notebook.texts("method", each("method", methods), columns)
        for place, (title, metric) in enumerate(_COUNTED.items(), 1):
            counted = [
                f"{self.counts.loc[m, metric]:.0f}" if title != "RADIUS" or m in self.eap else ""
                for m in methods
            ]
            shown.insert(place, title, counted)
        rtts = list(self.notebook.scenario.design.factors["rtt"])
        return shown.reindex(columns=["method", *_COUNTED, *rtts, "initiator"], fill_value="")
