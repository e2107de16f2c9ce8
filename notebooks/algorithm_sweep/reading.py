"""Systems, clocks and datagrams of the trials of scenario algorithm-sweep."""

import numpy as np
import pandas as pd

from remeasure.paper.analysis.summaries import Tables, of_kind

NAMES = {"linux": "Linux", "windows": "Windows"}
"""name in the tables -> name that is printed, in the order of printing"""


def by_system(tables: Tables) -> dict[str, Tables]:
    """Tables of each operating system of some campaign: 'Linux' or 'Windows' -> tables.

    The hosts of a campaign all have the same system. Blocks of two campaigns may have the same
    number, so tables must be split by system before they are grouped by block.
    """
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


def correct_delays(
    observations: pd.DataFrame, offsets: pd.DataFrame, limit: float = LIMIT_MS
) -> pd.DataFrame:
    """The observations, with the clock offset of each trial subtracted from every delay. Delays of
    a trial whose offset may be wrong by more than `limit` [ms] are left out."""
    known = offsets[offsets["bound"] <= limit]["offset"]
    offset = (
        observations[["block", "trial"]]
        .merge(known, how="left", left_on=["block", "trial"], right_index=True)["offset"]
        .to_numpy()
    )
    delays = of_kind(observations["metric"], "one-way").to_numpy()
    value = np.where(delays, observations["value"] - offset, observations["value"])
    return observations.assign(value=value)[~(delays & np.isnan(offset))]
