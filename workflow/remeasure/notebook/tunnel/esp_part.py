"""The part of My tunnel that says what suites cost in ESP of the kernel, from esp_instructions."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.models.suite_cost import REFERENCE
from remeasure.analysis.texts import estimate_text
from remeasure.notebook.tunnel.suite_part import NAMES


def esp_part(levels: Iterable[str], ratio: Callable[[str, str], Estimate]) -> dict[str, Any]:
    """Level of factor `instructions` -> suite -> its processor time over the time of REFERENCE,
    as number and as text, and whether its interval leaves open which one costs less. A suite that
    was not measured is left out. `ratio`: of a suite at a level."""

    def entries(level: str) -> dict[str, dict[str, Any]]:
        found = {suite: ratio(suite, level) for suite in NAMES if suite != REFERENCE}
        return {
            suite: {
                "ratio": times.value,
                "text": estimate_text(times),
                "open": not (times.high < 1 or times.low > 1),
            }
            for suite, times in found.items()
            if np.isfinite(times.value)
        }

    return {"levels": {level: entries(level) for level in levels}}
