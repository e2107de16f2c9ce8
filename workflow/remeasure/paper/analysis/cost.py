"""The cost of a transfer: processor time, bytes on the wire and segments, run by run.

Processor time of a host is the time that its processes used on the machine under it, from directly
before a run of a probe to directly after it (counter cpu_run_us). Blocks of earlier software have
ticks between readings of counters instead (cpu_ms). We use no time that a guest counts: it includes
time at which the guest did not run.
"""

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


def per_megabyte(
    counters: pd.DataFrame,
    observations: pd.DataFrame,
    factors: list[str],
    metric: str,
    hosts: list[str],
) -> pd.DataFrame:
    """Summaries (summaries.py) of `metric` per megabyte, over `hosts` together: the mean over the
    runs of a trial."""
    received = observations[of_kind(observations["metric"], "payload")]
    megabytes = received.assign(value=received["value"] / 1e6)
    return trial_summaries(run_costs(counters, megabytes, factors, metric, hosts), factors)


def per_write(
    counters: pd.DataFrame,
    observations: pd.DataFrame,
    factors: list[str],
    metric: str,
    hosts: list[str],
) -> pd.DataFrame:
    """Summaries of `metric` per write, over `hosts` together, of runs whose payload [B] is the
    factor `payload`."""
    received = observations[of_kind(observations["metric"], "payload")]
    writes = received.assign(value=received["value"] / received["payload"].astype(float))
    return trial_summaries(run_costs(counters, writes, factors, metric, hosts), factors)


def per_packet(
    counters: pd.DataFrame, packets: pd.DataFrame, factors: list[str], hosts: list[str]
) -> pd.DataFrame:
    """Summaries of cpu_per_packet over `hosts` together: the mean over the runs of a trial.
    `packets`: the packets of each run that arrived (limits.run_loads.arrived_packets)."""
    costs = run_costs(counters, packets, factors, "cpu_per_packet", hosts)
    return trial_summaries(costs, factors)


def gateways_in(counters: pd.DataFrame) -> list[str]:
    """The hosts that received packets on more than one link of the network, without the lab's own
    interface `control`."""
    of_links = r"(?!control_).*_rx_packets"
    received = counters[counters["counter"].str.fullmatch(of_links)]
    links = received.groupby("host", observed=True)["counter"].nunique()
    return list(links.index[links > 1])


def run_costs(
    counters: pd.DataFrame,
    traffic: pd.DataFrame,
    factors: list[str],
    metric: str,
    hosts: list[str],
) -> pd.DataFrame:
    """One row per run of a probe: block, trial, factors, probe, repeat; metric, unit and value of
    its cost, over `hosts` together. `traffic`: megabytes, packets or writes that arrived in each
    run."""
    cost = METRICS[metric]
    kinds = ["cpu_run_us", "cpu_ms"] if cost.counter == "cpu_ms" else [cost.counter]
    used = counters[counters["host"].isin(hosts) & counters["counter"].isin(kinds)]
    if cost.counter == "cpu_ms":
        used = machine_time(used)
    spent = _by_run(used.assign(value=used["change"] * cost.scale), factors)
    arrived = _by_run(traffic, factors)
    found = (spent / arrived[arrived > 0]).dropna().rename("value").reset_index()
    return found.assign(metric=metric, unit=cost.unit)


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
