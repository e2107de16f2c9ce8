"""Like against like in few blocks. A comparison over blocks needs three; one round has one or two.
Each pair of arms in one cell and block is therefore a pair of its own here: cells of a metric take
the place of blocks, and one comparison is over all pairs of a metric."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from remeasure.paper.notebook.results import own

_NO_CELL = ("trial", "unit", "value")


def sources(notebooks: dict[str, Any]) -> Iterable[tuple[str, pd.DataFrame, str, Any, Any]]:
    """Name, summaries, factor, its two levels, and pairs of probe and metric of each comparison
    that notebook `calibration` makes, for the scenarios in `notebooks`."""
    asks = own("calibration", "asks")
    arms = {"calibration, a against b": ("arm", ("a", "b"), list(asks.OWN.values()))}
    for name, (factor, levels, metrics) in (arms | asks.OTHERS).items():
        if (notebook := notebooks.get(name.partition(",")[0])) is not None:
            table = notebook.summaries
            if factor == "mode":
                table = table[table["suite"] == "none"]
            if "way" in table:
                table = table[table["way"].isin(["", "harness"])]
            yield name, table, factor, levels, metrics


def pairs(notebooks: dict[str, Any]) -> pd.DataFrame:
    """One row per pair of arms. Columns: source, probe, metric, ratio (its logarithm)."""
    found = []
    for name, table, factor, levels, metrics in sources(notebooks):
        cell = [column for column in table if column not in (*_NO_CELL, factor)]
        for probe, metric in metrics:
            chosen = table[(table["probe"] == probe) & (table["metric"] == metric)]
            wide = chosen.pivot_table(index=cell, columns=factor, values="value", observed=True)
            if {*levels} <= {*wide}:
                both = np.log(wide[levels[1]] / wide[levels[0]]).replace([np.inf, -np.inf], np.nan)
                found += [(name, probe, metric, ratio) for ratio in both.dropna()]
    return pd.DataFrame(found, columns=["source", "probe", "metric", "ratio"])


def compared(of: pd.DataFrame, blocks: int) -> pd.DataFrame:
    """One row per source, probe and metric of `pairs`. Columns: pairs; half (half width of the
    ratio of two arms over so many blocks [%]); false (whether the pairs differ for certain, by
    Student's test at 5 %); NaN and False for one pair."""
    rows = {}
    for key, ratios in of.groupby(["source", "probe", "metric"], sort=False)["ratio"]:
        n, spread = len(ratios), float(ratios.std(ddof=1)) if len(ratios) > 1 else np.nan
        half = 100 * np.expm1(stats.t.ppf(0.975, blocks - 1) * spread / np.sqrt(blocks))
        certain = n > 1 and abs(ratios.mean()) > stats.t.ppf(0.975, n - 1) * spread / np.sqrt(n)
        rows[key] = (n, half, bool(certain))
    index = pd.MultiIndex.from_tuples(rows, names=["source", "probe", "metric"])
    return pd.DataFrame(list(rows.values()), index if rows else None, ["pairs", "half", "false"])
