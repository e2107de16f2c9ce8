"""How many reordered packets an anti-replay window accepts: a prediction without fitted parameters.

A receiver drops a packet whose sequence number is a window or more behind the highest that it has
seen (RFC 4303, section 3.4.3). Packet i is sent at i / rate and delayed by d. Packet i + k, delayed
by d', overtakes it if d' < d - k / rate. Packet i passes if no packet from i + window on has
overtaken it. If delays are independent of each other, the probability is a product over k, averaged
over d.

Two limits. Real senders do not send evenly; models.departures says what that changes. And netem
draws each packet's delay independently, which no real path does: how far a path reorders has to be
measured on it (RFC 4737 has the metrics).
"""

import bisect
from functools import cache

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.special import ndtr as normal_share

from remeasure.testbed.netem import Netem

DEFAULT = 32
"""window of strongSwan unless told otherwise: `replay_window` in swanctl.conf(5) [packets]"""
LARGEST = 4096
"""widest window that Linux takes: XFRMA_REPLAY_ESN_MAX in linux/xfrm.h [packets]"""
_TAILS = 6
"""largest distance of a delay from its mean that is considered [standard deviations]"""
_FEW = 3000
"""number of overtaking packets up to which each one is computed separately"""


@cache
def accepted_share(
    window: int, packets_per_second: float, jitter_s: float, loss: float = 0.0, steps: int = 801
) -> float:
    """Share of arriving packets that pass the window, 0 to 1.

    `window` is in packets, 0 for no anti-replay service. Delays are normally distributed with the
    standard deviation `jitter_s` [s] around any mean, as netem's `distribution normal` draws them
    (tc-netem(8)). `loss` (0 to 1) is the share of packets lost before they can overtake.
    """
    if window == 0 or jitter_s == 0:
        return 1.0
    delays = np.linspace(-_TAILS, _TAILS, steps)
    weights = np.exp(-(delays**2) / 2) / np.sqrt(2 * np.pi)
    step = 1 / (packets_per_second * jitter_s)
    """time between packets [standard deviations of the delay]"""
    furthest = _furthest(packets_per_second * jitter_s)
    if window > furthest:
        return 1.0
    if furthest - window < _FEW:
        behind = np.arange(window, furthest + 1) * step
        logarithms = _not_overtaken(delays[:, None] - behind[None, :], loss).sum(axis=1)
    else:
        # With this many packets their sum is computed as an integral, by the midpoint rule.
        ahead = np.linspace(-2 * _TAILS, _TAILS, 50 * steps)
        summed = cumulative_trapezoid(_not_overtaken(ahead, loss), ahead, initial=0)
        logarithms = np.interp(delays - (window - 0.5) * step, ahead, summed) / step
    return float((np.exp(logarithms) * weights).sum() / weights.sum())


def predicted_share(window: int, packets_per_second: float, impairment: Netem) -> float:
    """The `accepted_share` behind a network that netem makes. If netem has a rate, it lets no
    packet overtake another."""
    jitter_ms = 0.0 if impairment.rate_bits else impairment.jitter_ms
    return accepted_share(
        window, packets_per_second, jitter_ms / 1e3, impairment.loss_percent / 100
    )


def _furthest(packets: float) -> int:
    """How many packets behind the newest one a packet can be at most, if as many as `packets` leave
    in one standard deviation of the delay."""
    return int(np.ceil(2 * _TAILS * packets))


def _not_overtaken(ahead: np.ndarray, loss: float) -> np.ndarray:
    """Logarithm of the probability that one packet does not overtake; to do so, its delay must be
    smaller by `ahead` standard deviations or more."""
    return np.log1p(-np.minimum((1 - loss) * normal_share(ahead), 1 - 1e-16))


def needed_window(
    share: float, packets_per_second: float, jitter_s: float, loss: float = 0.0
) -> int:
    """The smallest window [packets] that lets `share` of the packets pass."""

    def enough(window: int) -> bool:
        return accepted_share(window, packets_per_second, jitter_s, loss, steps=201) >= share

    return 1 + bisect.bisect_left(
        range(1, _furthest(packets_per_second * jitter_s)), True, key=enough
    )


def settable_window(needed: float) -> int | None:
    """The smallest power of two from strongSwan's default on that is at least `needed` [packets];
    None if that is more than Linux takes."""
    window = DEFAULT
    while window < needed:
        window *= 2
    return window if window <= LARGEST else None
