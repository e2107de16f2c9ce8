"""Which anti-replay window to set: one rule for the notebook's table and for the site's slider.

The model of packets that leave evenly asks for too narrow a window, since real senders leave in
bursts (models.departures). So what it asks for is widened by the most that a captured run asked
for, at the same jitter, and rounded up to a power of two. Where a window was measured that dropped
next to nothing, the narrowest of these is the advice instead.
"""

from dataclasses import dataclass
from functools import cache

from remeasure.analysis.models import departures
from remeasure.analysis.models.replay_window import (
    accepted_share,
    needed_window,
    settable_window,
)

ALLOWED = 0.001
"""share of the arriving packets that the window to set may drop"""


@dataclass(frozen=True)
class Advice:
    """What to set at one rate and jitter."""

    window: int | None
    """packets; None: more than Linux takes"""
    measured: bool = False
    """True if this window was measured there, False if it comes from the model"""

    def __str__(self) -> str:
        return f"{self.window or 'beyond'}{'*' if self.measured else ''}"


def advise(packets_per_second: float, jitter_s: float, measured: int | None = None) -> Advice:
    """The window to set. `measured`: the narrowest that dropped at most ALLOWED in every run there;
    None if none did, or nothing was measured there."""
    if measured:
        return Advice(measured, True)
    needed = needed_window(1 - ALLOWED, packets_per_second, jitter_s)
    return Advice(settable_window(widening(jitter_s) * needed))


@cache
def widening(jitter_s: float) -> float:
    """How many times as wide a window the captured run that asks for most needs, as packets that
    leave evenly. The runs' rates are taken to stand for others."""
    runs = departures.captured_runs()
    return max(departures.widening(run, 1 - ALLOWED, jitter_s) for run in runs)


def widened_share(window: int, packets_per_second: float, jitter_s: float) -> float:
    """Share of the arriving packets that pass a window, 0 to 1, by the model as `advise` uses it: a
    window of so many packets does what one narrower by `widening` does for even departures."""
    return accepted_share(int(window / widening(jitter_s)), packets_per_second, jitter_s)
