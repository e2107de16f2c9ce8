"""Two campaigns side by side, in notebook compare, which belongs to no single scenario."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.machine_kind import in_words
from remeasure.paper.analysis.texts import interval_text
from remeasure.paper.analysis.verdicts.two_campaigns import (
    AGREEMENT,
    FAR,
    OTHER,
    cells_compared,
    differences,
    verdicts_compared,
)
from remeasure.paper.notebook.provenance import provenance
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook


class Campaigns:
    """Two campaigns, by the scenarios that both measured."""

    def __init__(self, campaigns: Sequence[str], scenarios: Sequence[str], tidy: str, out: str):
        """`tidy`: folder of the tables of both; `out`: folder of results."""
        self._folder = ROOT / out
        self._names = dict(zip(("first", "second"), campaigns, strict=True))
        self._pairs = {
            scenario: [_notebook(tidy, out, campaign, scenario) for campaign in campaigns]
            for scenario in scenarios
        }
        self.cells = {
            scenario: cells_compared(first.summaries, second.summaries, first.tables.factors)
            for scenario, (first, second) in self._pairs.items()
        }
        """scenario -> its cells (analysis.verdicts.two_campaigns.cells_compared)"""
        ledgers = [
            [
                entry
                for pair in self._pairs.values()
                if pair[place].studies
                for entry in pair[place].statements().entries
            ]
            for place in (0, 1)
        ]
        self._verdicts = verdicts_compared(*ledgers)

    def in_words(self) -> str:
        """How many verdicts and cells agree."""
        counts = self._verdicts["agreement"].value_counts().reindex(list(AGREEMENT), fill_value=0)
        tables = self.cells.values()
        apart, far = (sum(table[how].sum() for table in tables) for how in ("differs", "far"))
        known = sum(table["low"].notna().sum() for table in tables)
        same, another, undecided = counts
        machines = " and ".join(
            f"`{name}` on {self._machine(place)}" for place, name in enumerate(self._names.values())
        )
        return (
            f"We set {machines} side by side. Of {len(self._verdicts)} statements that both can "
            f"test, **{same}** have the same verdict, **{another}** another, and **{undecided}** "
            f"are undecided in one of the two. Of {known} cells that both measured in at least two "
            f"blocks, {apart} differ (95 % intervals; one in twenty would by chance). For {far} of "
            f"them the whole interval is beyond {FAR - 1:.0%}. Absolute times belong to a "
            "machine. Directions and ratios should hold elsewhere."
        )

    def verdicts(self) -> pd.DataFrame:
        """Every statement that both can test."""
        return self._verdicts.set_index("study").rename(columns=self._names)

    def other_verdicts(self) -> pd.DataFrame:
        """Statements whose verdicts differ."""
        verdicts = self.verdicts()
        return verdicts[verdicts["agreement"] == OTHER].drop(columns="agreement")

    def made(self) -> pd.DataFrame:
        """Differences in how the campaigns were made."""
        return differences(*(provenance(self._blocks(place)) for place in (0, 1))).rename(
            columns=self._names
        )

    def _blocks(self, place: int) -> list[Path]:
        return [block for pair in self._pairs.values() for block in pair[place].blocks]

    def _machine(self, place: int) -> str:
        sessions = (s for b in self._blocks(place) for s in BlockArchive(b).block["sessions"])
        return " / ".join(dict.fromkeys(in_words(session["machine"]) for session in sessions))

    def save_cells(self) -> None:
        """Write all cells to cells.csv in the folder of results."""
        every = pd.concat(self.cells, names=["scenario"]).reset_index("scenario")
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / "cells.csv"
        every.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")

    def differing_cells(self, scenario: str) -> pd.DataFrame:
        """Cells whose ratio excludes 1."""
        table = self.cells[scenario]
        apart = table[table["differs"]]
        ratios = apart[["ratio", "low", "high"]].itertuples(index=False)
        shown = apart.assign(ratio=[interval_text(*ratio) for ratio in ratios])
        shown = shown.drop(columns=["low", "high", "differs"]).rename(columns=self._names)
        return shown.round(4).set_index("probe")


def _notebook(tidy: str, out: str, campaign: str, scenario: str) -> ScenarioNotebook:
    """The notebook of a scenario, over only one campaign."""
    blocks = sorted((RAW / campaign / scenario).glob("block-*.zip"))
    handed = f"{out}/../{campaign}/{scenario.replace('-', '_')}"
    notebook = ScenarioNotebook(f"{tidy}/{campaign}/{scenario}", map(str, blocks), handed)
    notebook.summarise("mean")
    return notebook
