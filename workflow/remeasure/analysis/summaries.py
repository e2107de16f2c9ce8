"""From observations to one number a trial: the unit of replication."""

from pathlib import Path

import pandas as pd

from remeasure.errors import UserError


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The tidy tables of a scenario by name, from <folder>/<table>.parquet."""
    tables = {path.stem: pd.read_parquet(path) for path in sorted(Path(folder).glob("*.parquet"))}
    if not tables:
        raise UserError(f"{folder}: no tables here; build them with snakemake")
    for table in tables.values():
        for column in table.select_dtypes("category"):
            # A factor that is not one of a probe's has no level there; a group without one is lost.
            table[column] = table[column].astype(str).fillna("")
    return tables


def factors_of(table: pd.DataFrame) -> list[str]:
    """The columns between the keys of a trial and what was measured: of the trials table the
    factors between trials, of the observations also those within."""
    columns = list(table.columns)
    end = columns.index("attempt" if "attempt" in columns else "probe")
    return columns[columns.index("trial") + 1 : end]


def trial_summaries(
    observations: pd.DataFrame, factors: list[str], estimator: str = "mean"
) -> pd.DataFrame:
    """One row a trial, probe and metric: `value` is the estimator over what the trial observed.

    Pings of one trial, or repeats of one run, are not independent; trials of different blocks are.
    """
    keys = ["block", "trial", *factors, "probe", "metric", "unit"]
    groups = observations.groupby(keys, observed=True, sort=True)
    return groups["value"].agg(estimator).reset_index()


def paired(
    summaries: pd.DataFrame, probe: str, metric: str, factor: str, **where: str
) -> pd.DataFrame:
    """One row a block, one column a level of `factor`: what is to be compared within blocks.

    `where` fixes the other factors. Blocks that lack a level (a rejected trial) are dropped.
    """
    chosen = summaries[(summaries["probe"] == probe) & (summaries["metric"] == metric)]
    for other, level in where.items():
        chosen = chosen[chosen[other] == level]
    return chosen.pivot(index="block", columns=factor, values="value").dropna()
