"""The cost of a transfer: processor time, bytes on the wire and segments, from counters."""

import pandas as pd

METRICS = {
    "cpu_per_megabyte": ("cpu_ms", "ms/MB"),
    "wire_per_megabyte": ("wire_tx_bytes", "B/MB"),
    "segments_per_megabyte": ("TcpOutSegs", "segments/MB"),
}
"""metric -> the counter it is made from, and its unit"""


def per_megabyte(
    counters: pd.DataFrame,
    observations: pd.DataFrame,
    factors: list[str],
    metric: str,
    hosts: list[str],
) -> pd.DataFrame:
    """Summaries (see summaries.py) of `metric`, one of METRICS: the change of its counter, summed
    over `hosts`, for each 10^6 bytes of payload that a trial's probe received."""
    counter, unit = METRICS[metric]
    keys = ["block", "trial", *factors, "probe"]
    used = counters[(counters["counter"] == counter) & counters["host"].isin(hosts)]
    used = used.groupby(keys, observed=True)["change"].sum()
    received = observations[observations["metric"] == "received_bytes"]
    received = received.groupby(keys, observed=True)["value"].sum()
    table = (used / (received / 1e6)).dropna().rename("value").reset_index()
    return table.assign(metric=metric, unit=unit)
