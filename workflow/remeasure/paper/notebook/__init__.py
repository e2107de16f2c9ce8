"""The imports of notebooks: `from remeasure.paper.notebook import ScenarioNotebook, answer_here`. A
name is looked up when it is used: modules without charts can be imported without altair."""

import importlib
from typing import Any

FACE = {
    "ScenarioNotebook": "scenario_notebook",
    "VirtualTime": "virtual_time",
    "Versions": "strongswan_versions",
    "Results": "results",
    "answer_here": "results",
    "own": "results",
    "Markdown": "results",
    "pd": "results",
    "each": "asked",
    "joined": "asked",
    "at": "asked",
    "text": "virtual_time",
    "derived": "disturbed",
    "play": "playground",
    "chart_of": "playground",
    "by_mechanism": "charts.mechanisms",
    "set_up_losses": "charts.set_ups",
    "theme": "charts",
    "computing_part": "my_tunnel",
    "groups_part": "my_tunnel",
    "passed_part": "my_tunnel",
    "set_up_part": "my_tunnel",
    "sizes_part": "my_tunnel",
    "window_part": "my_tunnel",
}
"""name -> its module or package in this package"""


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if FACE[name] == "charts":
        return importlib.import_module(f"{__name__}.charts.{name}")
    return getattr(importlib.import_module(f"{__name__}.{FACE[name]}"), name)
