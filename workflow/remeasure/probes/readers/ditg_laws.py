"""What must hold between the numbers that ITGDec of D-ITG prints of one flow.

ITGDec prints the only flow of a log twice, the second time as the total. Times and delays have six
digits behind the point, and the share of loss two. Delays are a difference of two clocks, so they
may have any sign. In the log that the sender wrote, both times are the sender's, and every delay is
exactly 0.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from remeasure.probes.readers.printed import agree, ordered

_STEP = 1e-6
"""unit of the last digit of times, delays and rates"""
_PERCENT = 0.01
"""unit of the last digit of the share of loss [%]"""
_SQUARES = 1e-7
"""share of the mean delay by which a standard deviation may be wrong, as ITGDec subtracts squares:
the root of the precision of its numbers, times ten"""
_SENDERS = "delays that are not all exactly 0 (is it the sender's log?)"


class Wrong(NamedTuple):
    """A number that contradicts others."""

    name: str
    """name of the number, as ITGDec prints it"""
    expected: str


def contradictions(values: list[float], share: float) -> Iterator[Wrong]:
    """Yield what is wrong with one flow: `values` has the number of each line in order, `share`
    is the share of packets lost [%]."""
    seconds, packets, least, most, mean, jitter, deviation, *rest = values
    size, kilobits, rate, lost, burst = rest
    if packets < 2 or packets != round(packets):
        yield Wrong("Total packets", "two packets at least, a whole number")
        return
    if seconds <= 0:
        yield Wrong("Total time", "two packets at least, more than 0 s apart")
        return
    if not any((least, most, mean, jitter, deviation)):
        yield Wrong("Average delay", _SENDERS)
    yield from _of_delays(packets, least, most, mean, jitter, deviation)
    # A time that is exact to half a step makes a rate exact to the same share.
    exact = 0.5 * _STEP / seconds
    if size < packets or size != round(size):
        yield Wrong("Bytes received", f"at least {packets:.0f}, one in each packet")
    if not agree(kilobits, size * 8e-3 / seconds, kilobits * exact + _STEP):
        yield Wrong("Average bitrate", f"{size * 8e-3 / seconds:.6f} Kbit/s, from bytes and time")
    if not agree(rate, packets / seconds, rate * exact + _STEP):
        yield Wrong("Average packet rate", f"{packets / seconds:.6f} pkt/s, from packets and time")
    if lost < 0 or lost != round(lost):
        yield Wrong("Packets dropped", "a whole number from 0")
    elif not agree(share, 100 * lost / (packets + lost), 0.5 * _PERCENT + _STEP):
        yield Wrong("Packets dropped", f"{100 * lost / (packets + lost):.2f} %, from both counts")
    elif not min(lost, 1) <= burst <= lost:
        yield Wrong("Average loss-burst size", f"{min(lost, 1):g} to {lost:.0f}, the packets lost")


def _of_delays(
    packets: float, least: float, most: float, mean: float, jitter: float, deviation: float
) -> Iterator[Wrong]:
    if not ordered(least, mean, most, within=_STEP):
        yield Wrong("Average delay", f"{least:.6f} s to {most:.6f} s, the extremes")
        return
    widest = most - least
    if not 0 <= jitter <= widest + 2 * _STEP:
        yield Wrong("Average jitter", f"0 s to {widest:.6f} s, the range of the delays")
    # Half at either extreme is as far apart as delays can be.
    farthest = widest / 2 * math.sqrt(packets / (packets - 1)) + 2 * _STEP + _SQUARES * abs(mean)
    if not 0 <= deviation <= farthest:
        yield Wrong("Delay standard deviation", f"0 s to {farthest:.6f} s, half the range")


def interval_contradiction(
    kilobits: float, delay: float, jitter: float, lost: float, ms: int
) -> str:
    """What is expected instead of an interval of so many ms whose numbers contradict each other;
    empty if they do not."""
    size = kilobits * ms / 8
    if not agree(size, round(size), _STEP * ms / 8):
        return "a bitrate of whole bytes"
    if lost != round(lost):
        return "a whole number of lost packets"
    if not kilobits and (delay or jitter):
        return "no delay and no jitter where nothing arrived"
    return ""


def sent_by_itself(delays: list[tuple[float, float]]) -> str:
    """What is expected of the bitrate and mean delay of all intervals, if they are of the sender's
    log; else empty."""
    arrived = [delay for kilobits, delay in delays if kilobits]
    # Where clocks differ by as much as a packet takes, one interval may have a mean of 0.
    return _SENDERS if len(arrived) > 1 and not any(arrived) else ""
