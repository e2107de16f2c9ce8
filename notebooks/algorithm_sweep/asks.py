"""Scenario algorithm-sweep: suites against payload size, on Linux and perhaps on Windows."""

import altair as alt
import numpy as np
import pandas as pd
from IPython.display import display

from remeasure.bench.ipsec.overhead import largest_tcp_segment, largest_udp_payload
from remeasure.paper.analysis.estimates import cell_estimates
from remeasure.paper.analysis.limits.run_loads import arrived_packets
from remeasure.paper.analysis.summaries import Tables, costs, of_kind, trial_summaries
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Level, at, each, joined
from remeasure.paper.notebook.charts.curves import small_multiples
from remeasure.paper.notebook.charts.theme import PAGE, SHARED, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SENDING = ["client1", "gw1"]
"""the hosts that share the first core of two"""
LEVELS = {"tcp": "TCP", "udp": "UDP"}
OVER_NONE: Asked = {"quantity": "ratio", "to": {"suite": "none"}}
SATURATED: Asked = {"where": {"load": "saturation"}}


def udp(metric: str, **levels: Level) -> Asked:
    """A metric of UDP at saturation."""
    question: Asked = {"metric": metric, "where": {"transport": "udp", "load": "saturation"}}
    return at(question, **levels)


COSTS: dict[str, Asked] = {
    "µs per packet, 64 B": udp("cpu_per_packet", payload="64"),
    "µs per packet, 1344 B": udp("cpu_per_packet", payload="1344"),
    "ms per MB, 1344 B": udp("cpu_per_megabyte", payload="1344"),
    "over no IPsec, medium": joined(udp("cpu_per_megabyte", payload="medium"), OVER_NONE),
    "Mbit/s, 1344 B": udp("goodput", payload="1344"),
}
SIZES = {
    f"{title} {payload}": joined(OVER_NONE, at(SATURATED, transport=transport, payload=payload))
    for transport, title in LEVELS.items()
    for payload in ("small", "medium", "large")
}
"""the parts of a question for a metric relative to no IPsec, by transport and size of payload"""
SLOPE: Asked = {
    "quantity": "slope", "metric": "jitter", "over": "payload", "of": {"payload": "studied"},
    "scale": 1000,
}  # fmt: skip
"""slope of jitter against payload [ms for 1000 bytes]"""
SLOPES = {
    f"{title}, {load}": at(SLOPE, transport=transport, load=load)
    for load in ("moderate", "saturation")
    for transport, title in LEVELS.items()
}
STUDIED: Asked = {"where": {"suite": "studied", "load": "saturation"}}
UDP_OVER_TCP: Asked = {
    **STUDIED, "quantity": "ratio", "of": {"transport": "udp"}, "to": {"transport": "tcp"},
}  # fmt: skip
"""the question of statement weerawarna-x-udp-gt-tcp"""
RATES = at(UDP_OVER_TCP | {"metric": "goodput"})
NUMBERS: dict[str, Asked] = {
    **{
        f"Cost{name}": at(COSTS["over no IPsec, medium"], suite=suite)
        for name, suite in (("TripleDes", "3des-sha1"), ("Gcm", "aes128gcm16"))
    },
    **{
        f"Udp{name}": udp("goodput", payload="1344", suite=suite)
        for name, suite in (("None", "none"), ("TripleDes", "3des-sha1"), ("Gcm", "aes128gcm16"))
    },
    "UdpOverTcp": at(RATES, payload="studied"),
    "UdpOverTcpSmall": at(RATES, payload="small"),
    "UdpOverTcpMiddle": at(RATES, payload=[768, 1024, 1152, 1280, 1344, 1408]),
    # TCP puts several small writes into a packet, and client1 and gw1 fill the core that they
    # share.
    "WriteTime": at(UDP_OVER_TCP | {"metric": "cpu_per_write"}, payload="small"),
    "WritePackets": at(STUDIED | {"metric": "packets_per_write"}, payload="small", transport="tcp"),
}
"""name of a number -> its question"""


