"""Statements that a campaign decides: campaigns are simulated (noise.py) and judged by the rules
under which a campaign begins now.

A scenario without released trials borrows the trials of the scenario that its study asks first.
Its runs have the limit that they had in the pilot (data/pilot.json), and a factor that is new
changes nothing. Delays of links that took no time get the time that the planned links need for the
bits of a packet."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.factors import COST, ENDS, factors_that_set, worlds_of
from remeasure.bench.campaign.plan import PILOT
from remeasure.bench.campaign.rounds import Rounds
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.claims.published import OURS, Published, load_published, studies_of
from remeasure.bench.claims.rules import PRESENT, RULES
from remeasure.paper.analysis.decisions import DECIDED
from remeasure.paper.analysis.limits.rate_limits import FUNCTION
from remeasure.paper.analysis.models.links import FULL
from remeasure.paper.analysis.summaries import of_kind
from remeasure.paper.analysis.verdicts.judging import judge
from remeasure.paper.analysis.verdicts.readable import BenchFacts
from remeasure.paper.analysis.verdicts.sensitivity import at_level, of_estimators
from remeasure.paper.notebook.statements import metrics_asked
from remeasure.paper.publish.planning import lent_trials
from remeasure.paper.publish.planning.noise import Noise, measured_noise, narrower
from remeasure.paper.publish.planning.opened import opened

MANY = 64
"""blocks of each scenario by which a statement is decided, or by no number that anyone measures"""
opened_once = cache(opened)


class SimulatedVerdict(NamedTuple):
    study: str
    claim: str
    verdict: str


@dataclass
class Simulated:
    """A scenario's statements on campaigns that could be measured."""

    noise: Mapping[str, Noise]
    """estimator of a trial's value -> the noise in it; same cells and blocks"""
    studies: list[Published]
    """the studies with statements on the scenario"""
    bench: BenchFacts
    """as it is planned, with the limits that were measured"""

    @property
    def measured(self) -> int:
        """Number of blocks that the noise comes from."""
        return len(next(iter(self.noise.values())).residuals)

    def judged(
        self, blocks: int, random: np.random.Generator, unsure: bool = False
    ) -> list[SimulatedVerdict]:
        """The counted statements that one campaign of so many blocks can test. `unsure`: its truth
        is one that the measured blocks leave possible, else their mean."""
        picked = random.integers(0, self.measured, blocks)
        given = random.integers(0, self.measured, self.measured) if unsure else None
        drawn = {name: noise.draw(picked, given) for name, noise in self.noise.items()}
        bench = replace(self.bench, limits=_of_blocks(self.bench.limits, blocks))
        return [
            SimulatedVerdict(study.name, claim.id, judged.verdict(claim.id))
            for study in self.studies
            for judged in [judge(study, drawn, RULES[PRESENT], bench)]
            for claim in study.claims
            if not claim.uncounted and claim.id not in judged.reasons
        ]


def _of_blocks(limits: pd.DataFrame, blocks: int) -> pd.DataFrame:
    """The limits of so many blocks: the measured ones in turn."""
    if limits.empty:
        return limits
    known = sorted(limits["block"].unique())
    each = [limits[limits["block"] == known[n % len(known)]] for n in range(blocks)]
    numbered = (one.assign(block=number) for number, one in enumerate(each, 1))
    return pd.concat(numbered, ignore_index=True)


def source_of(scenario: Scenario) -> str:
    """The scenario whose released trials stand for trials of a planned one. Raises UserError."""
    released, source = read_build().campaigns, scenario.name
    if source not in released:
        source = load_published(scenario.design.study).scenario
    if source not in released:
        raise UserError(f"{scenario.name}: no released trials of it, nor of {source}")
    return source


