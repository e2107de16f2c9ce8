"""Published results of a study, from data/published/<study>.yaml."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import field_validator, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import parse_yaml, read_text
from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import PUBLISHED
from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.questions import Question

FOLDER = PUBLISHED
NOT_STATED = "not stated"
OURS = "ours"
"""the file of our own predictions, which has the form of a study and is none"""


class StudyMethod(config.Strict):
    """A study's method, as far as its text describes it."""

    platform: str = NOT_STATED
    """machines, operating systems and programs"""
    factors: str = NOT_STATED
    """the factors it varied"""
    repeats: str = NOT_STATED
    """how often it repeated measurements"""
    dispersion: str = NOT_STATED
    """the printed dispersion of repeats"""


class StudyRow(config.Strict):
    """One row of a table of a study."""

    key: ClassVar[tuple[tuple[str, ...], ...]]
    """the fields that distinguish rows, in groups: each combination of values of the groups is in a
    table once"""

    def of(self, group: tuple[str, ...]) -> str:
        """The values of a group of fields, as words."""
        return " ".join(str(getattr(self, field)) for field in group)


RowModel = TypeVar("RowModel", bound=StudyRow)


class Preferred(config.Strict):
    """Claims that a scenario answers better than the one that they would be asked of otherwise."""

    scenario: str
    """scenario of whose trials the claims are asked in a campaign that measures it; in any other
    campaign the claim's or the study's scenario answers them"""
    because: str
    """why this scenario answers them better"""
    fixed: dict[str, str] = {}
    """factor that claims choose and the scenario lacks -> the level at which all its trials are"""
    claims: list[str]
    """ids of the claims"""

    def asks(self, claim: Claim) -> Claim:
        """The claim as it is asked of the scenario. Raises ValueError for another level than the
        fixed one."""

        def there(test: Question) -> Question:
            for factor, level in self.fixed.items():
                if test.where.get(factor, level) != level:
                    raise ValueError(
                        f"preferred.{self.scenario}: claim {claim.id}: {factor}: found "
                        f"{test.where[factor]}, expected {level}, at which it is fixed"
                    )
            where = {k: v for k, v in test.where.items() if k not in self.fixed}
            return test.model_copy(update={"where": where})

        return claim.with_questions(there).model_copy(update={"scenario": self.scenario})


