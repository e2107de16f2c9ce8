"""Versions of strongSwan side by side: campaigns in virtual time whose testbeds name the release of
its programs. With the same seed the network draws the same random numbers for each version, so
their trials are paired observation by observation, and any difference comes from strongSwan."""

import math
from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from remeasure.bench.base.names import VIRTUAL
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.testbed.host_kind import STRONGSWAN, hosts_of, upstream
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import CAMPAIGN
from remeasure.paper.analysis.summaries import read_tables, trial_summaries
from remeasure.paper.analysis.texts import NO_NUMBER, estimate_text
from remeasure.paper.notebook.asked import Asked, AskedParts, Asking, grid
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

Derive = Callable[[pd.DataFrame], Iterable[pd.DataFrame]]
_SOURCE = "strongSwan's versions in virtual time, by block.json"


class Versions:
    """The versions with which the scenario of a notebook was measured in virtual time."""

    def __init__(self, notebook: ScenarioNotebook, derive: Derive = lambda found: ()):
        """`derive`: makes summaries of further metrics from summaries."""
        self._results = notebook.results
        self.trials: dict[str, Asking] = {}
        """version -> its trials, the oldest version first"""
        self._observations: dict[str, pd.DataFrame] = {}
        self._keys = [*notebook.tables.factors, "block", "probe", "repeat", "index"]
        words: dict[str, str] = {}
        for block in notebook.every_block:
            session = BlockArchive(block).block["sessions"][0]
            if (hosts := hosts_of(session)).startswith(VIRTUAL):
                version = upstream(session["image"]["packages"][STRONGSWAN])
                # A campaign that compares versions comes before another one with the same version.
                words[version] = max(hosts, words.get(version, ""))
        for version in sorted(words, key=lambda one: [*map(int, one.split("."))]):
            tables = read_tables(notebook.folder, virtual=words[version])
            made = trial_summaries(tables["observations"], tables.factors)
            made = pd.concat([made, *derive(made)], ignore_index=True)
            made.attrs |= {VIRTUAL: True, CAMPAIGN: tables["trials"]["campaign"].iloc[0]}
            self.trials[version] = Asking(notebook, made)
            self._observations[version] = tables["observations"]

    def table(
        self,
        head: str,
        rows: AskedParts,
        question: Asked,
        form: Callable[[Estimate], str] = estimate_text,
    ) -> pd.DataFrame:
        """Answers to a question as text, by its parts that all versions have and by version."""

        def field(row: str, version: str) -> str:
            return form(self.trials[version].estimate(question, rows[row]))

        made = grid(head, rows, self.trials, field)
        return made[(made[list(self.trials)] != NO_NUMBER).all(axis=1)].reset_index(drop=True)

    def apart(self, *metrics: str, without: Mapping[str, str] | None = None) -> tuple[float, int]:
        """The largest difference between any two versions in paired observations of some metrics,
        in their unit, and the number of observations that all versions have; NaN with less than
        two versions. `without`: factor -> its level that is left out."""
        found = [one.assign(version=name) for name, one in self._observations.items()]
        if len(found) < 2:
            return math.nan, 0
        every = pd.concat(found, ignore_index=True)
        every = every[every["metric"].isin(metrics)]
        for factor, level in (without or {}).items():
            every = every[every[factor] != level]
        keys = [*self._keys, "metric"]
        wide = every.pivot_table("value", keys, "version", observed=True).dropna()
        return float((wide.max(axis=1) - wide.min(axis=1)).max()), len(wide)

    def words(self, name: str, versions: Iterable[str] | None = None) -> None:
        """Keep the names of some versions, or of all."""
        *first, last = [*(self.trials if versions is None else versions)] or [NO_NUMBER]
        text = f"{', '.join(first)} and {last}" if first else last
        self._results.words(name, text, _SOURCE)
