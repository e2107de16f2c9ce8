"""What a transfer cost: processor time and bytes on the wire, from counters."""

import pandas as pd


def per_megabyte(
    counters: pd.DataFrame,
    observations: pd.DataFrame,
    factors: list[str],
    counter: str,
    hosts: list[str],
    metric: str,
    unit: str,
) -> pd.DataFrame:
    """Summaries (see summaries.py) of a new metric: the change of `counter`, summed over `hosts`,
    for each 10^6 bytes of payload that a trial's probe received [unit]."""
    keys = ["block", "trial", *factors, "probe"]
    used = counters[(counters["counter"] == counter) & counters["host"].isin(hosts)]
    used = used.groupby(keys, observed=True)["change"].sum()
    received = observations[observations["metric"] == "received_bytes"]
    received = received.groupby(keys, observed=True)["value"].sum()
    table = (used / (received / 1e6)).dropna().rename("value").reset_index()
    return table.assign(metric=metric, unit=unit)
