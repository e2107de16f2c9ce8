"""The part of My tunnel that says what suites cost in ESP of the kernel, from esp_instructions."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.models.suite_cost import REFERENCE
from remeasure.analysis.texts import estimate_text
from remeasure.notebook.tunnel.suite_part import NAMES

Of = Callable[[str, str], Estimate]
"""suite and level of factor `instructions` -> an estimate"""


def esp_part(levels: Iterable[str], machine: str, rate: Of, ratio: Of) -> dict[str, Any]:
    """The `machine` that measured; level -> suite -> its `rate` [Mbit/s] as text; and level ->
    suite -> its processor time over the time of REFERENCE (`ratio`), as number and as text, and
    whether its interval leaves open which one costs less. A suite that was not measured is left
    out."""
    levels = list(levels)

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

    return {
        "machine": machine,
        "rates": {
            level: {one: estimate_text(rate(one, level)) for one in NAMES} for level in levels
        },
        "levels": {level: entries(level) for level in levels},
    }
