"""The part of My tunnel that says which replay window to set, from notebooks replay_window and
reordering_causes."""

from collections.abc import Iterable
from typing import Any

from remeasure.paper.analysis.models.window_advice import (
    ALLOWED,
    DELAYS,
    LINE_RATES,
    NEAR,
    WINDOWS,
    Passed,
    Traffic,
    curve,
)

_TRAFFIC = ("path", "rate", "size", "delay")


def window_part(passed: Iterable[Passed]) -> dict[str, Any]:
    """What the page needs to advise a window as `window_advice.advise` does."""
    return {
        "windows": list(WINDOWS),
        "allowed": ALLOWED,
        "near": NEAR,
        "line_rates": list(LINE_RATES),
        "delays": list(DELAYS),
        "curves": {name: curve(name) for name in ("jitter", "skew", "queue", "packets", "even")},
        **passed_part(passed),
    }


def passed_part(passed: Iterable[Passed]) -> dict[str, Any]:
    """The windows that were enough, as the page reads them."""
    return {
        "passed": [
            {name: getattr(one.traffic, name) for name in _TRAFFIC}
            | {"window": one.window, "shown": one.shown}
            for one in passed
        ]
    }


def passed_of(*parts: dict[str, Any]) -> list[Passed]:
    """The windows that were enough, of parts that notebooks handed over."""
    return [
        Passed(Traffic(*(one[name] for name in _TRAFFIC)), one["window"], one["shown"])
        for part in parts
        for one in part["passed"]
    ]
