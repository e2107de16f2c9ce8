"""The tables of a pilot's report."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import campaign_folder
from remeasure.bench.campaign.judged_block import pace_of
from remeasure.bench.campaign.lengths import (
    Length,
    Measured,
    length_of,
    measured_blocks,
    released_campaigns,
)
from remeasure.bench.campaign.rounds import Rounds
from remeasure.paper.analysis.limits.rate_limits import GATEWAY
from remeasure.paper.analysis.summaries import machine_time
from remeasure.paper.publish.planning.like_against_like import compared, pairs
from remeasure.paper.publish.planning.plan_text import percent
from remeasure.paper.publish.planning.power import metrics_asked

SUITES = "suite-cost"
"""the scenario whose cells a gateway's processor should limit"""
_FROM_OUTSIDE = ("foreign processor use", "steal processor use", "was set by", "slept")
"""words in reasons for doubt that come from other programs, or from under the machine"""
_SUMS = "runs of probes were disturbed"
_COSTS = {"goodput", "cpu_per_packet", "cpu_per_megabyte"}
_SHOWN = 12
"""most rows of a table of reasons or cells"""


@dataclass(frozen=True)
class Pilot:
    """The blocks of a pilot, and its plan."""

    campaign: str
    plan: Rounds
    blocks: list[Measured]
    notebooks: dict[str, Any]
    """scenario -> its notebook on the pilot's trials"""

    @cached_property
    def planned(self) -> dict[str, Length]:
        """Scenario -> length of a block, expected before the pilot."""
        known = measured_blocks(c for c in released_campaigns() if c != self.campaign)
        return {name: length_of(self.plan.scenarios[name], known) for name in self.notebooks}

    @cached_property
    def lengths(self) -> dict[str, Length]:
        """Scenario -> length of a block by the pilot, else as planned."""
        known = measured_blocks(c for c in released_campaigns() if c != self.campaign)
        every = [*known, *self.blocks]
        return {name: length_of(one, every) for name, one in self.plan.scenarios.items()}

    @property
    def megabytes(self) -> float:
        """Size of all rounds [MB]."""
        plan = self.plan.scenarios
        return sum(one.design.blocks * self.lengths[name].megabytes for name, one in plan.items())

    @cached_property
    def refused(self) -> list[BlockArchive]:
        """Attempts at blocks that were measured again."""
        files = sorted(campaign_folder(self.campaign).glob("replaced/*/*.zip"))
        return [BlockArchive(file) for file in files]

    @cached_property
    def trials(self) -> pd.DataFrame:
        columns = ["scenario", "block", "trial", "verdict", "reasons", "duration", "probe_share"]
        return pd.concat([of.trials[columns] for of in self.notebooks.values()])


def lengths_table(pilot: Pilot) -> pd.DataFrame:
    """Blocks of the pilot: minutes and megabytes, measured and planned, share of traffic, and time
    of the fixed computation before trials as a multiple of the fastest scenario's."""
    inside = pilot.trials.assign(
        traffic=pilot.trials["duration"] * pilot.trials["probe_share"]
    ).groupby("scenario", observed=True)["traffic"]
    traffic = inside.sum()
    paces = {name: _pace(pilot.campaign, name) for name in pilot.planned}
    usual = min((pace for pace in paces.values() if np.isfinite(pace)), default=np.nan)
    rows = []
    for name, plan in pilot.planned.items():
        own = [one for one in pilot.blocks if one.scenario == name]
        seconds = sum(one.seconds for one in own)
        rows.append(
            {
                "scenario": name,
                "blocks": len(own),
                "minutes": f"{seconds / len(own) / 60:.1f}",
                "planned": f"{plan.minutes:.1f} ({plan.source})",
                "MB": f"{sum(one.megabytes for one in own) / len(own):.2f}",
                "planned MB": f"{plan.megabytes:.2f}",
                "in probes": f"{percent(traffic[name] / seconds)}",
                "pace": f"{paces[name] / usual:.2f}" if np.isfinite(paces[name]) else "",
            }
        )
    return pd.DataFrame(rows)


def _pace(campaign: str, scenario: str) -> float:
    paths = (campaign_folder(campaign) / scenario).glob("*.zip")
    return pace_of([trial.record for path in paths for trial in BlockArchive(path).trials])


def reasons_of(pilot: Pilot) -> list[tuple[str, str, bool]]:
    """Scenario, reason, and whether it is of our own doing, for each trial that was not accepted.
    No reason is ours if another program disturbed the same trial."""
    found = []
    for row in pilot.trials[pilot.trials["verdict"] != "accepted"].itertuples():
        ours = not any(word in str(row.reasons) for word in _FROM_OUTSIDE)
        reasons = [reason for reason in str(row.reasons).split("; ") if _SUMS not in reason]
        found += [(str(row.scenario), reason, ours) for reason in reasons]
    return found


