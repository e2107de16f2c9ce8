"""How busy the processors of both hosts of a transfer were, and how much they carried."""

import pandas as pd


def busy_metrics(summaries: pd.DataFrame, sender: str, receiver: str) -> pd.DataFrame:
    """Summaries (see summaries.py) of new metrics, from <host>_busy [%] and throughput [Mbit/s].

    hosts_busy [%]: mean of both hosts. receiver_less_sender [percentage points], and
    sender_receiver_gap, its absolute value. cores_per_gbit: processors in use at one host (mean of
    both) for each Gbit/s. `cpus` must be a factor.
    """
    keys = [c for c in summaries.columns if c not in ("metric", "unit", "value")]
    wide = summaries.pivot_table(index=keys, columns="metric", values="value", observed=True)
    wide = wide[[f"{sender}_busy", f"{receiver}_busy", "throughput"]].dropna()
    mean = (wide[f"{sender}_busy"] + wide[f"{receiver}_busy"]) / 2
    less = wide[f"{receiver}_busy"] - wide[f"{sender}_busy"]
    cpus = wide.index.get_level_values("cpus").astype(int)
    metrics = {
        ("hosts_busy", "%"): mean,
        ("receiver_less_sender", "points"): less,
        ("sender_receiver_gap", "points"): less.abs(),
        ("cores_per_gbit", "cores per Gbit/s"): cpus * mean / 100 / (wide["throughput"] / 1000),
    }
    return pd.concat(
        [
            values.rename("value").reset_index().assign(metric=metric, unit=unit)
            for (metric, unit), values in metrics.items()
        ],
        ignore_index=True,
    )
