"""The cost of a transfer: processor time, bytes on the wire and segments, run by run. Processor
time of a host is the time that its processes used on the machine under it, from directly before a
run of a probe to directly after it (counter cpu_run_us). Blocks of earlier software have ticks
between readings of counters instead (cpu_ms). We use no time that a guest counts: it includes time
at which the guest did not run."""

from dataclasses import dataclass

import pandas as pd

from remeasure.paper.analysis.summaries import of_kind, trial_summaries


@dataclass(frozen=True)
class Cost:
    """A cost of a run: the change of a counter per amount of traffic."""

    counter: str
    scale: float
    """one step of the counter in the cost's unit"""
    unit: str


METRICS = {
    "cpu_per_megabyte": Cost("cpu_ms", 1, "ms/MB"),
    "segments_per_megabyte": Cost("TcpOutSegs", 1, "segments/MB"),
    "cpu_per_packet": Cost("cpu_ms", 1000, "us/packet"),
    "cpu_per_write": Cost("cpu_ms", 1000, "us/write"),
    "packets_per_write": Cost("sa_out_packets", 1, "packets/write"),
}
"""metric -> its counter and unit: the cost of 10^6 bytes of payload, of one IP packet, or of one
write of a program's payload, that arrived"""


def gateways_in(counters: pd.DataFrame) -> list[str]:
    """The hosts that received packets on more than one link of the network, without the lab's own
    interface `control`."""
    of_links = r"(?!control_).*_rx_packets"
    received = counters[counters["counter"].str.fullmatch(of_links)]
    links = received.groupby("host", observed=True)["counter"].nunique()
    return list(links.index[links > 1])


def costs(
    counters: pd.DataFrame,
    arrived: pd.DataFrame,
    factors: list[str],
    metric: str,
    hosts: list[str],
) -> pd.DataFrame:
    """Summaries (summaries.py) of a cost of METRICS, over `hosts` together: the mean over the runs
    of a trial. `arrived`: the observations, for their payload; for a cost per packet, the packets
    of each run (limits.run_loads.arrived_packets)."""
    cost = METRICS[metric]
    kinds = ["cpu_run_us", "cpu_ms"] if cost.counter == "cpu_ms" else [cost.counter]
    used = counters[counters["host"].isin(hosts) & counters["counter"].isin(kinds)]
    if cost.counter == "cpu_ms":
        used = machine_time(used)
    spent = _by_run(used.assign(value=used["change"] * cost.scale), factors)
    amount = _by_run(_amount(arrived, cost.unit), factors)
    found = (spent / amount[amount > 0]).dropna().rename("value").reset_index()
    return trial_summaries(found.assign(metric=metric, unit=cost.unit), factors)


def _amount(arrived: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Megabytes, writes or packets that arrived; a write has the level of factor `payload` [B]."""
    if unit.endswith("/packet"):
        return arrived
    received = arrived[of_kind(arrived["metric"], "payload")]
    size = 1e6 if unit.endswith("/MB") else received["payload"].astype(float)
    return received.assign(value=received["value"] / size)


def machine_time(counters: pd.DataFrame) -> pd.DataFrame:
    """The rows of `counters` with the processor time of hosts [ms], one per run and host, all under
    the name cpu_ms."""
    precise = counters[counters["counter"] == "cpu_run_us"]
    ticks = counters[counters["counter"] == "cpu_ms"]
    both = pd.concat([precise.assign(change=precise["change"] / 1000, counter="cpu_ms"), ticks])
    return both.drop_duplicates([c for c in both if c not in ("change", "file")])


def _by_run(table: pd.DataFrame, factors: list[str]) -> pd.Series:
    keys = ["block", "trial", *factors, "probe", "repeat"]
    return table.groupby(keys, observed=True)["value"].sum()
