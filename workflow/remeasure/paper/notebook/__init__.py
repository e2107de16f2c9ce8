"""What a notebook imports: `from remeasure.paper.notebook import ScenarioNotebook, each, text`.

Here are the names that notebooks of all scenarios share. A name is looked up when a notebook asks
for it: modules of this package that need no charts can be imported without those.
"""

import importlib
from typing import Any

FACE = {
    "ScenarioNotebook": "scenario_notebook",
    "VirtualTime": "virtual_time",
    "Results": "results",
    "each": "asked",
    "joined": "asked",
    "at": "asked",
    "text": "scenario_notebook",
    "explained": "statements",
    "theme": "charts",
}
"""name -> the module, or the package, of this package that has it"""


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if FACE[name] == "charts":
        return importlib.import_module(f"{__name__}.charts.{name}")
    return getattr(importlib.import_module(f"{__name__}.{FACE[name]}"), name)
