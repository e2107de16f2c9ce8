"""Inputs of files of a build, other than blocks and tables: modules of the package, folders of
notebooks, and published results of the studies."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_text, read_yaml
from remeasure.bench.base.names import Name
from remeasure.bench.campaign.scenario import scenario_path

PUBLISHED = Path("data/published")
LEDGER = "claims"
"""the notebook of the verdicts of all other notebooks on the studies' statements"""
COPIED = "copied_configurations"
"""the notebook of published configurations, which has reports of `remeasure try` and no scenario"""
_PACKAGE = Path("workflow/remeasure")
_SHARED = ("bench/base", "bench/campaign", "bench/claims")
"""folders that all of the others import"""


def sources(*folders: str) -> list[str]:
    """Files of these folders of `remeasure`, and their imports."""
    own = list((_PACKAGE / "paper").glob("*.py"))
    layers = [
        path
        for folder in (*folders, *_SHARED)
        for path in (_PACKAGE / folder).rglob("*.*")
        if path.suffix != ".pyc"
    ]
    return sorted(map(str, [*own, *layers]))


def check_notebooks(scenarios: Iterable[str]) -> None:
    """Raises UserError for a scenario whose folder has no notebook of its name, or no answer."""
    for scenario in scenarios:
        notebook = Name(scenario).notebook
        folder = Path("notebooks") / notebook
        if notebook == LEDGER:
            raise UserError(
                f"{folder}: {LEDGER} is the notebook of all studies; rename the scenario"
            )
        for file in (f"{notebook}.ipynb", "answer.md"):
            if not (folder / file).exists():
                raise UserError(
                    f"{folder}: no file {file}, which a scenario needs; write it (or copy one), "
                    f"or leave the scenario out: --config without={scenario}"
                )


def folder_of(notebook: str) -> list[str]:
    """Files that a notebook reads: of its folder, and of the folders that its modules import. Of
    the notebook itself `cells_of` tells, and its answer is for pages."""
    folder = Path("notebooks") / notebook
    kinds = (".py", ".yaml", ".svg")
    own = [path for path in folder.glob("*.*") if path.suffix in kinds]
    modules = "".join(map(read_text, folder.glob("*.py")))
    others = {*re.findall(r"^from notebooks\.(\w+)", modules, flags=re.MULTILINE)} - {notebook}
    words = ("*.py", "asks.yaml", "model.yaml")
    shared = [p for other in others for one in words for p in Path("notebooks", other).glob(one)]
    return sorted(map(str, [*own, *shared]))


def cells_of(notebook: str) -> str:
    """A hash of a notebook's cells. Its outputs do not count: they are copied from a build, which
    they must not make necessary again."""
    try:
        cells = json.loads(read_text(Path(f"notebooks/{notebook}/{notebook}.ipynb")))["cells"]
        kept = [[cell.get(key) for key in ("id", "source", "metadata")] for cell in cells]
    except (ValueError, LookupError, AttributeError, TypeError):
        return "not a notebook"  # which the job says, too
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def studies_asked() -> dict[str, set[str]]:
    """Scenario -> studies whose statements are tested on its trials. Raises UserError."""
    # Only lines `scenario:`, of the study, of claims and of `preferred`, are read: the models and
    # whole studies would take two seconds.
    asked: dict[str, set[str]] = {}
    for study in sorted(PUBLISHED.glob("*.yaml")):
        for scenario in re.findall(
            r"^[ -]*scenario: *([\w-]+)", read_text(study), flags=re.MULTILINE
        ):
            asked.setdefault(scenario, set()).add(study.stem)
    return asked


def published_files(scenario: str, asked: Mapping[str, set[str]]) -> list[str]:
    """Files of the studies that are tested on a scenario, of the study it explains, and of others'
    results on the scenario's question. `asked`: of studies_asked."""
    document: Any = read_yaml(scenario_path(scenario))
    studies = asked.get(scenario, set()) | {document["study"]}
    files = [path for study in studies for path in PUBLISHED.glob(f"{study}*.*")]
    return sorted(map(str, [*files, *PUBLISHED.glob(f"elsewhere/{scenario}.*")]))


def captured_files(scenario: str) -> list[str]:
    """Captures next to a scenario's blocks."""
    return sorted(map(str, Path("data/captured").glob(f"{scenario}.*")))


def files_below(*folders: str) -> list[str]:
    """All files of these folders, in order, without compiled modules."""
    found = (path for folder in folders for path in Path(folder).rglob("*"))
    return sorted(str(path) for path in found if path.is_file() and path.suffix != ".pyc")
