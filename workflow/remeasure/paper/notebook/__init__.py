"""The imports of notebooks: `from remeasure.paper.notebook import ScenarioNotebook, answer_here`. A
name is looked up when it is used: modules without charts can be imported without altair."""

import importlib
from typing import Any

_MODULES = {
    "scenario_notebook": ["ScenarioNotebook"],
    "virtual_time": ["VirtualTime", "text"],
    "strongswan_versions": ["Versions"],
    "results": ["Results", "answer_here", "own", "Markdown", "pd"],
    "asked": ["each", "joined", "at"],
    "disturbed": ["derived"],
    "playground": ["play", "chart_of"],
    "charts.mechanisms": ["by_mechanism"],
    "charts.set_ups": ["set_up_losses"],
    "charts": ["theme"],
    "my_tunnel": [
        *("computing_part", "groups_part", "passed_part"),
        *("set_up_part", "sizes_part", "window_part"),
    ],
}
"""module or package in this package -> names of it"""
FACE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if FACE[name] == "charts":
        return importlib.import_module(f"{__name__}.charts.{name}")
    return getattr(importlib.import_module(f"{__name__}.{FACE[name]}"), name)
