"""The anti-replay window to set: one function for notebooks, paper, guide and the site's page My
tunnel, which computes the same in the browser (site/_static/tunnel-model.js).

Models of packets that leave evenly give too narrow a window, since real senders leave in bursts
(models.departures). Their windows are widened by the most that a captured run needs, but by no more
than the port of the sender allows: no burst is faster than its line rate. The result is rounded up
to a power of two.

Behind jitter the model is models.window_acceptance. Behind two paths, or a queue that prefers a
class, a packet waits while others overtake it, and the window has to exceed the packets of that
time (models.queue_reordering).

Measurements come first. Behind jitter, a window that was enough bounds the advice elsewhere: a
slower sender behind less jitter needs no wider window, and a faster one behind more jitter no
narrower one. Behind paths and queues we measured even senders, so near a window that passed the
advice is no narrower.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import floor, log10, prod

import numpy as np
from scipy.special import log_ndtr

from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.paper.analysis.models import departures, window_acceptance

ALLOWED = 0.001
"""share of the arriving packets that the window to set may drop"""
WINDOWS = tuple(2**power for power in range(5, LARGEST_WINDOW.bit_length()))
"""windows that are advised, from strongSwan's default to the widest of Linux [packets]"""
LINE_RATES = (100, 1000, 10_000, 25_000, 100_000)
"""line rates of ports [Mbit/s]"""
DELAYS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 200)
"""delays at which bursts are computed [ms]. A shorter delay counts as the least: the captured
bursts leave within microseconds, and the capture is precise to 1 us"""
NEAR = 1.25
"""how many times as great a rate or a delay may be as the measured one to be near it"""
_CLOSE = 1e-6
"""difference of two rates, relative to them, that is none"""
_DIGITS = 4
"""significant digits of numbers for the page"""
FASTER = np.linspace(-6, 6, 121)
"""places of the curve `overtaking` [standard deviations of the jitter]"""
_PACKETS = np.geomspace(0.1, 1000, 128)
"""packets within one standard deviation of the jitter, to more than LARGEST_WINDOW is enough for"""


@dataclass(frozen=True)
class Traffic:
    """The packets of an SA, and the cause of their reordering."""

    path: str
    """'none' if packets keep their order, 'jitter', 'skew' (two paths) or 'queue'"""
    rate: float
    """rate of the payload [Mbit/s]"""
    size: float
    """payload of a packet [bytes]"""
    delay: float
    """standard deviation of the jitter, skew of the paths, or longest wait [ms]"""
    line: float | None = None
    """line rate of the sender's port [Mbit/s]; None: the next of LINE_RATES"""

    @property
    def per_second(self) -> float:
        """Packets per second."""
        return self.rate * 1e6 / 8 / self.size

    @property
    def burst(self) -> float:
        """How many times the mean rate the port can send."""
        return max(1.0, (self.line or line_rate(self.rate)) / self.rate)


@dataclass(frozen=True)
class Passed:
    """The narrowest measured window that dropped at most ALLOWED in every run."""

    traffic: Traffic
    window: int
    """packets"""
    shown: bool = True
    """whether the page offers these values"""


@dataclass(frozen=True)
class Advice:
    window: int | None
    """packets; None: more than Linux takes"""
    source: str = "model"
    """'order' (the path keeps it), 'measured', 'bounded' (by measurements nearby), 'tested' (it
    passed nearby), 'model', 'widest' (of Linux: enough for packets that leave evenly, but not for
    bursts by the model) or 'beyond'"""

    def __str__(self) -> str:
        return f"{self.window or 'beyond'}{'*' if self.source == 'measured' else ''}"


def line_rate(rate: float) -> float:
    """The next of LINE_RATES at or above a rate [Mbit/s], or the rate itself above all."""
    return next((line for line in LINE_RATES if line >= rate), rate)