def simulated(
    scenario: Scenario, measured: Collection[str], names: Collection[str] | None = None
) -> Simulated | None:
    """The statements that are asked of a scenario in a campaign of the scenarios `measured`, with
    the noise of its released trials; None if there is no statement. `names`: of studies, by default
    all without our own predictions. Raises UserError."""
    studies = studies_of(scenario.name, measured, names)
    if not any(claim.tests for study in studies for claim in study.claims):
        return None
    source = source_of(scenario)
    notebook = opened_once(source)
    bench, worlds = notebook.bench(), worlds_of(scenario)
    limits = bench.limits
    if source != scenario.name and len(limits):
        # A limit that is not known shows function only where senders share a core with gateways.
        of_pilot = json.loads(PILOT.read_text())["limits"][scenario.name]
        limits = limits.assign(limit=of_pilot, reading=FUNCTION)
    bench = replace(
        bench, worlds=worlds, limits=limits, links_take_time=lent_trials.takes_time(scenario)
    )
    # With two worlds, the verdicts that count are those without instructions.
    if worlds:
        studies = [at_level(one, worlds.factor, worlds.without) for one in studies]
    return Simulated(noises(notebook, scenario, studies), studies, bench)


def noises(notebook: Any, scenario: Scenario, studies: Sequence[Published]) -> dict[str, Noise]:
    """The noise of a notebook's trials in metrics that statements ask about, by estimator. Factors
    that the planned scenario adds have their levels; of a factor that it lacks the last level is
    kept."""
    wanted, tables = metrics_asked(studies), notebook.tables
    own = all(study.name == OURS for study in studies)
    summaries = notebook.predicted if own else notebook.summaries
    both = of_estimators(tables["observations"], tables.factors, summaries)
    measured, takes = notebook.scenario, lent_trials.takes_time(notebook.scenario)
    alike = sorted(factors_that_set(measured, ENDS) - factors_that_set(measured, COST))
    control = {name for name, probe in lent_trials.probes_of(measured) if probe.controls_tunnel}

    def traffic(cells: pd.DataFrame) -> np.ndarray:
        return np.asarray(~cells["probe"].isin(control))

    def width(cells: pd.DataFrame) -> np.ndarray:
        return narrower(cells, tables, measured, scenario)

    found = {}
    for name, table in both.items():
        kept = table[table["metric"].isin(wanted) | of_kind(table["metric"], "sent")]
        if lent_trials.takes_time(scenario) and not takes:
            kept = lent_trials.with_wires(kept, scenario)
        if FULL.keys() <= {name for name, _ in lent_trials.probes_of(scenario)}:
            kept = lent_trials.with_links(kept)
        found[name] = measured_noise(
            lent_trials.as_planned(kept, measured, scenario), width, alike, traffic
        )
    return found


def power(plan: Rounds, campaigns: int, seed: int) -> pd.DataFrame:
    """The statements in simulated campaigns of the planned blocks, and of MANY blocks of each
    scenario: one row per number of rounds, campaign and statement, with columns rounds (MANY as
    well), campaign, and the fields of `SimulatedVerdict`. Raises UserError."""
    rows = []
    for name, scenario in plan.scenarios.items():
        of = simulated(scenario, plan.scenarios)
        if of is None:
            continue
        for rounds, blocks in ((len(plan.rounds), scenario.design.blocks), (MANY, MANY)):
            for campaign in range(campaigns if blocks > 1 else 0):
                random = np.random.default_rng([seed, rounds, campaign, *name.encode()])
                rows += [(rounds, campaign, *one) for one in of.judged(blocks, random)]
    return pd.DataFrame(rows, columns=["rounds", "campaign", *SimulatedVerdict._fields])


def statements(found: pd.DataFrame) -> pd.DataFrame:
    """One row per statement that at least half of the simulated campaigns test, by study: the share
    of campaigns that decide it (0 to 1), of the whole campaign (decided) and of MANY blocks (ever).
    """
    sure = found.assign(sure=found["verdict"].isin(DECIDED))
    rows = ["study", "claim"], "rounds"
    shares = sure.pivot_table("sure", *rows, sort=False)
    tested = sure.pivot_table("sure", *rows, aggfunc="count", sort=False)
    shares = shares[(2 * tested >= found["campaign"].nunique()).any(axis=1)]
    whole = max(rounds for rounds in shares if rounds != MANY)
    return shares.rename(columns={whole: "decided", MANY: "ever"}).fillna(0)
