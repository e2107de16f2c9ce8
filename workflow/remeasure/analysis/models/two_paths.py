"""Which anti-replay window to set where packets of one SA go by two paths, of which one is slower.

A packet on the slower path arrives when all that were sent on the faster one during the skew, the
difference of the two delays, have overtaken it. So it is behind by as many packets as leave within
one skew, and it passes if the window is wider than that. Scenario reordering-causes has measured
this behind senders that send evenly. Packets of real senders leave in bursts (models.departures),
so more packets than on average may leave within a skew. The captured run that asks for most decides
how many more; this part is a model alone.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from remeasure.analysis.models import departures
from remeasure.analysis.models.window_acceptance import settable_window
from remeasure.analysis.models.window_advice import ALLOWED, WINDOWS, Advice


def advise_for_skew(packets_per_second: float, skew_s: float) -> Advice:
    """The window to set behind two paths."""
    return Advice(settable_window(1 + packets_per_second * skew_s * bursts(skew_s)))


@cache
def bursts(skew_s: float) -> float:
    """How many times as many packets as on average left within `skew_s` [s] after a packet, for all
    but ALLOWED of the packets of the captured run in which this is most."""
    return max(_bursts_of(run, skew_s) for run in departures.captured_runs())


def _bursts_of(run: departures.CapturedRun, skew_s: float) -> float:
    places = np.arange(len(run.sent))
    after = np.searchsorted(run.sent, run.sent + skew_s, side="right") - 1 - places
    return float(np.quantile(after, 1 - ALLOWED)) / (run.packets_per_second * skew_s)


def highest_rates(skews_s: Sequence[float]) -> np.ndarray:
    """The highest rate [packets/s] for which each of WINDOWS is enough, at each of `skews_s`, which
    rise; shape (skews, windows). A window that is enough for a skew is enough for those below."""
    rates = [[(window - 1) / (skew * bursts(skew)) for window in WINDOWS] for skew in skews_s]
    return np.maximum.accumulate(np.array(rates)[::-1])[::-1]