class Sweep:
    """The trials of scenario algorithm-sweep. If there is a campaign on Linux, only `windows`
    covers other systems."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, self._estimator = notebook, estimator
        self._systems = by_system(notebook.tables)
        self.system, data = next(iter(self._systems.items()))
        notebook.only(set(data["trials"]["campaign"]))
        self.offsets, flows, notebook.summaries = self._analysed(data)
        notebook.tables["observations"] = flows
        self.cells = cell_estimates(notebook.summaries, data.factors)
        self.suites = each("suite", notebook.measured("suite"))
        self.payloads = sorted(set(self.cells["payload"]), key=int)
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

    def _analysed(self, data: Tables) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
        """For one operating system: offsets of the hosts' clocks, observations of flows with
        corrected delays, and summaries."""
        notebook, factors = self.notebook, data.factors
        offsets = clock_offsets(data["observations"], "clock_there", "clock_back")
        flows = correct_delays(data["observations"].query("probe == 'flow'"), offsets)
        counters = data["counters"]
        of_flow = counters.query("probe == 'flow'")
        packets = arrived_packets(data, notebook.scenario)
        gateways = notebook.scenario.topology.gateways
        summaries = pd.concat(
            [
                trial_summaries(flows, factors, self._estimator),
                costs(counters, flows, factors, "cpu_per_megabyte", gateways),
                costs(of_flow, packets, factors, "cpu_per_packet", gateways),
                costs(counters, flows, factors, "cpu_per_write", SENDING),
                costs(counters, flows, factors, "packets_per_write", ["gw1"]),
            ],
            ignore_index=True,
        )
        return offsets, flows, summaries

    def curves(
        self,
        metric: str,
        load: str,
        name: str,
        floor: float | None = None,
        table: pd.DataFrame | None = None,
    ) -> alt.TopLevelMixin:
        """Small multiples of one metric: a panel per suite, with the limits of fragmentation. With
        `floor`, on a logarithmic scale that begins there. `name` is the metric's."""
        cells = self.cells if table is None else table
        chosen = cells[(cells["metric"] == metric) & (cells["load"] == load)]
        chosen = chosen.assign(
            panel=chosen["suite"],
            level=chosen["transport"].map(LEVELS),
            x=chosen["payload"].astype(int),
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
        """Keep numbers for paper and site."""
        notebook, results = self.notebook, self.notebook.results
        asked.hand_over(notebook, NUMBERS)
        for name, suite in (("Aes", "aes128-sha1"), ("Gcm", "aes128gcm16")):
            says = "largest UDP payload in one packet of 1500 bytes, computed from the RFCs, "
            most = self.limits.loc[suite, "UDP payload"]
            results.number(f"Limit{name}", most, 0, r"\byte", says + suite)

    def windows(self) -> str:
        """Show Windows hosts next to Linux; returns whether there are any, in words."""
        if "Windows" not in self._systems:
            return "Not yet run on Windows"
        if self.system == "Windows":
            return "Run on Windows only"
        data = self._systems["Windows"]
        cells = cell_estimates(self._analysed(data)[-1], data.factors)
        for metric in ("goodput", "delay_mean", "jitter"):
            load = "saturation" if metric == "goodput" else "moderate"
            if metric in set(cells["metric"]):
                for name, table in ((self.system, self.cells), ("Windows", cells)):
                    display(self.curves(metric, load, f"{metric}, {name}", table=table))
        return "Run on Linux and Windows"


NAMES = {"linux": "Linux", "windows": "Windows"}
"""name in the tables -> name that is printed, in the order of printing"""


def by_system(tables: Tables) -> dict[str, Tables]:
    """Tables of each operating system of some campaign: 'Linux' or 'Windows' -> tables. The hosts
    of a campaign all have the same system. Blocks of two campaigns may have the same number, so
    tables must be split by system before they are grouped by block."""
    known = tables["trials"].dropna(subset=["os"]).groupby("campaign", observed=True)["os"].first()
    return {
        title: tables.of_campaigns(set(known.index[known == system]))
        for system, title in NAMES.items()
        if system in set(known)
    }


LIMIT_MS = 1.0
"""largest error of an offset at which one-way delays of the trial are still reported [ms]"""


def clock_offsets(observations: pd.DataFrame, there: str, back: str) -> pd.DataFrame:
    """One row per block and trial: `offset` of the receiver's clock and `bound` on its error [ms],
    from the metric delay_min of the probes `there` and `back`."""
    least = observations[observations["metric"] == "delay_min"].pivot_table(
        index=["block", "trial"], columns="probe", values="value", observed=True
    )
    # Tools without one-way delays, such as iperf3, cannot compare clocks.
    least = least.reindex(columns=[there, back])
    return pd.DataFrame(
        {"offset": (least[there] - least[back]) / 2, "bound": (least[there] + least[back]) / 2}
    )


def correct_delays(observations: pd.DataFrame, offsets: pd.DataFrame) -> pd.DataFrame:
    """The observations, with the clock offset of each trial subtracted from every delay. Delays of
    a trial whose offset may be wrong by more than `limit` [ms] are left out."""
    known = offsets[offsets["bound"] <= LIMIT_MS]["offset"]
    offset = (
        observations[["block", "trial"]]
        .merge(known, how="left", left_on=["block", "trial"], right_index=True)["offset"]
        .to_numpy()
    )
    delays = of_kind(observations["metric"], "one-way").to_numpy()
    value = np.where(delays, observations["value"] - offset, observations["value"])
    return observations.assign(value=value)[~(delays & np.isnan(offset))]
