"""What must hold between the totals of one run of iperf3, and between totals and intervals.

Both ends count, and at the end of a run each has its own time. The client has the intervals.
"""

from collections.abc import Iterable
from typing import Any

from remeasure.probes.readers.iperf3_log import Run
from remeasure.probes.readers.iperf3_sums import DIGITS, check_rate, check_sum
from remeasure.probes.readers.printed import agree

_LATE_S = 0.1
"""time by which the last interval may end before the run was to end [s]: a timer's grain"""
_REST_BLOCKS, _REST_SHARE = 64, 0.05
"""blocks, or share of all bytes, that a sender may have written between its last interval and its
total, at most; 3 blocks and 0.032 have been seen"""
_LATE_BLOCKS = 64
"""blocks that a receiving client may have read between its last interval and its total, at most: it
reads in a thread of its own; 1 has been seen"""
_LEAST_SENT = 0.5
"""share of the datagrams counted as sent that the system took, at least"""
_APART_S, _APART_SHARE = 2, 0.25
"""time, or share of the run, by which the two ends may disagree on how long it took: what was on
its way when the sender stopped"""


def check_totals(run: Run) -> None:
    """Raises LogError if a total contradicts its streams, another total or the intervals."""
    for key, part in _totals(run):
        _check_total(run, key, part)
    if run.udp:
        _check_datagrams(run)
    _check_ends(run)
    _check_sent(run)


def _totals(run: Run) -> Iterable[tuple[str, str]]:
    """The totals of the run, each with the name of its part in the streams; empty for a total that
    the streams do not have."""
    end = run.log["end"]
    if not run.udp:
        return [("sum_sent", "sender"), ("sum_received", "receiver")]
    later = [("sum_sent", ""), ("sum_received", "")] if "sum_received" in end else []
    return [*later, ("sum", "udp")] if "sum" in end else later


def _check_total(run: Run, key: str, part: str) -> None:
    total, streams = run.log["end"][key], run.log["end"]["streams"]
    if total["start"] != 0 or not agree(total["end"], total["seconds"], DIGITS * total["end"]):
        found = f"{total['seconds']} s"
        raise run.wrong(key, found, f"{total['start']} s to {total['end']} s, from 0")
    if part:
        check_sum(run, key, key, total, [stream[part] for stream in streams])
    # The rate in `sum` is of the sender's bytes and time, and its time the receiver's.
    own = streams[0]["udp"]["end"] if part == "udp" else None
    check_rate(run, key, key, total, own)


def _check_datagrams(run: Run) -> None:
    end, size = run.log["end"], run.settings["blksize"]
    key = "sum_received" if "sum_received" in end else "sum"
    total, sent = end[key], end.get("sum_sent", end[key])
    # The share is of what was sent, or of what the receiver knows to have been sent.
    shares = [100 * total["lost_packets"] / one["packets"] for one in (total, sent)]
    if not any(agree(total["lost_percent"], share, DIGITS * share) for share in shares):
        found = f"{total['lost_percent']} % lost"
        raise run.wrong(key, found, f"{shares[0]:g} %, from both counts")
    # A datagram that the system refused to send is counted without its bytes.
    whole, rest = divmod(sent["bytes"], size)
    if rest or not _LEAST_SENT * sent["packets"] <= whole <= sent["packets"]:
        found = f"{sent['bytes']} bytes sent"
        raise run.wrong(key, found, f"about {sent['packets']} datagrams of {size} bytes")
    jitters = [stream["udp"]["jitter_ms"] for stream in end["streams"]]
    mean = sum(jitters) / len(jitters)
    if not agree(total["jitter_ms"], mean, DIGITS * mean):
        raise run.wrong(key, f"jitter of {total['jitter_ms']} ms", f"{mean} ms, of its streams")
    if key == "sum":
        return
    _check_mixed(run, total, sent)
    if total["packets"] > sent["packets"]:
        found = f"{total['packets']} datagrams up to the last that arrived"
        raise run.wrong(key, found, f"at most {sent['packets']}, those sent")
    arrived = (total["packets"] - total["lost_packets"]) * size
    if total["bytes"] != arrived:
        found = f"{total['bytes']} bytes received"
        raise run.wrong(key, found, f"{arrived}, the datagrams that were not lost")


def _check_mixed(run: Run, received: dict[str, Any], sent: dict[str, Any]) -> None:
    """`sum` has counts of both ends, which have objects of their own, too."""
    whole = run.log["end"].get("sum", {})
    for one, fields in (
        (sent, ("bytes", "packets")),
        (received, ("lost_packets", "lost_percent", "jitter_ms")),
    ):
        for name in fields:
            if whole.get(name, one[name]) != one[name]:
                raise run.wrong(
                    "sum", f"{whole[name]} {name}", f"{one[name]}, as in {_OF[one is sent]}"
                )


_OF = ("sum_received", "sum_sent")


def _check_ends(run: Run) -> None:
    """No more arrived than was sent, in about the same time."""
    end, settings = run.log["end"], run.settings
    last = run.log["intervals"][-1]["sum"]["end"]
    limited = settings.get("bytes") or settings.get("blocks")
    if not limited and last < settings["duration"] - _LATE_S:
        raise run.wrong("intervals", f"{last} s of intervals", f"{settings['duration']} s")
    if "sum_received" not in end:
        return
    sent, received = end["sum_sent"], end["sum_received"]
    if received["bytes"] > sent["bytes"]:
        found = f"{received['bytes']} bytes received"
        raise run.wrong("sum_received", found, f"at most {sent['bytes']}, those sent")
    apart = max(_APART_S, _APART_SHARE * sent["end"])
    if not agree(received["end"], sent["end"], apart):
        found = f"{received['end']} s at the receiver"
        raise run.wrong("sum_received", found, f"about {sent['end']} s, as at the sender")


def _check_sent(run: Run) -> None:
    """The intervals, which are the client's, and the client's total are of the same traffic."""
    end, intervals = run.log["end"], [interval["sum"] for interval in run.log["intervals"]]
    single = "sum_received" not in end
    key = "sum" if single else "sum_received" if run.reverse else "sum_sent"
    counted, total = sum(one["bytes"] for one in intervals), end[key]["bytes"]
    size = run.settings["blksize"]
    rest = max(_REST_BLOCKS * size, _REST_SHARE * total)
    if run.reverse:
        # `sum` has the sender's bytes, of which any number are lost or still on their way.
        rest = total if single else _LATE_BLOCKS * size
    if not counted <= total <= counted + rest:
        found = f"{total} bytes in {key}"
        raise run.wrong(key, found, f"{counted}, the bytes of the intervals")
    if not agree(end[key]["end"], intervals[-1]["end"], DIGITS * intervals[-1]["end"]) and not (
        single and not run.reverse
    ):
        raise run.wrong(key, f"{end[key]['end']} s", f"{intervals[-1]['end']} s, as the intervals")
    if "retransmits" in end[key]:
        resent = sum(one["retransmits"] for one in intervals)
        if end[key]["retransmits"] != resent:
            found = f"{end[key]['retransmits']} retransmits"
            raise run.wrong(key, found, f"{resent}, the sum of the intervals")
