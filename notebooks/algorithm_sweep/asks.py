"""Scenario algorithm-sweep: suites against payload size, on Linux and perhaps on Windows."""

from typing import Any, NamedTuple

import altair as alt
import pandas as pd
from IPython.display import display

from notebooks.algorithm_sweep.model import (
    by_system,
    clock_offsets,
    correct_delays,
    packets_per_datagram,
)
from remeasure.bench.ipsec.overhead import largest_tcp_segment, largest_udp_payload
from remeasure.paper.analysis.comparisons import cell_estimates, precision
from remeasure.paper.analysis.cost import per_megabyte, per_packet, per_write
from remeasure.paper.analysis.limits.run_loads import arrived_packets
from remeasure.paper.analysis.summaries import Tables, trial_summaries
from remeasure.paper.notebook import shared_tables
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.charts.curves import small_multiples
from remeasure.paper.notebook.charts.theme import PAGE, SHARED, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SENDING = ["client1", "gw1"]
"""the hosts that share the first core of two"""
LEVELS = {"tcp": "TCP", "udp": "UDP"}
OVER_NONE: Asked = {"quantity": "ratio", "to": {"suite": "none"}}
GOAL = 0.05
"""half the width of an interval that is wanted, over its mean"""


class Analysed(NamedTuple):
    """The trials of one operating system."""

    offsets: pd.DataFrame
    """of the hosts' clocks"""
    flows: pd.DataFrame
    """observations of flows, with corrected delays"""
    summaries: pd.DataFrame
    cells: pd.DataFrame


