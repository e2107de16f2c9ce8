"""What a study published, read from data/published/<study>.yaml."""

from pydantic import field_validator, model_validator

from remeasure import config
from remeasure.claims.claim import Claim
from remeasure.names import scenario_names
from remeasure.paths import PUBLISHED

FOLDER = PUBLISHED


class Published(config.Named):
    """The numbers and statements of one study."""

    kind = "study"
    reference: str
    """authors, journal or thesis, year, DOI"""
    scenario: str
    """scenario whose trials answer the study's questions"""
    tables: dict[str, list[dict]] = {}
    """name of a table of the study -> its rows; remeasure.studies has a model of each table's
    rows"""
    groups: dict[str, dict[str, list[str | int]]] = {}
    """factor -> name of a group of levels -> those levels, for use in claims"""
    other_groups: dict[str, dict[str, dict[str, list[str | int]]]] = {}
    """name of another choice of groups that is as reasonable -> groups that it replaces"""
    other_readings: dict[str, list[str]] = {}
    """another meaning that the study's words can have -> ids of the claims whose direction it turns
    round"""
    headline: list[str] = []
    """ids of the claims whose verdicts are shown under every combination of choices"""
    printed: dict[str, int | float] = {}
    """quantity of <study>-recomputed.json -> the number that the study prints for it"""
    claims: list[Claim] = []
    """the study's statements"""

    @field_validator("scenario")
    @classmethod
    def _has_a_file(cls, scenario: str) -> str:
        return _known(scenario)

    @model_validator(mode="after")
    def _claims_are_of_the_study(self):
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
        for where, named in (*repeated, *turned, *(("headline", c) for c in self.headline)):
            if named not in ids:
                raise ValueError(f"{where} {named!r}, which is no claim")
        return self

    @property
    def scenarios(self) -> list[str]:
        """The scenarios of whose trials its claims are asked, its own first."""
        return list(
            dict.fromkeys([self.scenario, *(c.scenario or self.scenario for c in self.claims)])
        )

    def asked_of(self, scenario: str) -> "Published":
        """The study with those of its claims that are asked of trials of `scenario`."""
        own = [claim for claim in self.claims if (claim.scenario or self.scenario) == scenario]
        shown = [name for name in self.headline if name in {claim.id for claim in own}]
        return self.model_copy(update={"claims": own, "headline": shown})

    def rows(self, table: str, model: type[config.Model]) -> list[config.Model]:
        """The rows of a table. Raises UserError naming the row and field that is wrong."""
        source = f"{FOLDER / self.name}.yaml: tables.{table}"
        return [
            config.validate(model, row, f"{source}.{number}")
            for number, row in enumerate(self.tables.get(table, []), 1)
        ]


def load_published(study: str) -> Published:
    """Read data/published/<study>.yaml. Raises UserError."""
    return config.load_named(Published, FOLDER / f"{study}.yaml")


def studies() -> list[str]:
    """Names of all studies in alphabetical order, which is also their order in the ledger, in
    tables and in figures."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def studies_of(scenario: str) -> list[Published]:
    """The studies whose statements are tested with this scenario, each with these statements
    alone. Raises UserError."""
    return [
        study.asked_of(scenario)
        for study in map(load_published, studies())
        if scenario in study.scenarios
    ]


def _known(scenario: str) -> str:
    if scenario not in scenario_names():
        raise ValueError(
            f"scenario {scenario!r}: no such scenario; known: {', '.join(scenario_names())}"
        )
    return scenario
