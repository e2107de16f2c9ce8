"""The packets of an SA that the anti-replay window refuses because they waited while others went
on: a prediction without fitted parameters.

A packet that waits `wait_s` longer than the packets behind it, which leave at `packets_per_second`,
arrives `wait_s * packets_per_second` numbers behind the newest. The receiver refuses it if these
are a window or more (RFC 4303, section 3.4.3). Packets that wait equally long share one fate: as
the window grows, the refused share falls from all to none at once.

Two causes of waiting:

- Two paths that take packets in turn: every second packet is late by the skew of the paths.
- A full queue behind ESP, which packets of a favoured class pass: all others wait for the packets
  in front of them. The favoured class takes its part of the link first, so the queue empties at the
  rest of the rate. A queue that holds `queue_s` of the link's rate then makes a packet wait
  `queue_s / (1 - favoured part)`. Below a load of 1 there is no queue, and nobody waits.

Short runs show how a queue begins and ends, and both are counted here. A queue fills with the
surplus over the rate, once the bucket's tokens are spent; packets that come before it is long
enough pass. At the end of a run too few packets follow to overtake the last packets of a window.

The model counts whole packets, so a wait of some packets is off by one. Its senders are even.
"""

from typing import NamedTuple

from remeasure.paper.analysis.models.window_acceptance import settable_window


class Sent(NamedTuple):
    """Packets of one SA."""

    packets: int
    per_second: float

    @property
    def seconds(self) -> float:
        return self.packets / self.per_second


class Predicted(NamedTuple):
    behind: float
    """numbers by which a packet with the longest wait is behind the newest"""
    refused: float
    """packets that the window refuses"""


class Queue(NamedTuple):
    """A queue behind a token bucket, of all packets that are not of the favoured class."""

    rate_bytes: float
    """rate of the link [bytes/s]"""
    queue_s: float
    """time in which the link sends a full queue [s]"""
    burst_bytes: float
    """size of the bucket"""
    frame_bytes: float
    """size of a packet on the link"""
    favoured: float
    """share of packets in the favoured class, 0 to 1"""

    def load(self, sent: Sent) -> float:
        """Offered rate over the link's."""
        return sent.per_second * self.frame_bytes / self.rate_bytes

    def wait_s(self, sent: Sent) -> float:
        """Longest wait of a packet outside the favoured class [s]."""
        load = self.load(sent)
        return self.queue_s / (1 - load * self.favoured) if load > 1 else 0.0


def needed_window(wait_s: float, per_second: float) -> int | None:
    """The narrowest power of two that refuses nothing, from strongSwan's default on [packets]; None
    if it exceeds the widest window of Linux."""
    return settable_window(int(wait_s * per_second) + 1)


def refused_behind_paths(sent: Sent, skew_s: float, window: int) -> Predicted:
    """Packets go by two paths in turn, of which one is slower by `skew_s`."""
    behind = skew_s * sent.per_second
    refused = (sent.packets - window) / 2 if behind >= window else 0.0
    return Predicted(behind, max(0.0, refused))


def refused_behind_queue(sent: Sent, queue: Queue, window: int) -> Predicted:
    """Packets of a favoured class pass the others in `queue`."""
    behind = queue.wait_s(sent) * sent.per_second
    if not queue.favoured or behind < window:
        return Predicted(behind if queue.favoured else 0.0, 0.0)
    load = queue.load(sent)
    waiting = sent.per_second * (1 - queue.favoured)
    drained = queue.rate_bytes / queue.frame_bytes * (1 - load * queue.favoured)
    through = drained * (sent.seconds + queue.wait_s(sent))
    # The queue is long enough once it holds so many bytes.
    long_enough = queue.queue_s * queue.rate_bytes * window / behind
    excess = (load - 1) * queue.rate_bytes
    before = waiting * (queue.burst_bytes + long_enough) / excess
    at_the_end = window * drained / sent.per_second
    return Predicted(behind, max(0.0, through - before - at_the_end))
