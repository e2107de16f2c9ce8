"""The steps that all notebooks of scenarios share: they read tables, show their source and quality,
make estimates, and test the statements of studies."""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import pandas as pd
from IPython.display import Markdown, display

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.factors import COST, ENDS, SIZE, SUITE, factors_that_set, worlds_of
from remeasure.bench.campaign.quantities import numbers_of
from remeasure.bench.campaign.rounds import require_whole
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.claims.published import OURS, Published, studies_of, with_ours
from remeasure.paper.analysis.limits.rate_limits import LIMITS, READINGS, limits, shares
from remeasure.paper.analysis.limits.run_loads import arrived_packets
from remeasure.paper.analysis.summaries import Tables, costs, read_tables, trial_summaries
from remeasure.paper.analysis.verdicts.readable import BenchFacts
from remeasure.paper.notebook import shared_tables
from remeasure.paper.notebook.asked import Asked, Trials, at
from remeasure.paper.notebook.cautions import CAUTIONS
from remeasure.paper.notebook.charts.theme import use_theme
from remeasure.paper.notebook.pictures import label
from remeasure.paper.notebook.preview import mark_of_table
from remeasure.paper.notebook.results import NothingMeasured, Results
from remeasure.paper.notebook.shared_tables import in_generic_code, provenance
from remeasure.paper.notebook.statements import Statements
from remeasure.paper.words import words_of

_WORDS = words_of(__file__, "scenario-notebook")
FACTS: dict[str, tuple[str, str]] = _WORDS["facts"]
"""name of a number -> the fact of notebook.shared_tables that it is, and its source"""
NOT_REGISTERED: str = _WORDS["not_registered"]