def advise(traffic: Traffic, passed: Sequence[Passed] = ()) -> Advice:
    """The window to set. `passed`: windows measured to be enough."""
    if traffic.path == "none" or traffic.delay == 0:
        return Advice(window_acceptance.DEFAULT, "order")
    model = window_acceptance.settable_window(needed(traffic))
    here = [one for one in passed if one.traffic.path == traffic.path]
    if traffic.path == "jitter":
        return _bounded(model, traffic, here)
    near = nearest(traffic, here)
    if model is None:
        even = window_acceptance.settable_window(needed(replace(traffic, line=traffic.rate)))
        return Advice(LARGEST_WINDOW, "widest") if near or even else Advice(None, "beyond")
    if near is None or model > near.window:
        return Advice(model)
    return Advice(near.window, "tested")


def needed(traffic: Traffic) -> float:
    """The window that the model gives [packets]. If one is enough for a delay, we take it to be
    enough for shorter delays."""
    delay = max(traffic.delay, DELAYS[0])
    longer = (one for one in DELAYS if one > delay)
    return min(_needed_at(traffic, one) for one in (delay, *longer))


def _needed_at(traffic: Traffic, delay: float) -> float:
    first = max(0, bisect_right(DELAYS, delay) - 1)
    near = DELAYS[first : first + 2]
    stretched = float(np.interp(delay, near, [_burst(traffic.path, ms) for ms in near]))
    sending = min(stretched, traffic.burst * delay)
    if traffic.path == "jitter":
        packets = traffic.per_second * delay / 1e3
        even = float(np.interp(packets, curve("packets"), curve("even")))
        return sending / delay * even
    return floor(traffic.per_second * sending / 1e3) + 1


def nearest(traffic: Traffic, passed: Sequence[Passed]) -> Passed | None:
    """The measurement nearest to a rate and delay; None if none is near."""

    def apart(one: Passed) -> list[float]:
        there = one.traffic
        pairs = (traffic.per_second, there.per_second), (traffic.delay, there.delay)
        return [max(pair) / min(pair) for pair in pairs]

    near = [one for one in passed if max(apart(one)) <= NEAR]
    return min(near, key=lambda one: prod(apart(one)), default=None)


def _bounded(model: int | None, traffic: Traffic, passed: Sequence[Passed]) -> Advice:
    """The window measured there, else the model's, but no narrower than needed at a lower rate and
    less jitter, and no wider than enough at a higher rate and more."""
    window = model
    for one in passed:
        faster = traffic.per_second / one.traffic.per_second - 1
        later = traffic.delay / one.traffic.delay - 1
        if max(abs(faster), abs(later)) <= _CLOSE:
            return Advice(one.window, "measured")
        if faster >= -_CLOSE and later >= -_CLOSE and window is not None:
            window = max(window, one.window)
        elif faster <= _CLOSE and later <= _CLOSE and (window is None or window > one.window):
            window = one.window
    if window is None:
        return Advice(None, "beyond")
    return Advice(window, "model" if window == model else "bounded")


@cache
def curve(name: str) -> list[float]:
    """The points between which `needed` and the page interpolate. 'jitter', 'skew' and 'queue': for
    each of DELAYS the time in which an even sender sends the packets of a captured burst within the
    delay [ms], of the run that needs most. 'even': for each number of 'packets' that leave evenly
    within one standard deviation of the jitter, the window [packets] that is enough. 'overtaking':
    for each of FASTER, the exponent, per packet within a standard deviation, of the probability
    that no packet overtakes one that is so much slower (models.window_acceptance)."""
    if name == "overtaking":
        fine = np.linspace(-9, 6, 15_001)
        total = np.cumsum(-log_ndtr(-fine)) * (fine[1] - fine[0])
        return _rounded(np.interp(FASTER, fine, total))
    if name == "packets":
        return _rounded(_PACKETS)
    if name == "even":
        return _rounded(
            window_acceptance.needed_window(1 - ALLOWED, packets, 1.0) for packets in _PACKETS
        )
    return [_burst(name, ms) for ms in DELAYS]


@cache
def _burst(path: str, ms: float) -> float:
    """A point of a curve of bursts: of 'jitter', 'skew' or 'queue', at one of DELAYS."""
    bursts = departures.widening if path == "jitter" else departures.bursts
    runs = departures.captured_runs()
    return _rounded([ms * max(1.0, *(bursts(run, 1 - ALLOWED, ms / 1e3) for run in runs))])[0]


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(one, _DIGITS - 1 - floor(log10(one))) for one in map(float, values)]
