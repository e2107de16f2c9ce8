"""The cost of a transfer: processor time, bytes on the wire and segments, run by run.

The processor time of a host is what its processes used on the machine under it from directly
before a run of a probe to directly after it (counter cpu_run_us). Blocks of earlier software lack
that, and have the time from the reading of counters before the run to the reading after it, in
ticks (cpu_ms). What a guest counts itself is used for no cost: it counts time at which it was not
running.
"""

from dataclasses import dataclass

import pandas as pd

from remeasure.analysis.summaries import trial_summaries


@dataclass(frozen=True)
class Cost:
    """A cost of a run: how much a counter moved, for so much traffic."""

    counter: str
    scale: float
    """what one step of the counter counts in the cost's unit"""
    unit: str


_PER_MEGABYTE = {
    "cpu_per_megabyte": Cost("cpu_ms", 1, "ms/MB"),
    "wire_per_megabyte": Cost("wire_tx_bytes", 1, "B/MB"),
    "segments_per_megabyte": Cost("TcpOutSegs", 1, "segments/MB"),
}
"""metric -> the cost of 10^6 bytes of payload that arrived"""
_PER_PACKET = {"cpu_per_packet": Cost("cpu_ms", 1000, "us/packet")}
"""metric -> the cost of one IP packet that arrived"""
METRICS = _PER_MEGABYTE | _PER_PACKET
"""metric -> what it is made from, and its unit"""


def per_megabyte(
    counters: pd.DataFrame,
    observations: pd.DataFrame,
    factors: list[str],
    metric: str,
    hosts: list[str],
) -> pd.DataFrame:
    """Summaries (see summaries.py) of `metric`, one of a megabyte, over `hosts` together: the
    mean over the runs of a trial."""
    received = observations[observations["metric"] == "received_bytes"]
    received = _by_run(received.assign(value=received["value"] / 1e6), factors)
    return _summaries(counters, received, factors, metric, _PER_MEGABYTE[metric], hosts)


def per_packet(
    counters: pd.DataFrame, packets: pd.DataFrame, factors: list[str], hosts: list[str]
) -> pd.DataFrame:
    """Summaries of cpu_per_packet over `hosts` together: the mean over the runs of a trial.
    `packets`: the packets of each run that arrived (models.run_loads.arrived_packets)."""
    metric, cost = next(iter(_PER_PACKET.items()))
    return _summaries(counters, _by_run(packets, factors), factors, metric, cost, hosts)


def machine_time(counters: pd.DataFrame) -> pd.DataFrame:
    """The rows of `counters` with the processor time of hosts, in ms, one for each run and host.
    The counter is called cpu_ms in all of them, wherever the time comes from."""
    precise = counters[counters["counter"] == "cpu_run_us"]
    ticks = counters[counters["counter"] == "cpu_ms"]
    both = pd.concat([precise.assign(change=precise["change"] / 1000, counter="cpu_ms"), ticks])
    return both.drop_duplicates([c for c in both if c not in ("change", "file")])


def _by_run(table: pd.DataFrame, factors: list[str]) -> pd.Series:
    keys = ["block", "trial", *factors, "probe", "repeat"]
    return table.groupby(keys, observed=True)["value"].sum()


def _summaries(
    counters: pd.DataFrame,
    traffic: pd.Series,
    factors: list[str],
    metric: str,
    cost: Cost,
    hosts: list[str],
) -> pd.DataFrame:
    counters = counters[counters["host"].isin(hosts)]
    if cost.counter == "cpu_ms":
        counters = machine_time(counters)
    used = counters[counters["counter"] == cost.counter]
    spent = _by_run(used.assign(value=used["change"] * cost.scale), factors)
    found = (spent / traffic[traffic > 0]).dropna().rename("value").reset_index()
    return trial_summaries(found.assign(metric=metric, unit=cost.unit), factors)
