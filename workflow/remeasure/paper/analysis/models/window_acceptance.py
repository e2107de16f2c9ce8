"""How many reordered packets an anti-replay window accepts: a prediction without fitted parameters.

A receiver drops a packet whose sequence number is a window or more behind the highest that it has
seen (RFC 4303, section 3.4.3). Packet i is sent at i / rate and delayed by d. Packet i + k, delayed
by d', overtakes it if d' < d - k / rate. Packet i passes if no packet from i + window on has
overtaken it. If delays are independent of each other, the probability is a product over k, averaged
over d.

Two limits. Real senders do not send evenly (models.departures). And netem draws each packet's delay
independently, which no real path does: reordering of a path has to be measured on it (RFC 4737 has
the metrics).
"""

import bisect
from functools import lru_cache
from math import ceil

import numpy as np
from scipy.special import ndtr as normal_share

from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.bench.testbed.treatments.shaping import Netem

DEFAULT = 32
"""window of strongSwan unless told otherwise: `replay_window` in swanctl.conf(5) [packets]"""
_TAILS = 6
"""largest distance of a delay from its mean that is considered [standard deviations]"""
_SPACING = 0.015
"""largest distance between delays whose probabilities are summed [standard deviations]"""


def accepted_share(
    window: int, packets_per_second: float, jitter_s: float, loss: float = 0.0
) -> float:
    """Share of arriving packets that pass the window, 0 to 1. `window` is in packets, 0 for no
    anti-replay service. Delays are normally distributed with the standard deviation `jitter_s` [s]
    around any mean, as netem's `distribution normal` draws them (tc-netem(8)). `loss` (0 to 1) is
    the share of packets lost before they can overtake."""
    if window == 0 or jitter_s == 0:
        return 1.0
    weights, logarithms, interval = _overtaken_by_none(packets_per_second * jitter_s, loss)
    # Only packets from the window on count: they have to be faster by as many intervals more.
    logarithms = logarithms[: max(0, len(logarithms) - window * interval)][-len(weights) :]
    passed = np.ones(len(weights))
    passed[len(weights) - len(logarithms) :] = np.exp(logarithms)
    return float((passed * weights).sum() / weights.sum())


@lru_cache(maxsize=8)
def _overtaken_by_none(packets: float, loss: float) -> tuple[np.ndarray, np.ndarray, int]:
    """The model for every window, where `packets` leave within one standard deviation of the delay:

    - the weight of each delay, evenly spaced;
    - the logarithm of the probability that a packet with this delay, or less, is overtaken by no
      packet that leaves with it or later; the delays above are the last of them;
    - the time from one packet to the next, counted in the distance between two delays.
    """
    interval = max(1, ceil(1 / (packets * _SPACING)))
    tail = ceil(_TAILS * packets * interval)
    delays = np.arange(-3 * tail, tail + 1) / (packets * interval)
    one = np.log1p(-np.minimum((1 - loss) * normal_share(delays), 1 - 1e-16))
    # The sum over delays that differ by one interval gives the effect of all packets.
    rows = np.concatenate([np.zeros(-len(one) % interval), one]).reshape(-1, interval)
    logarithms = rows.cumsum(axis=0).ravel()[-len(one) :]
    return np.exp(-(delays[2 * tail :] ** 2) / 2), logarithms, interval


def predicted_share(window: int, packets_per_second: float, impairment: Netem) -> float:
    """The `accepted_share` behind a network of netem. A netem with a rate lets no packet overtake
    another."""
    jitter_ms = 0.0 if impairment.rate_bits else impairment.jitter_ms
    return accepted_share(
        window, packets_per_second, jitter_ms / 1e3, impairment.loss_percent / 100
    )


def needed_window(share: float, packets_per_second: float, jitter_s: float) -> int:
    """The smallest window [packets] that lets `share` of the packets pass."""

    def enough(window: int) -> bool:
        return accepted_share(window, packets_per_second, jitter_s) >= share

    furthest = ceil(2 * _TAILS * packets_per_second * jitter_s)
    return 1 + bisect.bisect_left(range(1, furthest), True, key=enough)


def settable_window(needed: float) -> int | None:
    """The smallest power of two from strongSwan's default on that is at least `needed` [packets];
    None if it exceeds the widest window of Linux."""
    window = DEFAULT
    while window < needed:
        window *= 2
    return window if window <= LARGEST_WINDOW else None
