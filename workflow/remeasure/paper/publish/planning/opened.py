"""A scenario's notebook, run up to the cell that reads its trials: the same summaries of trials as
in the build, whatever the scenario derives from its observations."""

import contextlib
import io
import json
import re
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS, ROOT
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

_PREDICTIONS = re.compile(r"notebook\.predictions\((.*)\)")
RELEASED = ROOT / "data/tidy"
"""folder of the tables of released campaigns, a folder for each scenario"""


def opened(scenario: str, tables: Path | None = None, blocks: Sequence[Path] = ()) -> Any:
    """The `ScenarioNotebook` of a scenario with its summaries, and as `predicted` the summaries on
    which it judges our own predictions; without parameters, of the released trials that
    config/config.yaml names. Raises UserError."""
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


def _run(path: Path, given: dict[str, Any]) -> Any:
    names: dict[str, Any] = {"__name__": path.stem}
    cells = [one for one in json.loads(path.read_text())["cells"] if one["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    judged = _PREDICTIONS.search("\n".join(sources))
    for cell, source in zip(cells, sources, strict=True):
        exec(source, names)
        if "parameters" in cell["metadata"].get("tags", []):
            names |= given
        if isinstance(names.get("notebook"), ScenarioNotebook):
            notebook: Any = names["notebook"]
            of = judged[1] if judged else ""
            notebook.predicted = eval(of or "notebook.summaries", names)
            return notebook
    raise UserError(f"{path}: no cell makes `notebook`; the plan reads its trials by it")
