"""What real logs of iperf3 have broken, and what is therefore checked within each.

A log that somebody edited has another hash than its trial says, and no line of it is read.
"""

from remeasure.bench.probes.readers.iperf3_log import Run

_REST_BLOCKS, _REST_SHARE = 64, 0.05
"""blocks, or share of all bytes, that a sender may have written between its last interval and its
total, at most; 3 blocks and 0.032 have been seen"""
_LATE_BLOCKS = 64
"""blocks that a receiving client may have read between its last interval and its total, at most: it
reads in a thread of its own; 1 has been seen"""


def check(run: Run) -> None:
    """Raises LogError if the log contradicts itself."""
    if not run.log.get("intervals"):
        raise run.wrong("intervals", "no interval", "one at least")
    if run.udp:
        _check_lost(run)
    _check_total(run)


def _check_lost(run: Run) -> None:
    key = "sum_received" if "sum_received" in run.log["end"] else "sum"
    total = run.log["end"][key]
    if total["packets"] == 0:
        raise run.wrong(key, "0 packets", "a receiver that counted datagrams")
    if not 0 <= total["lost_packets"] <= total["packets"]:
        # Seen with version 3.9, in a download whose datagrams overtook each other.
        found = f"{total['lost_packets']} of {total['packets']} datagrams lost"
        raise run.wrong(key, found, "no more lost than sent")


def _check_total(run: Run) -> None:
    """The intervals, which are the client's, and the client's total count the same traffic."""
    end = run.log["end"]
    single = "sum_received" not in end
    key = "sum" if single else "sum_received" if run.reverse else "sum_sent"
    counted = sum(interval["sum"]["bytes"] for interval in run.log["intervals"])
    total, size = end[key]["bytes"], run.settings["blksize"]
    rest = max(_REST_BLOCKS * size, _REST_SHARE * total)
    if run.reverse:
        # `sum` has the sender's bytes, of which any number are lost or still on their way.
        rest = total if single else _LATE_BLOCKS * size
    if not counted <= total <= counted + rest:
        found = f"{total} bytes in {key}"
        raise run.wrong(key, found, f"{counted}, the bytes of the intervals")
