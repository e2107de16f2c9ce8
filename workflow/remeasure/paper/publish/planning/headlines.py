"""The headline numbers of a campaign, and how wide their intervals will be: Student's interval of
the measured blocks, with the planned number of blocks and the same noise. Trials that take more
readings than the measured ones make intervals narrower still."""

from typing import Any

import numpy as np
from scipy.special import stdtrit as student_quantile

from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.rounds import Rounds
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.publish.planning.opened import opened
from remeasure.paper.words import words_of

HEADLINES: dict[str, dict[str, Asked]] = words_of(__file__)
"""scenario -> a headline number -> its question"""
Width = tuple[str, str, str]
"""a headline number, and half of the width of its interval by the measured and by the planned
blocks, whose number is in brackets"""


def widths(plan: Rounds) -> list[Width]:
    """The headline numbers of planned scenarios with released trials. Raises UserError."""
    released = read_build().campaigns
    return [
        width
        for name, scenario in plan.scenarios.items()
        if name in HEADLINES and name in released
        for notebook in [opened(name)]
        for says, question in HEADLINES[name].items()
        if (width := _width(notebook, says, question, scenario.design.blocks))
    ]


def _width(notebook: Any, says: str, question: Asked, planned: int) -> Width | None:
    found = notebook.estimate(question)
    if not (found.n > 1 and planned > 1 and np.isfinite([found.low, found.high]).all()):
        return None
    change = narrowing(found.n, planned)
    if question.get("quantity") == "difference":
        half, unit = (found.high - found.low) / 2, notebook.unit(question["metric"])
        now, then = (f"{h:.2g} {unit}" for h in (half, half * change))
    else:
        half = np.log(found.high / found.low) / 2
        now, then = (f"{100 * np.expm1(h):.2g} %" for h in (half, half * change))
    return says, f"{now} ({found.n})", f"{then} ({planned})"


def narrowing(measured: int, planned: int) -> float:
    """Width of an interval over `planned` blocks, relative to one over `measured` blocks."""
    quantiles = student_quantile(np.array([measured - 1, planned - 1]), 0.975)
    return float(quantiles[1] / quantiles[0] * np.sqrt(measured / planned))