def reasons_table(pilot: Pilot) -> pd.DataFrame:
    """Reasons with their number of trials, the first one of those that differ in numbers only."""
    found = pd.DataFrame(reasons_of(pilot), columns=["scenario", "reason", "of our own doing"])
    found["of our own doing"] = found["of our own doing"].map({True: "yes", False: "no"})
    found["kind"] = found["reason"].str.replace(r"[0-9.]+", "", regex=True)
    groups = found.groupby(["scenario", "kind", "of our own doing"], sort=False)["reason"]
    counted = groups.agg(["first", "size"]).reset_index().drop(columns="kind")
    return counted.rename(columns={"first": "reason, for example", "size": "trials"}).head(_SHOWN)


def replaced_table(pilot: Pilot) -> pd.DataFrame:
    """Attempts at blocks that were measured again, with the reasons."""
    files = sorted(campaign_folder(pilot.campaign).glob("replaced/*/*.json"))
    rows = [(f.parent.name, f.stem, "; ".join(json.loads(f.read_text())["reasons"])) for f in files]
    return pd.DataFrame(rows, columns=["scenario", "block", "reasons"])


def alike_table(pilot: Pilot) -> pd.DataFrame:
    """Half widths of ratios of like and like over the planned blocks [%]."""
    found = compared(pairs(pilot.notebooks), 8).reset_index()
    return found.assign(
        half=[f"{half:.2g} %" if np.isfinite(half) else "" for half in found["half"]],
        false=found["false"].map({True: "yes", False: "no"}),
    ).rename(columns={"half": "half width, 8 blocks", "false": "differ for certain"})


def noise_table(pilot: Pilot) -> pd.DataFrame:
    """Deviation of trials of one cell between blocks [%], for scenarios with two blocks or more, of
    rates, costs, and metrics that statements ask about, if they are above 0."""
    rows = []
    for name, notebook in pilot.notebooks.items():
        table = notebook.summaries
        table = table[table["metric"].isin(_COSTS | metrics_asked(name))]
        by = [c for c in ("probe", "metric", "transport", "load") if c in table]
        cell = [c for c in table if c not in ("block", "trial", "unit", "value")]
        above = table.groupby(["probe", "metric"], observed=True)["value"].transform("min") > 0
        table = table[above].assign(value=lambda rows: np.log(rows["value"]))
        spread = table.groupby(cell, observed=True, dropna=False)["value"].agg(["var", "count"])
        spread = spread[spread["count"] > 1].reset_index()
        for key, of in spread.groupby(by, observed=True, dropna=False):
            deviation = f"{100 * np.expm1(np.sqrt(of['var'].mean())):.2g} %"
            rows.append((name, " ".join(filter(None, map(str, key))), len(of), deviation))
    columns = ["scenario", "probe, metric", "cells", "deviation between blocks"]
    return pd.DataFrame(rows, columns=columns)


def processor_table(pilot: Pilot) -> pd.DataFrame:
    """Share of time for which hosts, and cores that hosts share, worked during runs that measure a
    rate."""
    rows = []
    for name, notebook in pilot.notebooks.items():
        tables, limits = notebook.tables, notebook.limits
        if not len(limits):
            continue
        keys = ["campaign", "block", "trial", *tables.factors, "probe", "repeat"]
        used = machine_time(tables["counters"]).merge(tables["runs"][[*keys, "seconds"]], on=keys)
        used = used.merge(limits[keys], on=keys)
        used["share"] = used["change"] / used["seconds"] / 1000
        shared = {
            host: cores
            for text in tables["trials"]["shared_cores"].dropna().unique()
            for cores in str(text).split(", ")
            for host in cores.split()
        }
        cores = used["host"].map({host: f"core of {of}" for host, of in shared.items()})
        both = pd.concat([used, used.assign(host=cores).dropna(subset=["host"])])
        sums = both.groupby([*keys, "host"], observed=True, dropna=False)["share"].sum()
        for host, of in sums.groupby("host", observed=True):
            rows.append(
                (
                    name,
                    host,
                    f"{percent(of.median())}",
                    f"{percent(of.quantile(0.9))}",
                    len(of),
                )
            )
    return pd.DataFrame(rows, columns=["scenario", "host or core", "median", "9 of 10", "runs"])


def limited_cells(pilot: Pilot) -> dict[str, str]:
    """Cell of suite-cost, in words -> the most frequent limit of its runs."""
    notebook = pilot.notebooks.get(SUITES)
    if notebook is None or not len(notebook.limits):
        return {}
    factors = [factor for factor in notebook.tables.factors if factor in notebook.limits]
    groups = notebook.limits.groupby(factors, observed=True, dropna=False)["limit"]
    return {
        " ".join(str(level) for level in np.atleast_1d(key) if level): of.mode().iloc[0]
        for key, of in groups
    }


def limits_table(pilot: Pilot) -> pd.DataFrame:
    """Number of cells of suite-cost by most frequent limit."""
    found = pd.Series(limited_cells(pilot), dtype=object).value_counts()
    return found.rename_axis("limit").rename("cells").reset_index()


def not_by_gateways(pilot: Pilot) -> list[str]:
    """The cells that a gateway's processor does not limit, a line for each limit."""
    cells: dict[str, list[str]] = {}
    for cell, limit in (every := limited_cells(pilot)).items():
        if limit != GATEWAY:
            cells.setdefault(limit, []).append(cell)
    return [
        f"- {limit}: {'all cells' if len(of) == len(every) else ', '.join(of)}"
        for limit, of in cells.items()
    ]