class ScenarioNotebook(Trials):
    """The notebook of one scenario. The workflow gives the parameters: the folder of tidy tables,
    the block archives (none: blocks of config/config.yaml), and the folder for results; all
    relative to the project's folder."""

    def __init__(self, tidy: str, blocks: Iterable[str], out: str):
        use_theme()
        pd.set_option("display.max_colwidth", None, "display.max_rows", None)
        self.results = Results(out)
        self.name = Path(tidy).name
        """the scenario, which gives its name to the folder of its tables"""
        self.blocks = [ROOT / block for block in blocks] or folder.configured_blocks(self.name)
        """block archives of the campaigns that are analysed"""
        mark = mark_of_table(ROOT / tidy / "trials.parquet")
        require_whole(self.blocks, preview=bool(mark))
        self.results.mark(mark)
        self.every_block = list(self.blocks)
        """with blocks in virtual time, and of campaigns that are left out"""
        self.tables = read_tables(ROOT / tidy)
        """tidy tables of those campaigns, by name, and the factors in them; without campaigns in
        virtual time, if there are others"""
        self.folder = ROOT / tidy
        """folder of the tidy tables"""
        if self.observations.empty:
            raise NothingMeasured(
                f"{tidy}: no value of {self.name}: found {len(self.trials)} trials, expected one "
                "at least that was not rejected; read why in column reasons of trials.parquet"
            )
        self.summaries = pd.DataFrame()
        """one row for each trial, probe and metric; set by `summarise`"""
        self.measurements = {}
        self._keep_blocks(self.trials["campaign"])
        self._numbers: dict[tuple[str, str], dict[str, float]] = {}

    def only(self, campaigns: Collection[str]) -> None:
        """Analyse only these campaigns. Statements of studies are tested on the first one."""
        self.tables = self.tables.of_campaigns(campaigns)
        self._keep_blocks(campaigns)

    def turn_to_virtual_time(self) -> Tables:
        """Analyse the campaigns in virtual time, if there are some. Returns the tables until now,
        of the others."""
        before, virtual = self.tables, read_tables(self.folder, virtual=True)
        if len(virtual["trials"]):
            self.tables, self.blocks = virtual, list(self.every_block)
            self._keep_blocks(virtual["trials"]["campaign"])
        return before

    def _keep_blocks(self, campaigns: Iterable[str]) -> None:
        """Keep blocks of these campaigns, and all that follows from the first one."""
        kept = set(campaigns)
        self.blocks = [block for block in self.blocks if block.parent.parent.name in kept]
        for made in ("scenario", "where", "limits"):
            self.__dict__.pop(made, None)
        own = self.scenario.design.study
        measured = folder.frozen_with(self.blocks[0])[0].scenarios
        asked = studies_of(self.name, measured, with_ours())
        studies = [study for study in asked if study.name != OURS]
        self.studies = sorted(studies, key=lambda study: study.name != own)
        """the studies whose statements the first campaign asks here, the scenario's own first"""
        self.ours = [study for study in asked if study.name == OURS]
        """our own predictions, if there are some on these trials"""
        self.groups = self.studies[0].groups if self.studies else {}

    @property
    def trials(self) -> pd.DataFrame:
        return self.tables["trials"]

    @property
    def observations(self) -> pd.DataFrame:
        return self.tables["observations"]

    @property
    def counters(self) -> pd.DataFrame:
        return self.tables["counters"]

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario, as the first campaign froze it."""
        return folder.measured_scenario(self.blocks[0])

    def cell(self, **levels: str) -> tuple[Settings, Topology]:
        """Settings and network of the first cell with these levels, or StopIteration if none."""
        of = ((one, cell) for one in self._scenarios for cell in one.all_cells)
        scenario, cell = next((one, c) for one, c in of if levels.items() <= c.items())
        settings = scenario.settings(cell)
        return settings, scenario.network(settings)

    @cached_property
    def _scenarios(self) -> list[Scenario]:
        """The scenario, as each campaign froze it."""
        one_block = {block.parent: block for block in self.every_block}
        return [folder.measured_scenario(block) for block in one_block.values()]

    @cached_property
    def where(self) -> dict[str, Any]:
        """Campaign, machine and versions (see notebook.shared_tables)."""
        return provenance(self.blocks)

    @cached_property
    def limits(self) -> pd.DataFrame:
        """The limit of the rate of each run (see analysis.limits.rate_limits)."""
        return limits(self.tables, self.scenario)

    @property
    def own_study(self) -> Published:
        """The study that the scenario repeats. Raises UserError if there is none."""
        if not self.studies:
            raise UserError(f"{self.name}: no study has statements on this scenario")
        return self.studies[0]

    def measured(self, factor: str, levels: Iterable[str] | None = None) -> list[str]:
        """The levels of a factor that occur in some trial: levels in `levels` first, in this order,
        then others; without `levels`, in the scenario's order."""
        found = set(self.observations[factor].dropna().unique()) - {""}
        known = list(self.scenario.design.factors.get(factor, ()) if levels is None else levels)
        return [level for level in [*known, *sorted(found - set(known))] if level in found]

    def number(self, factor: str, level: str, name: str = "") -> float:
        """The number that a level sets [unit of its field] (campaign.quantities): the one in which
        levels differ, or the one called `name`. Raises UserError if the level sets none."""
        if (factor, name) not in self._numbers:
            every = (numbers_of(scenario, factor, name) for scenario in self._scenarios)
            self._numbers[factor, name] = dict(pair for of in every for pair in of.items())
        if level not in self._numbers[factor, name]:
            raise UserError(
                f"{self.name}: factor {factor}: level {level!r} sets no {name or 'single'} number; "
                "expected levels that differ in one number (campaign/quantities.py)"
            )
        return self._numbers[factor, name][level]

    def numbers(self, factor: str, name: str = "") -> dict[str, float]:
        """Measured level of a factor -> the number that it sets, from the lowest."""
        found = {level: self.number(factor, level, name) for level in self.measured(factor)}
        return dict(sorted(found.items(), key=lambda pair: pair[1]))

    def titled(
        self, factor: str, titles: Mapping[str, str], question: Asked | None = None
    ) -> dict[str, Asked]:
        """A row, column or mark for each measured level of a factor that has a title."""
        levels = [level for level in self.measured(factor, titles) if level in titles]
        return {titles[level]: at(question or {}, **{factor: level}) for level in levels}

    # The opening of a notebook

    def origin(self) -> pd.DataFrame:
        """A table to be shown of where and when the trials were made."""
        tools = "; ".join(f"{tool}: {version}" for tool, version in self.where["tools"].items())
        facts = {**self.where, "tools": tools}
        return pd.Series(
            {label(key): str(value) for key, value in facts.items()}, name=""
        ).to_frame()

    def facts(self, *names: str) -> None:
        """Hand over facts of the machine and its programs, by their names in FACTS."""
        for name in names:
            fact, source = FACTS[name]
            self.results.words(name, str(self.where[fact]), source)

    def beware(self, *names: str) -> Markdown:
        """The texts of notebook.cautions of these names, to be shown with a ranking."""
        return Markdown("\n\n".join(f"> {CAUTIONS[name]}" for name in names))

    def data_quality(self, rates_by: list[str] | None = None) -> None:
        """Show how many trials were accepted, which checks passed, every trial that was not
        accepted, and limits of rates, by probe and `rates_by`, if it is given. The campaign's
        row of the paper's table is kept."""
        self.results.campaign(shared_tables.campaign_row(self.name, self.where, self.trials))
        runs = shared_tables.runs_in_words(self.tables["runs"])
        trials = shared_tables.trials_in_words(self.trials, self.tables["checks"])
        display(Markdown(f"{trials}\n\n{runs}"))
        refused = shared_tables.not_accepted(self.trials, self.tables.between)
        if len(refused):
            display(refused)
        if rates_by is not None:
            self.rate_limits(["probe", *rates_by])

    def rate_limits(self, by: list[str]) -> None:
        """Show numbers of runs by limit and reading, grouped by `by`; hand each run over."""
        self.results.runs(self.limits)
        counted = shares(self.limits, by)
        meanings = "; ".join(f"*{word}*: {LIMITS[word]}" for word in LIMITS if word in counted)
        readings = ", ".join(f"*{word}*" for word in READINGS if word in counted)
        display(
            Markdown(
                _WORDS["rate_limits"].format(
                    meanings=meanings, readings=readings, notebook=self.results.folder.name
                )
            )
        )
        display(counted)

    # Estimates

    def summarise(self, estimator: str, *derived: pd.DataFrame) -> pd.DataFrame:
        """Set `summaries`: the estimator over each trial, and summaries of `derived` metrics."""
        factors = self.tables.factors
        made = trial_summaries(self.observations, factors, estimator)
        self.summaries = pd.concat([made, *derived], ignore_index=True)
        # A derived metric may be one of whole trials, at no level of a factor within them.
        for factor in factors:
            if self.summaries[factor].isna().any():
                self.summaries[factor] = self.summaries[factor].astype(object).fillna("")
        return self.summaries

    def hold(self, **levels: str) -> pd.DataFrame:
        """Keep summaries at these levels, as far as any trial has them; returns all until now."""
        before = self.summaries
        for factor, level in levels.items():
            if factor in self.summaries and (at := self.summaries[factor] == level).any():
                self.summaries = self.summaries[at]
        return before

    def per_megabyte(self, metric: str, hosts: list[str]) -> pd.DataFrame:
        """Summaries of a cost of `hosts` (see analysis.summaries)."""
        return costs(self.counters, self.observations, self.tables.factors, metric, hosts)

    def per_packet(self, hosts: list[str]) -> pd.DataFrame:
        """Summaries of cpu_per_packet of `hosts` (see analysis.summaries)."""
        packets = arrived_packets(self.tables, self.scenario)
        return costs(self.counters, packets, self.tables.factors, "cpu_per_packet", hosts)

    def quote(self, name: str, *parts: Asked, **fields: Unpack[Asked]) -> str:
        """The estimate as text, kept under a name."""
        return self.results.words(name, self.text(*parts, **fields))

    # The statements of the studies

    def statements(self, summaries: pd.DataFrame | None = None, **instead: str) -> Statements:
        """Test the studies' statements on the summaries, and again at each level in `instead`."""
        return self._statements([self.own_study, *self.studies[1:]], summaries, instead)

    def _statements(
        self, studies: list[Published], summaries: pd.DataFrame | None, instead: dict[str, str]
    ) -> Statements:
        campaign = self.blocks[0].parent.parent
        return Statements(
            studies,
            self.summaries if summaries is None else summaries,
            self.tables,
            self.where["blocks"],
            self.results,
            instead,
            folder.rules_of(campaign),
            folder.stood_before(campaign, self.name),
            self.bench(),
        )

    def predictions(self, summaries: pd.DataFrame | None = None) -> pd.DataFrame | Markdown:
        """Judge our own predictions on the summaries, if the campaign registered them. Returns the
        table of verdicts, or the reason why there is none."""
        campaign = self.blocks[0].parent.parent
        registered = folder.load_frozen(campaign / "campaign.yaml").registered.get(self.name, {})
        if not any(claim.id in registered for study in self.ours for claim in study.claims):
            return Markdown(NOT_REGISTERED)
        found = self._statements(self.ours, summaries, {})
        return self.results.table("predictions", found.table())

    def bench(self) -> BenchFacts:
        """The bench of the trials, as verdicts read it."""
        worlds = worlds_of(self.scenario)
        return BenchFacts(
            self.limits,
            costly=factors_that_set(self.scenario, COST),
            suites=factors_that_set(self.scenario, SUITE),
            ends=factors_that_set(self.scenario, ENDS),
            sizes=factors_that_set(self.scenario, SIZE),
            # With both worlds, the verdicts that count are of the one without instructions.
            generic_code=worlds is not None or in_generic_code(self.where),
            worlds=worlds,
            virtual=bool(self.trials["hosts"].str.startswith("virtual").all()),
            links_take_time=all(
                self.scenario.settings(cell).links_take_time for cell in self.scenario.all_cells
            ),
        )
