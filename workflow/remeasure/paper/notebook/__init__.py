"""The imports of notebooks: `from remeasure.paper.notebook import ScenarioNotebook, each, text`. A
name is looked up when a notebook uses it: modules of this package without charts can be imported
without altair."""

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
"""name -> its module or package in this package"""


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if FACE[name] == "charts":
        return importlib.import_module(f"{__name__}.charts.{name}")
    return getattr(importlib.import_module(f"{__name__}.{FACE[name]}"), name)
