"""Scenario algorithm-sweep: suites against payload size."""

import altair as alt
import numpy as np
import pandas as pd

from remeasure.bench.ipsec.overhead import largest_tcp_segment, largest_udp_payload
from remeasure.paper.analysis.estimates import cell_estimates
from remeasure.paper.analysis.summaries import of_kind
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at, each, joined
from remeasure.paper.notebook.charts.figures import small_multiples
from remeasure.paper.notebook.charts.theme import PAGE, SHARED, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

LEVELS = {"tcp": "TCP", "udp": "UDP"}
OVER_NONE: Asked = {"quantity": "ratio", "to": {"suite": "none"}}
SATURATED: Asked = {"where": {"load": "saturation"}}


COSTS: dict[str, Asked] = words_of(__file__)["costs"]
SIZES = {
    f"{title} {payload}": joined(OVER_NONE, at(SATURATED, transport=transport, payload=payload))
    for transport, title in LEVELS.items()
    for payload in ("small", "medium", "large")
}
"""the parts of a question for a metric relative to no IPsec, by transport and size of payload"""
SLOPE: Asked = {"quantity": "slope", "metric": "jitter", "over": "payload", "scale": 1000}
"""slope of jitter against payload [ms for 1000 bytes]"""
SLOPES = {
    f"{title}, {load}": at(SLOPE, transport=transport, load=load) | {"of": {"payload": "studied"}}
    for load in ("moderate", "saturation")
    for transport, title in LEVELS.items()
}
_COST, _RATE = COSTS["over no IPsec, medium"], COSTS["Mbit/s, 1344 B"]
_QUOTED = {"TripleDes": "3des-sha1", "Gcm": "aes128gcm16"}
NUMBERS: dict[str, Asked] = {
    **{f"Cost{name}": at(_COST, suite=suite) for name, suite in _QUOTED.items()},
    **{f"Udp{n}": at(_RATE, suite=suite) for n, suite in {"None": "none", **_QUOTED}.items()},
}


class Sweep:
    """The trials of scenario algorithm-sweep."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        observations, gateways = notebook.observations, notebook.scenario.topology.gateways
        self.offsets = clock_offsets(observations, "clock_there", "clock_back")
        flows = correct_delays(observations.query("probe == 'flow'"), self.offsets)
        notebook.tables["observations"] = flows
        notebook.summarise(
            estimator,
            notebook.per_megabyte("cpu_per_megabyte", gateways),
            notebook.per_packet(gateways).query("probe == 'flow'"),
        )
        self.cells = cell_estimates(notebook.summaries, notebook.tables.factors)
        self.suites = each("suite", notebook.measured("suite"))
        self.payloads = list(notebook.numbers("payload"))
        scenario = notebook.scenario
        settings, family = scenario.settings_where, scenario.topology.family
        known = {s: settings(suite=s).tunnel for s in scenario.design.factors["suite"]}
        largest = {"UDP payload": largest_udp_payload, "TCP segment": largest_tcp_segment}
        self.limits = pd.DataFrame(
            {
                name: {suite: size(tunnel, family=family) for suite, tunnel in known.items()}
                for name, size in largest.items()
            }
        ).rename_axis("suite")
        """largest UDP payload and TCP segment (with timestamps) in one packet of 1500 bytes"""

    def curves(
        self, metric: str, load: str, name: str, floor: float | None = None
    ) -> alt.TopLevelMixin:
        """Small multiples of one metric: a panel per suite, with the limits of fragmentation. With
        `floor`, on a logarithmic scale that begins there. `name` is the metric's."""
        chosen = self.cells[(self.cells["metric"] == metric) & (self.cells["load"] == load)]
        chosen = chosen.assign(
            panel=chosen["suite"],
            level=chosen["transport"].map(LEVELS),
            x=chosen["payload"].map(self.notebook.numbers("payload")).astype(int),
            place=self.limits.index.get_indexer(chosen["suite"]),
        )
        unit = self.notebook.unit(metric).replace("us/", "µs/")
        scale = alt.Scale(domain=[0, 1.15 * chosen["value"].max()])
        if floor is not None:
            ends = ["value", "low", "high"]
            chosen[ends] = chosen[ends].clip(lower=floor)
            scale = alt.Scale(type="log", domain=[floor, 2 * chosen["value"].max()])
        rules = self.limits.reset_index().rename(columns={"suite": "panel", "UDP payload": "x"})
        return small_multiples(
            chosen.sort_values(["place", "x"]).drop(columns="place"),
            rules[["panel", "x"]],
            levels=list(LEVELS.values()),
            legend="transport",
            x_title="payload (bytes)",
            y_title=[name, f"({unit})"],
            columns=4,
            width=panel(PAGE, 4, beside=SHARED),
            height=78,
            scale=scale,
        )

    def hand_over(self) -> None:
        asked.hand_over(self.notebook, NUMBERS)
        for name, suite in (("Aes", "aes128-sha1"), ("Gcm", "aes128gcm16")):
            says = "largest UDP payload in one packet of 1500 bytes, computed from the RFCs, "
            most = self.limits.loc[suite, "UDP payload"]
            self.notebook.results.number(f"Limit{name}", most, 0, r"\byte", says + suite)


LIMIT_MS = 1.0
"""largest error of an offset at which one-way delays of the trial are still reported [ms]"""


def clock_offsets(observations: pd.DataFrame, there: str, back: str) -> pd.DataFrame:
    """One row per block and trial: `offset` of the receiver's clock and `bound` on its error [ms],
    from the metric delay_min of the probes `there` and `back`."""
    least = observations[observations["metric"] == "delay_min"]
    least = least.pivot_table("value", ["block", "trial"], "probe", observed=True)
    # Tools without one-way delays, such as iperf3, cannot compare clocks.
    least = least.reindex(columns=[there, back]) / 2
    return pd.DataFrame({"offset": least[there] - least[back], "bound": least[there] + least[back]})


def correct_delays(observations: pd.DataFrame, offsets: pd.DataFrame) -> pd.DataFrame:
    """The observations, with the clock offset of each trial subtracted from every delay. Delays of
    a trial whose offset may be wrong by more than `limit` [ms] are left out."""
    known = offsets[offsets["bound"] <= LIMIT_MS]["offset"]
    trials = pd.MultiIndex.from_frame(observations[["block", "trial"]])
    offset = known.reindex(trials).to_numpy()
    delays = of_kind(observations["metric"], "one-way").to_numpy()
    value = observations["value"] - np.where(delays, offset, 0)
    return observations.assign(value=value).dropna(subset="value")
