"""How busy hosts with several processors were, and which of their SAs carried packets."""

import pandas as pd

METRICS = {
    "hosts_busy": "%",
    "receiver_less_sender": "points",
    "sender_receiver_gap": "points",
    "cores_per_gbit": "cores per Gbit/s",
}
"""metric -> its unit"""


def busy_metrics(summaries: pd.DataFrame, sender: str, receiver: str) -> pd.DataFrame:
    """Summaries (analysis.summaries) of new metrics, from <host>_busy [%] and throughput [Mbit/s].

    hosts_busy [%]: mean of both hosts. receiver_less_sender [percentage points], and
    sender_receiver_gap, its absolute value. cores_per_gbit: processors in use at one host (mean of
    both) per Gbit/s. `cpus` must be a factor.
    """
    keys = [c for c in summaries.columns if c not in ("metric", "unit", "value")]
    wide = summaries.pivot_table(index=keys, columns="metric", values="value", observed=True)
    wide = wide[[f"{sender}_busy", f"{receiver}_busy", "throughput"]].dropna()
    mean = (wide[f"{sender}_busy"] + wide[f"{receiver}_busy"]) / 2
    less = wide[f"{receiver}_busy"] - wide[f"{sender}_busy"]
    cpus = wide.index.get_level_values("cpus").astype(int)
    metrics = {
        "hosts_busy": mean,
        "receiver_less_sender": less,
        "sender_receiver_gap": less.abs(),
        "cores_per_gbit": cpus * mean / 100 / (wide["throughput"] / 1000),
    }
    return pd.concat(
        [
            values.rename("value").reset_index().assign(metric=metric, unit=METRICS[metric])
            for metric, values in metrics.items()
        ],
        ignore_index=True,
    )


def carried_by_processor(counters: pd.DataFrame, host: str) -> pd.DataFrame:
    """Rows of `counters` that count packets of outbound SAs of single processors of `host`, with a
    new column `processor`, its number."""
    found = counters["counter"].str.extract(r"^sa_out_cpu(\d+)_packets$")[0]
    chosen = found.notna() & (counters["host"] == host)
    return counters[chosen].assign(processor=found[chosen])


def trials_carried_by_several(carried: pd.DataFrame) -> int:
    """Number of trials in which SAs of at least two processors carried packets; `carried` is the
    table of `carried_by_processor`, and may cover several campaigns."""
    moved = carried.groupby(["campaign", "block", "trial"], observed=True)["change"]
    return int(moved.agg(lambda changes: (changes > 0).sum() > 1).sum())
