"""How busy the processors of both hosts of a transfer were, and what that gave."""

import pandas as pd


def busy_metrics(summaries: pd.DataFrame, sender: str, receiver: str) -> pd.DataFrame:
    """Summaries of further metrics, columns as those of `trial_summaries`, from <host>_busy (%) and
    throughput (Mbit/s): hosts_busy (%, mean of both hosts), receiver_less_sender (points),
    sender_receiver_gap (points, its size), cores_per_gbit (processors of one host, both hosts'
    mean, for each Gbit/s). `cpus` is a factor."""
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