class Published(config.Named):
    """The numbers and statements of one study."""

    kind = "study"
    author: str
    """family name of the first author, by which the study is cited"""
    year: int | None = None
    """year of publication; absent if the study is undated"""
    reference: str
    """authors, journal or thesis, year, DOI"""
    method: StudyMethod = StudyMethod()
    """how the study measured"""
    scenario: str
    """scenario whose trials answer the study's questions"""
    tables: dict[str, list[dict[str, Any]]] = {}
    """name of a table of the study -> its rows, with models in analysis/verdicts/study_tables.py"""
    groups: dict[str, dict[str, list[str | int]]] = {}
    """factor -> name of a group of levels -> those levels, for use in claims"""
    other_groups: dict[str, dict[str, dict[str, list[str | int]]]] = {}
    """name of another choice of groups that is as reasonable -> groups that it replaces"""
    other_readings: dict[str, list[str]] = {}
    """another meaning of the study's words -> ids of the claims whose direction it reverses"""
    headline: list[str] = []
    """ids of the claims whose verdicts are shown under every combination of choices"""
    printed: dict[str, int | float] = {}
    """quantity of <study>-recomputed.json -> the number that the study prints for it"""
    claims: list[Claim] = []
    """the study's statements"""
    preferred: list[Preferred] = []
    """scenarios that answer some of the claims better, the best first"""

    @field_validator("scenario")
    @classmethod
    def _has_a_file(cls, scenario: str) -> str:
        return _known(scenario)

    @model_validator(mode="after")
    def _claims_are_of_the_study(self) -> Self:
        for what, all_of in (("claims", [c.id for c in self.claims]), ("headline", self.headline)):
            if twice := [name for name in all_of if all_of.count(name) > 1]:
                raise ValueError(f"{what}: id {twice[0]!r} twice; give each claim its own")
        for claim in self.claims:
            if not claim.id.startswith(f"{self.name}-"):
                raise ValueError(f"claims: id {claim.id!r}: expected {self.name}-...")
            if claim.scenario:
                _known(claim.scenario)
            if bool(claim.tests) == bool(claim.not_testable):
                raise ValueError(f"claim {claim.id}: expected either tests or not_testable")
        ids = {one.id for one in self.claims}
        repeated = [(f"claim {c.id}: repeats", c.repeats) for c in self.claims if c.repeats]
        turned = [(f"other_readings.{k}", c) for k, of in self.other_readings.items() for c in of]
        placed = [(f"preferred.{_known(p.scenario)}", c) for p in self.preferred for c in p.claims]
        shown = [("headline", claim) for claim in self.headline]
        for where, named in (*repeated, *turned, *placed, *shown):
            if named not in ids:
                raise ValueError(f"{where} {named!r}, which is no claim")
        return self

    @model_validator(mode="after")
    def _repeats_are_asked_together(self) -> Self:
        for claim in self.claims:
            for better in self.preferred:
                if claim.id in better.claims:
                    better.asks(claim)
            own, other = (self.places(one) for one in (claim.id, claim.repeats or claim.id))
            if own != other:
                raise ValueError(
                    f"claim {claim.id}: asked of {', '.join(own)}, and {claim.repeats}, which it "
                    f"repeats, of {', '.join(other)}"
                )
        return self

    @property
    def cited(self) -> str:
        """How texts, tables and figures name the study: author and year."""
        return f"{self.author} {self.year}" if self.year else f"{self.author} (undated)"

    @property
    def scenarios(self) -> list[str]:
        """The scenarios of whose trials its claims are asked, its own first."""
        every = [place for claim in self.claims for place in self.places(claim.id)]
        return list(dict.fromkeys([self.scenario, *every]))

    def places(self, claim: str) -> list[str]:
        """The scenarios that can answer the claim with this id, the best first."""
        better = [one.scenario for one in self.preferred if claim in one.claims]
        own = next(one.scenario for one in self.claims if one.id == claim)
        return [*better, own or self.scenario]

    def asked_of(self, scenario: str, measured: Collection[str] | None = None) -> "Published":
        """The study with only the claims that are asked of trials of `scenario`, each with this
        scenario. `measured`: the scenarios of one campaign, where the best of them answers a claim;
        None: with every claim that the scenario answers in some campaign."""
        own = []
        for claim in self.claims:
            places = [one for one in self.places(claim.id) if measured is None or one in measured]
            if scenario in (places if measured is None else places[:1]):
                better = [one for one in self.preferred if one.scenario == scenario]
                there = better[0].asks(claim) if better and claim.id in better[0].claims else claim
                own.append(there.model_copy(update={"scenario": scenario}))
        shown = [name for name in self.headline if name in {claim.id for claim in own}]
        return self.model_copy(update={"claims": own, "headline": shown})

    def rows(self, table: str, model: type[RowModel]) -> list[RowModel]:
        """The rows of a table. Raises UserError naming the row and field that is wrong, or a row
        that is there twice, or missing."""
        source = f"{FOLDER / self.name}.yaml: tables.{table}"
        rows = [
            config.validate(model, row, f"{source}.{number}")
            for number, row in enumerate(self.tables.get(table, []), 1)
        ]
        found = Counter(tuple(row.of(group) for group in model.key) for row in rows)
        levels = [dict.fromkeys(row.of(group) for row in rows) for group in model.key]
        for combination in itertools.product(*levels):
            if found[combination] != 1:
                told = f"found {found[combination]} rows of {', '.join(combination)}"
                raise UserError(f"{source}: {told}, expected one")
        return rows


def load_published(study: str) -> Published:
    """Read data/published/<study>.yaml. Raises UserError."""
    path = FOLDER / f"{study}.yaml"
    return _published(path, read_text(path), tuple(scenario_names()))


@cache
def _published(path: Path, text: str, _scenarios: tuple[str, ...]) -> Published:
    """The study in `text`, cached: each notebook needs each study several times. Valid names depend
    on the present scenarios."""
    return config.validate_named(Published, path.stem, parse_yaml(path, text), str(path))


def cited_as(study: str) -> str:
    """How texts, tables and figures name a study: 'pratama' -> 'Pratama 2025'. Raises UserError."""
    return load_published(study).cited


def studies() -> list[str]:
    """Names of all studies in alphabetical order, also their order in the ledger, in tables and in
    figures."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml") if path.stem != OURS)


def with_ours() -> list[str]:
    """Names of all studies, and OURS last, if its file is there."""
    return [*studies(), *(path.stem for path in FOLDER.glob(f"{OURS}.yaml"))]


def studies_of(
    scenario: str, measured: Collection[str] | None = None, names: Iterable[str] | None = None
) -> list[Published]:
    """The studies whose statements are tested with this scenario, each with only these statements;
    `measured` as in `Published.asked_of`, `names` by default without our own predictions. Raises
    UserError."""
    every = map(load_published, studies() if names is None else names)
    found = [study.asked_of(scenario, measured) for study in every if scenario in study.scenarios]
    return [study for study in found if study.claims]


def _known(scenario: str) -> str:
    if scenario not in scenario_names():
        raise ValueError(
            f"scenario {scenario!r}: no such scenario; known: {', '.join(scenario_names())}"
        )
    return scenario
