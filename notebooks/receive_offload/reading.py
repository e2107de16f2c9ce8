"""Whether receive offload is why transport mode is slower than tunnel mode."""

import numpy as np
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate


def transport_over_tunnel(summaries: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Summaries (analysis.summaries) of the ratio of transport to tunnel mode in each block, at
    each level of factor `gro`, under the name of the metric."""
    chosen = summaries[summaries["metric"] == metric]
    wide = chosen.pivot_table("value", ["block", "gro"], "mode", observed=True)
    wide = wide.reindex(columns=["transport", "tunnel"])  # though all trials of one were rejected
    ratio = (wide["transport"] / wide["tunnel"]).dropna().rename("value").reset_index()
    probe = chosen["probe"].iloc[0]
    return ratio.assign(trial=1, mode="transport/tunnel", probe=probe, metric=metric, unit="")


def reading(on: Estimate, off: Estimate, change: Estimate) -> str:
    """The meaning of the rates, in words. `on` and `off`: rate in transport over tunnel mode, with
    receive offload and without; `change`: the second over the first."""
    if not all(np.isfinite([on.high, off.high, change.low])):
        return "too few blocks to tell, so the difference between the modes stays unexplained"
    if on.high >= 1:
        return "transport mode was not slower here, so there is no difference to explain"
    if change.low <= 1:
        return (
            "receive offload is not shown to be the reason (the interval of the factor contains "
            "1), so the difference between the modes stays unexplained"
        )
    if off.high < 1:
        return "receive offload explains part of the difference, and the rest stays unexplained"
    return "receive offload explains the difference"
