"""Every comparison of a study made again with our own trials."""

from dataclasses import asdict

import pandas as pd

from remeasure.analysis.corrections import holm
from remeasure.analysis.estimates import block_bootstrap, cell_jackknife, difference, mean_of, ratio
from remeasure.analysis.lineage import remember
from remeasure.analysis.paired_tests import paired_tests
from remeasure.analysis.summaries import paired

LEVELS = ["psk", "rsa"]


def compare_arms(summaries: pd.DataFrame, published: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """One row a published comparison, with our estimates beside it.

    `published` has columns id, probe, metric, unit, network, psk, rsa, p. Added columns: n (pairs,
    one a block); ours_psk, ours_rsa, diff, ratio, each with _low and _high; p_t, p_holm (over all
    comparisons), p_wilcoxon, cohen_d.
    """
    rows = []
    for row in published.itertuples():
        pairs = paired(summaries, row.probe, row.metric, "auth", network=row.network)
        blocks = pairs.reindex(columns=LEVELS).to_numpy()
        estimates = {
            "ours_psk": block_bootstrap(blocks, mean_of(0), seed),
            "ours_rsa": block_bootstrap(blocks, mean_of(1), seed),
            "diff": block_bootstrap(blocks, difference, seed),
            "ratio": block_bootstrap(blocks, ratio, seed),
        }
        for name, estimate in estimates.items():
            arm = name.removeprefix("ours_")
            cells = [
                {"network": row.network, "probe": row.probe, "auth": auth}
                for auth in ([arm] if arm in LEVELS else LEVELS)
            ]
            remember(estimate, f"{name} of {row.metric}", row.metric, cells, pairs.index)
        test = paired_tests(blocks[:, 0], blocks[:, 1])
        rows.append(
            {
                **row._asdict(),
                "n": len(blocks),
                **{
                    f"{name}{suffix}": getattr(estimate, field)
                    for name, estimate in estimates.items()
                    for suffix, field in (("", "value"), ("_low", "low"), ("_high", "high"))
                },
                "p_t": test.p_t,
                "p_wilcoxon": test.p_wilcoxon,
                "cohen_d": test.cohen_d,
            }
        )
    table = pd.DataFrame(rows).drop(columns="Index")
    return table.assign(p_holm=holm(table["p_t"]))


def cell_estimates(
    summaries: pd.DataFrame, factors: list[str], seed: int = 0, few_blocks: bool = False
) -> pd.DataFrame:
    """One row a cell, probe and metric: mean over blocks with its interval, and n (blocks).

    The interval is the bootstrap's, or Student's for campaigns of few blocks.
    """
    names, rows = [*factors, "probe", "metric", "unit"], []
    all_values, all_blocks = summaries["value"].to_numpy(), summaries["block"].to_numpy()
    for keys, places in sorted(summaries.groupby(names, observed=True).indices.items()):
        values = all_values[places, None]
        estimate = (
            cell_jackknife(values, lambda means: means[0])
            if few_blocks
            else block_bootstrap(values, mean_of(), seed)
        )
        row = dict(zip(names, keys, strict=True))
        cell = {factor: level for factor, level in row.items() if factor not in ("metric", "unit")}
        remember(estimate, f"mean {row['metric']}", row["metric"], [cell], all_blocks[places])
        rows.append(row | asdict(estimate))
    return pd.DataFrame(rows)
