"""From observations to one number per trial, which is the unit of replication.

Estimates, claims and figures are computed from tables of *summaries*. One row is one trial, probe
and metric:

  block     number of the block within the campaign; blocks are resampled and paired
  trial     place of the trial in the order of its block
  <factor>  level of each factor, as text; empty if a factor within trials does not apply
  probe     name of the probe in the scenario
  metric    name of the measured quantity
  unit      unit of `value`; empty if it has none
  value     the estimator (mean, median, ...) over the trial's observations [unit]

`trial_summaries` makes it; metrics that come from counters or from other metrics are appended as
rows of the same columns (such as `costs`).
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from remeasure.bench.base.columns import TABLES
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import VIRTUAL
from remeasure.bench.probes import kinds_of
from remeasure.bench.probes.metrics import MetricKind
from remeasure.paper.tidy.parquet import read_parquet

_WORD = pd.StringDtype("python", na_value=np.nan)
"""the type of columns of words. They repeat few words: references are chosen and compared faster
than copies of bytes, the default of pandas"""


def of_kind(metrics: pd.Series, *kinds: MetricKind) -> pd.Series:
    """Whether each metric of a column is of one of these kinds."""
    return metrics.isin([name for name in metrics.unique() if kinds_of(name) & {*kinds}])


class Tables(dict[str, pd.DataFrame]):
    """The tidy tables of a scenario, by name (columns.TABLES describes their contents)."""

    def __init__(self, tables: dict[str, pd.DataFrame], between: list[str], within: list[str]):
        super().__init__(tables)
        self.between = between
        """factors that vary between trials: columns of every table; set by `read_tables`"""
        self.within = within
        """factors that vary within trials: columns of observations and counters"""

    @property
    def factors(self) -> list[str]:
        """All factors, in the order of the columns of observations."""
        return [*self.between, *self.within]

    def of_campaigns(self, campaigns: Collection[str]) -> "Tables":
        """The tables with only the rows of some campaigns."""
        chosen = {}
        for name, table in self.items():
            here = table["campaign"].isin(campaigns)
            chosen[name] = table if here.all() else table[here]
        return Tables(chosen, self.between, self.within)


def read_tables(
    folder: Path, names: Collection[str] = tuple(TABLES), virtual: bool | str = False
) -> Tables:
    """The tidy tables of a scenario, from <folder>/<table>.parquet; `names`: the needed ones,
    observations among them. With the table of runs, observations and counters of disturbed runs are
    left out (see `undisturbed`). Campaigns in virtual time answer another question. They are left
    out, unless there are no others; with `virtual`, only they are read. If
    `virtual` is a word of column hosts, such as `virtual 5.9.8`, only campaigns with these hosts
    are read. Raises UserError if a table is missing or damaged, or does not tell which of its
    columns are factors."""
    tables, metadata = {}, {}
    for name in names:
        path = Path(folder) / f"{name}.parquet"
        table = read_parquet(path)
        metadata[name] = table.schema.metadata or {}
        if not {b"factors", b"within"} <= set(metadata[name]):
            raise UserError(f"{path}: does not name its factors; make it again with snakemake")
        tables[name] = _as_text(table.to_pandas())
    factors, within = (json.loads(metadata["observations"][key]) for key in (b"factors", b"within"))
    between = [factor for factor in factors if factor not in within]
    found = Tables(tables, between, within).of_campaigns(_campaigns(Path(folder), virtual))
    return undisturbed(found) if "runs" in found else found


def _campaigns(folder: Path, virtual: bool | str) -> set[str]:
    """The campaigns in a folder of tables that `read_tables` reads."""
    trials = read_parquet(folder / "trials.parquet").select(["campaign", "hosts"]).to_pandas()
    hosts = trials.drop_duplicates().set_index("campaign")["hosts"].astype(str)
    if virtual:
        return set(hosts.index[hosts == (VIRTUAL if virtual is True else virtual)])
    kinds = [~hosts.str.startswith(VIRTUAL), hosts == VIRTUAL, hosts != VIRTUAL]
    return next((set(hosts.index[kind]) for kind in kinds if kind.any()), set())


def undisturbed(tables: Tables) -> Tables:
    """The tables without observations and counters of suspect runs (columns.TABLES: runs), if the
    trial has another run of the same probe at the same levels. Otherwise the runs stay, and the
    table of runs, which is kept whole, shows that all were disturbed."""
    runs = tables["runs"]
    cell = ["campaign", "block", "trial", *tables.factors, "probe"]
    suspect = runs["verdict"] == "suspect"
    others = (~suspect).groupby([runs[key] for key in cell], observed=True).transform("any")
    out = runs.loc[suspect & others, [*cell, "repeat"]]
    if out.empty:
        return tables
    left = {
        name: tables[name].merge(out, how="left_anti")
        for name in ("observations", "counters")
        if name in tables
    }
    return Tables({**tables, **left}, tables.between, tables.within)


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    """The table with words as text. A missing level becomes empty text, because grouping would drop
    it."""
    for column in table.select_dtypes("category"):
        # A missing level has the code -1, which is the last place.
        levels = pd.array([*table[column].cat.categories.astype(str), ""], dtype=_WORD)
        table[column] = levels.take(table[column].cat.codes.to_numpy())
    return table


def trial_summaries(
    observations: pd.DataFrame, factors: list[str], estimator: str = "mean"
) -> pd.DataFrame:
    """Summaries of every probe and metric that was observed. `estimator` is the name of an
    aggregation of pandas. Pings of one trial, or repeats of one run, are not independent; trials of
    different blocks are."""
    keys = ["block", "trial", *factors, "probe", "metric", "unit"]
    groups = observations.groupby(keys, observed=True, sort=True)
    return groups["value"].agg(estimator).reset_index()


def paired(
    summaries: pd.DataFrame, probe: str, metric: str, factor: str, **where: str
) -> pd.DataFrame:
    """Values to compare within blocks: one row per block, one column per level of `factor` [unit of
    the metric]. `where` fixes the other factors. A block that lacks a level (a rejected trial) is
    left out."""
    chosen = summaries[(summaries["probe"] == probe) & (summaries["metric"] == metric)]
    for other, level in where.items():
        chosen = chosen[chosen[other] == level]
    return chosen.pivot(index="block", columns=factor, values="value").dropna()


@dataclass(frozen=True)
class Cost:
    """A cost of a run: the change of a counter per amount of traffic."""

    counter: str
    scale: float
    """one step of the counter in the cost's unit"""
    unit: str


