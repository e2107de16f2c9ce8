"""A scenario's notebook, run up to the cell that reads its trials: the same summaries of trials as
in the build, whatever the scenario derives from its observations."""

import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS, ROOT
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

RELEASED = ROOT / "data/tidy"
"""folder of the tables of released campaigns, a folder for each scenario"""


def opened(scenario: str, tables: Path | None = None, blocks: Sequence[Path] = ()) -> Any:
    """The `ScenarioNotebook` of a scenario with its summaries; without parameters, of the released
    trials that config/config.yaml names. Raises UserError."""
    name = Name(scenario).notebook
    path = NOTEBOOKS / name / f"{name}.ipynb"
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(action="ignore"),
    ):
        given = {
            "tidy": str(tables or RELEASED / scenario),
            "blocks": [str(block) for block in blocks],
            "out": str(Path(folder) / name),
        }
        return _run(path, given)


def _run(path: Path, given: dict[str, Any]) -> ScenarioNotebook:
    names: dict[str, Any] = {"__name__": path.stem}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
            if "parameters" in cell["metadata"].get("tags", []):
                names |= given
        if isinstance(notebook := names.get("notebook"), ScenarioNotebook):
            return notebook
    raise UserError(f"{path}: no cell makes `notebook`; the plan reads its trials by it")
