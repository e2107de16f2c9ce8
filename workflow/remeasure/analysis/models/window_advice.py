"""Which anti-replay window to set: one rule for the notebook's table and for the site's page My
tunnel.

The model of packets that leave evenly asks for too narrow a window, since real senders leave in
bursts (models.departures). So what it asks for is widened by the most that a captured run asked
for, at the same jitter, and rounded up to a power of two. Where a window was measured that dropped
next to nothing, the narrowest such window is the advice instead. It bounds the advice elsewhere: a
slower sender behind less jitter needs no wider window, and a faster one behind more jitter no
narrower one.

The page computes nothing of this. It reads a grid: for each jitter and window the highest rate for
which the window is enough (`highest_rates`), and between two jitters the rate of the greater one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from remeasure.analysis.models import departures
from remeasure.analysis.models.window_acceptance import (
    DEFAULT,
    accepted_share,
    needed_window,
    settable_window,
)
from remeasure.ipsec.tunnel import LARGEST_WINDOW

ALLOWED = 0.001
"""share of the arriving packets that the window to set may drop"""
WINDOWS = tuple(2**power for power in range(5, LARGEST_WINDOW.bit_length()))
"""windows that are advised, from strongSwan's default to the widest of Linux [packets]"""
_CLOSE = 1e-6
"""difference of two rates, relative to them, that is none"""
_PRECISE = 1e-3
"""precision of `highest_rate`, relative to it"""

assert WINDOWS[0] == DEFAULT and WINDOWS[-1] == LARGEST_WINDOW


@dataclass(frozen=True)
class Advice:
    """What to set at one rate and jitter."""

    window: int | None
    """packets; None: more than Linux takes"""
    measured: bool = False
    """True if this window was measured there, False if it comes from the model"""

    def __str__(self) -> str:
        return f"{self.window or 'beyond'}{'*' if self.measured else ''}"


@dataclass(frozen=True)
class Enough:
    """The narrowest measured window that dropped at most ALLOWED in every run."""

    packets_per_second: float
    jitter_s: float
    """standard deviation of the delay [s]"""
    window: int
    """packets"""

    def is_at(self, packets_per_second: float, jitter_s: float) -> bool:
        """Whether it was measured at this rate and jitter."""
        return bool(
            np.isclose(self.packets_per_second, packets_per_second, rtol=_CLOSE)
            and np.isclose(self.jitter_s, jitter_s, rtol=_CLOSE)
        )


def advise(packets_per_second: float, jitter_s: float, measured: Sequence[Enough] = ()) -> Advice:
    """The window to set. `measured`: at each rate and jitter that was measured, the narrowest
    window that was enough."""
    for enough in measured:
        if enough.is_at(packets_per_second, jitter_s):
            return Advice(enough.window, True)
    needed = needed_window(1 - ALLOWED, packets_per_second, jitter_s)
    window = settable_window(widening(jitter_s) * needed)
    return Advice(bounded(window, packets_per_second, jitter_s, measured))


def bounded(
    window: int | None, packets_per_second: float, jitter_s: float, measured: Iterable[Enough]
) -> int | None:
    """What the model asks for, but no narrower than what was needed at a lower rate and less
    jitter, and no wider than what was enough at a higher rate and more jitter."""
    for enough in measured:
        faster = packets_per_second - enough.packets_per_second
        later = jitter_s - enough.jitter_s
        if faster >= 0 and later >= 0 and window is not None:
            window = max(window, enough.window)
        elif faster <= 0 and later <= 0 and (window is None or window > enough.window):
            window = enough.window
    return window


@cache
def widening(jitter_s: float) -> float:
    """How many times as wide a window the captured run that asks for most needs, as packets that
    leave evenly. The runs' rates are taken to stand for others."""
    runs = departures.captured_runs()
    return max(departures.widening(run, 1 - ALLOWED, jitter_s) for run in runs)


def highest_rate(window: int, jitter_s: float) -> float:
    """The highest rate [packets/s] at which the model asks for no more than `window`; 0 if there is
    none."""
    # The model widens a window that lets 1 - ALLOWED pass: backwards, it narrows the one to set.
    even = int(window / widening(jitter_s))
    if even == 0:
        return 0.0
    low, high = 0.0, float(window)  # packets within one jitter; a window of as many is too narrow
    while high - low > _PRECISE * high:
        middle = (low + high) / 2
        if accepted_share(even, middle, 1.0) >= 1 - ALLOWED:
            low = middle
        else:
            high = middle
    return low / jitter_s


def highest_rates(jitters_s: Sequence[float]) -> np.ndarray:
    """`highest_rate` [packets/s] of each of `jitters_s`, which rise, and each of WINDOWS; shape
    (jitters, windows). A window that is enough for a jitter is taken to be enough for those below,
    where the model says otherwise because a window of even departures cannot be below one."""
    rates = [[highest_rate(window, jitter) for window in WINDOWS] for jitter in jitters_s]
    return np.maximum.accumulate(np.array(rates)[::-1])[::-1]
