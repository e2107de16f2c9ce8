"""The part of My tunnel that says which replay window to set, from notebook replay_window."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from remeasure.analysis.models import two_paths, window_advice
from remeasure.analysis.models.window_advice import ALLOWED, WINDOWS, Enough, bounded

DELAYS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 200)
"""jitters and skews of the grid [ms]; the page reads one between two of them at the greater one,
and one below all at the least. There the bursts of the captured sender decide, which leave within
microseconds, and its capture is precise to 1 us"""
GIGABIT = 1000
"""rate of a link that is faster than those measured [Mbit/s]"""
_JITTERS = (1, 5, 20, 50)
"""jitters of `gigabit_advice` [ms]"""
_DIGITS = 4
"""significant digits of a rate in the grid"""


def window_part(measured: Sequence[Enough], length: int) -> dict[str, Any]:
    """What the page needs to advise a window: for each delay of `at` [ms] and each of `windows`
    [packets] the highest rate [packets/s] for which it is enough, behind jitter and behind two
    paths; and what was measured, with packets of `length` [byte]."""
    seconds = [ms / 1e3 for ms in DELAYS]
    return {
        "windows": list(WINDOWS),
        "allowed": ALLOWED,
        "length": length,
        "at": list(DELAYS),
        "jitter": _table(window_advice.highest_rates(seconds)),
        "skew": _table(two_paths.highest_rates(seconds)),
        "measured": [
            {
                "per_second": enough.packets_per_second,
                "rate": enough.packets_per_second * length * 8 / 1e6,
                "jitter": enough.jitter_s * 1e3,
                "window": enough.window,
            }
            for enough in measured
        ],
    }


def measured_of(part: dict[str, Any]) -> list[Enough]:
    """The measured windows of a `window_part`."""
    return [
        Enough(one["per_second"], one["jitter"] / 1e3, one["window"]) for one in part["measured"]
    ]


def advised(
    part: dict[str, Any], path: str, per_second: float, delay_ms: float
) -> tuple[int | None, str]:
    """The window to set [packets] by a `window_part`, None if none is wide enough, and where that
    comes from: 'order', 'measured', 'bounded', 'model' or 'beyond'. `path`: 'none' if it keeps the
    order of packets, 'jitter', 'skew' or 'queue'; `delay_ms`: the jitter, the skew or the longest
    wait. As tunnel-model.js reads the grid."""
    if path == "none" or delay_ms == 0:
        return part["windows"][0], "order"
    measured = measured_of(part) if path == "jitter" else []
    for enough in measured:
        if enough.is_at(per_second, delay_ms / 1e3):
            return enough.window, "measured"
    # A packet that waits in a queue is late as one on the slower of two paths.
    grid = part["skew" if path == "queue" else path]
    longer = (grid[i] for i, at in enumerate(part["at"]) if at >= delay_ms)
    rates: list[float] = next(longer, [])
    pairs = zip(part["windows"], rates, strict=False)
    window = next((window for window, highest in pairs if per_second <= highest), None)
    found = bounded(window, per_second, delay_ms / 1e3, measured)
    if found is None:
        return None, "beyond"
    return found, "model" if found == window else "bounded"


def gigabit_advice(part: dict[str, Any]) -> str:
    """Which window to set at 1 Gbit/s, by a `window_part` (sentences)."""
    per_second = GIGABIT * 1e6 / 8 / part["length"]
    found = {ms: advised(part, "jitter", per_second, ms)[0] for ms in _JITTERS}
    enough = [f"{window} packets at {ms} ms of jitter" for ms, window in found.items() if window]
    beyond = [f"{ms}" for ms, window in found.items() if not window]
    says = [f"asks for {_listed(enough, 'and')}"] if enough else []
    if beyond:
        says.append(f"finds no window wide enough at {_listed(beyond, 'or')} ms")
    return (
        f"We did not measure jitter at {GIGABIT} Mbit/s. With {part['length']} bytes of payload in "
        f"a packet a model {' and '.join(says)}. The model alone is optimistic near 100 %, so we "
        "widened its windows for the bursts that we captured. A sender with larger bursts needs "
        "more."
    )


def _listed(words: list[str], last: str) -> str:
    """'1, 2 or 3'."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _table(rates: np.ndarray) -> list[list[float]]:
    return [[_rounded_down(float(rate)) for rate in row] for row in rates]


def _rounded_down(rate: float) -> float:
    if rate == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(rate)) + 1 - _DIGITS)
    return math.floor(rate / unit) * unit