class Sweep:
    """The trials of scenario algorithm-sweep. Where there is a campaign on Linux, everything but
    `windows` is of Linux."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, self._estimator = notebook, estimator
        self._systems = by_system(notebook.tables)
        self.system, data = next(iter(self._systems.items()))
        notebook.only(set(data["trials"]["campaign"]))
        self.offsets, flows, notebook.summaries, self.cells = self._analysed(data)
        notebook.tables["observations"] = flows
        self.suites = notebook.measured("suite")
        self.payloads = sorted(set(self.cells["payload"]), key=int)
        settings = notebook.scenario.settings_where
        family = notebook.scenario.topology.family
        known = {s: settings(suite=s).tunnel for s in notebook.scenario.design.factors["suite"]}
        self.limits = pd.DataFrame(
            [
                {
                    "suite": suite,
                    "UDP payload": largest_udp_payload(tunnel, family=family),
                    "TCP segment": largest_tcp_segment(tunnel, family=family),
                }
                for suite, tunnel in known.items()
            ]
        ).set_index("suite")
        """largest UDP payload and TCP segment (with timestamps) in one packet of 1500 bytes"""

    def _analysed(self, data: Tables) -> Analysed:
        notebook, factors = self.notebook, data.factors
        offsets = clock_offsets(data["observations"], "clock_there", "clock_back")
        flows = correct_delays(data["observations"].query("probe == 'flow'"), offsets)
        counters = data["counters"]
        packets = arrived_packets(data, notebook.scenario)
        gateways = notebook.scenario.topology.gateways
        summaries = pd.concat(
            [
                trial_summaries(flows, factors, self._estimator),
                per_megabyte(counters, flows, factors, "cpu_per_megabyte", gateways),
                per_packet(counters.query("probe == 'flow'"), packets, factors, gateways),
                per_write(counters, flows, factors, "cpu_per_write", SENDING),
                per_write(counters, flows, factors, "packets_per_write", ["gw1"]),
            ],
            ignore_index=True,
        )
        return Analysed(offsets, flows, summaries, cell_estimates(summaries, factors))

    def curves(
        self,
        metric: str,
        load: str,
        name: str,
        floor: float | None = None,
        table: pd.DataFrame | None = None,
    ) -> alt.TopLevelMixin:
        """Small multiples of one metric: a panel a suite, with the limits of fragmentation. With
        `floor`, on a logarithmic scale that begins there. `name` is the metric's."""
        cells = self.cells if table is None else table
        chosen = cells[(cells["metric"] == metric) & (cells["load"] == load)]
        chosen = chosen.assign(
            panel=chosen["suite"],
            level=chosen["transport"].map(LEVELS),
            x=chosen["payload"].astype(int),
        )
        scale = alt.Scale(domain=[0, 1.15 * chosen["value"].max()])
        if floor is not None:
            ends = ["value", "low", "high"]
            chosen[ends] = chosen[ends].clip(lower=floor)
            scale = alt.Scale(type="log", domain=[floor, 2 * chosen["value"].max()])

        def in_order(column: pd.Series) -> Any:
            return self.limits.index.get_indexer(column) if column.name == "suite" else column

        rules = self.limits.reset_index().rename(columns={"suite": "panel", "UDP payload": "x"})
        return small_multiples(
            chosen.sort_values(["suite", "x"], key=in_order),
            rules[["panel", "x"]],
            levels=list(LEVELS.values()),
            legend="transport",
            x_title="payload (bytes)",
            y_title=f"{name} ({self.notebook.unit(metric)})",
            columns=4,
            width=panel(PAGE, 4, beside=SHARED),
            height=78,
            scale=scale,
        )

    def of_udp(self, metric: str) -> pd.DataFrame:
        """Values of a metric of UDP at saturation, suites by payloads."""
        cells = self.cells
        chosen = cells[
            (cells["metric"] == metric)
            & (cells["load"] == "saturation")
            & (cells["transport"] == "udp")
        ]
        wide = chosen.pivot(index="suite", columns="payload", values="value")
        return wide.reindex(index=self.suites, columns=self.payloads)

    def precision(self) -> pd.DataFrame:
        """Half widths of the intervals of throughput at saturation over their means, and the blocks
        that GOAL needs."""
        cells = self.cells.query("metric == 'goodput' and load == 'saturation'")
        told = precision(cells, GOAL)
        by_size = told.groupby(["transport", "payload"], observed=True)
        table = by_size.agg(
            cells=("within", "size"),
            within=("within", "sum"),
            typical=("half_width", "median"),
            worst=("half_width", "max"),
            blocks_needed=("needed", "median"),
        )
        return table.reindex(self.payloads, level=1).round(3)

    def costs(self) -> pd.DataFrame:
        """Cost and goodput of UDP at saturation, suites by what is measured."""
        unit, texts = self.notebook.unit, self.notebook.texts
        table = texts(
            "suite",
            {suite: {"where": {"suite": suite}} for suite in self.suites},
            {
                f"{unit('cpu_per_packet')}, 64 B": udp("cpu_per_packet", 64),
                "1344 B": udp("cpu_per_packet"),
                f"{unit('cpu_per_megabyte')}, 1344 B": udp("cpu_per_megabyte"),
                f"{unit('goodput')}, 1344 B": udp("goodput"),
            },
        )
        medium = udp("cpu_per_megabyte", "medium")
        over_none = [
            "" if suite == "none" else self.notebook.text(medium, OVER_NONE, of={"suite": suite})
            for suite in self.suites
        ]
        table.insert(4, "over none, medium", pd.Series(over_none, dtype=object))
        return table

    def over_none(self, metric: str) -> pd.DataFrame:
        """A metric relative to no IPsec at saturation, by transport and size of payload."""
        sizes: dict[str, Asked] = {
            f"{title} {payload}": {
                "where": {"transport": transport, "load": "saturation", "payload": payload}
            }
            for transport, title in LEVELS.items()
            for payload in ("small", "medium", "large")
        }
        rows: dict[str, Asked] = {suite: {"of": {"suite": suite}} for suite in self.suites[1:]}
        return self.notebook.texts("suite", rows, sizes, OVER_NONE, metric=metric)

    def slopes(self) -> pd.DataFrame:
        """Slope of jitter against payload [ms for 1000 bytes], by transport and load."""
        rows: dict[str, Asked] = {
            s: {"of": {"suite": s, "payload": "studied"}} for s in self.suites
        }
        columns: dict[str, Asked] = {
            f"{title}, {load}": {"where": {"transport": transport, "load": load}}
            for load in ("moderate", "saturation")
            for transport, title in LEVELS.items()
        }
        slope: Asked = {
            "quantity": "slope", "metric": "jitter", "over": "payload", "scale": 1000,
        }  # fmt: skip
        return self.notebook.texts("suite", rows, columns, **slope)

    def link_limited(self) -> pd.DataFrame:
        """UDP flows at saturation; column `full` says whether the link limited them."""
        flows = self.notebook.limits.query("load == 'saturation' and transport == 'udp'")
        return flows.assign(full=flows["limit"] == "link")

    def shares_limited(self) -> pd.DataFrame:
        """Share of UDP flows at saturation that the link limited [%], suites by payloads."""
        full = self.link_limited().groupby(["suite", "payload"], observed=True)["full"].mean()
        return (100 * full).unstack().reindex(index=self.suites, columns=self.payloads).round(0)

    def packets(self) -> pd.DataFrame:
        """Packets of the outgoing SA for each datagram at the moderate rate, suites by payloads."""
        moderate = "transport == 'udp' and load == 'moderate' and probe == 'flow'"
        counters = self.notebook.counters.query(moderate)
        found = packets_per_datagram(counters, self.notebook.observations.query(moderate), "gw1")
        return found.unstack().reindex(index=self.suites, columns=self.payloads).round(2)

    def windows(self) -> str:
        """Show what was measured on Windows hosts, beside Linux, and say whether anything was."""
        if "Windows" not in self._systems:
            return "Not yet run on Windows"
        if self.system == "Windows":
            return "Run on Windows only"
        data = self._systems["Windows"]
        cells = self._analysed(data).cells
        display(shared_tables.quality(data["trials"], ["suite"]).set_index("suite").round(3))
        for metric in ("goodput", "delay_mean", "jitter"):
            load = "saturation" if metric == "goodput" else "moderate"
            if metric in set(cells["metric"]):
                for name, table in ((self.system, self.cells), ("Windows", cells)):
                    display(self.curves(metric, load, f"{metric}, {name}", table=table))
        return "Run on Linux and Windows"


def udp(metric: str, payload: int | str = 1344) -> Asked:
    """The question for a metric of UDP at saturation with this payload [byte], or this group of
    payloads."""
    return {
        "metric": metric,
        "where": {"transport": "udp", "load": "saturation", "payload": payload},
    }