METRICS = {
    "cpu_per_megabyte": Cost("cpu_ms", 1, "ms/MB"),
    "segments_per_megabyte": Cost("TcpOutSegs", 1, "segments/MB"),
    "cpu_per_packet": Cost("cpu_ms", 1000, "us/packet"),
    "packets_per_write": Cost("sa_out_packets", 1, "packets/write"),
}
"""metric -> its counter and unit: the cost of 10^6 bytes of payload, of one IP packet, or of one
write of a program's payload, that arrived"""


def gateways_in(counters: pd.DataFrame) -> list[str]:
    """The hosts that received packets on more than one link of the network, without the lab's own
    interface `control`."""
    of_links = r"(?!control_).*_rx_packets"
    received = counters[counters["counter"].str.fullmatch(of_links)]
    links = received.groupby("host", observed=True)["counter"].nunique()
    return list(links.index[links > 1])


def costs(
    counters: pd.DataFrame, arrived: pd.DataFrame, factors: list[str], metric: str, hosts: list[str]
) -> pd.DataFrame:
    """Summaries (summaries.py) of a cost of METRICS, over `hosts` together: the mean over the runs
    of a trial. `arrived`: the observations, for their payload; for a cost per packet, the packets
    of each run (limits.run_loads.arrived_packets)."""
    cost = METRICS[metric]
    kinds = ["cpu_run_us", "cpu_ms"] if cost.counter == "cpu_ms" else [cost.counter]
    used = counters[counters["host"].isin(hosts) & counters["counter"].isin(kinds)]
    if cost.counter == "cpu_ms":
        used = machine_time(used)
    spent = _by_run(used.assign(value=used["change"] * cost.scale), factors)
    amount = _by_run(_amount(arrived, cost.unit), factors)
    found = (spent / amount[amount > 0]).dropna().rename("value").reset_index()
    return trial_summaries(found.assign(metric=metric, unit=cost.unit), factors)


def _amount(arrived: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Megabytes, writes or packets that arrived; a write has the level of factor `payload` [B]."""
    if unit.endswith("/packet"):
        return arrived
    received = arrived[of_kind(arrived["metric"], "payload")]
    size = 1e6 if unit.endswith("/MB") else received["payload"].astype(float)
    return received.assign(value=received["value"] / size)


def machine_time(counters: pd.DataFrame) -> pd.DataFrame:
    """The rows of `counters` with the processor time of hosts [ms], one per run and host, all under
    the name cpu_ms."""
    precise = counters[counters["counter"] == "cpu_run_us"]
    ticks = counters[counters["counter"] == "cpu_ms"]
    both = pd.concat([precise.assign(change=precise["change"] / 1000, counter="cpu_ms"), ticks])
    return both.drop_duplicates([c for c in both if c not in ("change", "file")])


def _by_run(table: pd.DataFrame, factors: list[str]) -> pd.Series:
    keys = ["block", "trial", *factors, "probe", "repeat"]
    return table.groupby(keys, observed=True)["value"].sum()
