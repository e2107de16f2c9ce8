"""What a study published, read from data/published/<study>.yaml."""

from remeasure import config
from remeasure.analysis.claims import Claim
from remeasure.paths import ROOT

FOLDER = ROOT / "data" / "published"


class Published(config.Strict):
    """The numbers and statements of one study."""

    study: str
    """name of the study"""
    reference: str
    """authors, journal or thesis, year, DOI"""
    scenario: str
    """scenario whose trials answer the study's questions"""
    tables: dict[str, list[dict]] = {}
    """name of a table of the study -> its rows; remeasure.studies has a model of each table's
    rows"""
    groups: dict[str, dict[str, list[str | int]]] = {}
    """factor -> name of a group of levels -> those levels, for use in claims"""
    printed: dict[str, int | float] = {}
    """quantity of <study>-recomputed.json -> the number that the study prints for it"""
    claims: list[Claim] = []
    """the study's statements"""

    def rows(self, table: str, model: type[config.Model]) -> list[config.Model]:
        """The rows of a table. Raises UserError naming the row and field that is wrong."""
        source = f"{FOLDER / self.study}.yaml: tables.{table}"
        return [
            config.validate(model, row, f"{source}.{number}")
            for number, row in enumerate(self.tables.get(table, []), 1)
        ]


def load_published(study: str) -> Published:
    """Read data/published/<study>.yaml. Raises UserError."""
    return config.load(Published, FOLDER / f"{study}.yaml")


def studies() -> list[str]:
    """Names of all studies in alphabetical order, which is also their order in the ledger, in
    tables and in figures."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def studies_of(scenario: str) -> list[Published]:
    """The studies whose statements are tested with this scenario. Raises UserError."""
    return [study for study in map(load_published, studies()) if study.scenario == scenario]
