"""Reading the JSON of iperf3, version 3.12 or later. Versions up to 3.9 have one object for UDP,
`sum`, which mixes what both ends counted (iperf_api.c, iperf_print_results); they are refused."""

from collections.abc import Callable, Iterable
from typing import Any

from remeasure.bench.probes.base import LogError, json_in
from remeasure.bench.probes.metrics import Side, Value

_REST_BLOCKS, _REST_SHARE = 64, 0.05
"""blocks, or share of all bytes, that a sender may have written between its last interval and its
total, at most; 3 blocks and 0.032 have been seen"""
_LATE_BLOCKS = 64
"""blocks that a receiving client may have read between its last interval and its total, at most: it
reads in a thread of its own; 1 has been seen"""


def read_run(file: str, content: bytes) -> Iterable[Value]:
    """Yield the values in a log. The line of a value is the one where its object starts. Raises
    LogError if the log is not JSON of iperf3, of a run that failed, or contradicts itself as real
    logs have."""
    log, text = json_in(file, content, "iperf3"), content.decode()
    if not isinstance(log, dict) or "start" not in log or "end" not in log:
        raise LogError(file, 1, text[:60], "the JSON of iperf3, with start and end")
    line = _line_finder(text)
    if log.get("error"):
        raise LogError(file, line("error"), str(log["error"]), "a run without error")
    if not log.get("intervals"):
        raise LogError(file, line("intervals"), "no interval", "one at least")
    settings, end = log["start"]["test_start"], log["end"]
    if "sum_received" not in end:
        raise LogError(file, line("end"), "no sum_received", "a log of iperf3 3.12 or later")
    reverse = bool(settings["reverse"])
    _check_total(file, log, "sum_received" if reverse else "sum_sent", reverse, line)
    side: Side = "receiver" if reverse else "sender"
    for index, interval in enumerate(log["intervals"]):
        rate = interval["sum"]["bits_per_second"] / 1e6
        yield Value("goodput_interval", rate, line("intervals"), index, side)
    sent, received = end["sum_sent"], end["sum_received"]
    yield Value("goodput", received["bits_per_second"] / 1e6, line("sum_received"))
    yield Value("received_bytes", received["bytes"], line("sum_received"))
    if settings["protocol"] == "UDP":
        yield from _datagrams(file, sent, received, line)
    elif "retransmits" in sent:  # not where the system does not tell, as Windows
        yield Value("retransmits", sent["retransmits"], line("sum_sent"))


def _check_total(
    file: str, log: dict[str, Any], key: str, reverse: bool, line: Callable[[str], int]
) -> None:
    """The intervals, which are the client's, and the client's total count the same traffic."""
    counted = sum(interval["sum"]["bytes"] for interval in log["intervals"])
    total, size = log["end"][key]["bytes"], log["start"]["test_start"]["blksize"]
    rest = _LATE_BLOCKS * size if reverse else max(_REST_BLOCKS * size, _REST_SHARE * total)
    if not counted <= total <= counted + rest:
        expected = f"{counted}, the bytes of the intervals"
        raise LogError(file, line(key), f"{total} bytes in {key}", expected)


def _datagrams(
    file: str, sent: dict[str, Any], received: dict[str, Any], line: Callable[[str], int]
) -> Iterable[Value]:
    """Values of a run of UDP, from the totals of both ends."""
    packets, lost, here = received["packets"], received["lost_packets"], line("sum_received")
    if packets == 0:
        raise LogError(file, here, "0 packets", "a receiver that counted datagrams")
    if not 0 <= lost <= packets:
        found = f"{lost} of {packets} datagrams lost"
        raise LogError(file, here, found, "no more lost than sent")
    yield Value("sent", packets, here)
    yield Value("offered", sent["packets"], line("sum_sent"))
    yield Value("lost", lost, here)
    yield Value("loss", received["lost_percent"], here)
    yield Value("jitter", received["jitter_ms"], here)


def _line_finder(text: str) -> Callable[[str], int]:
    """A function: key -> line (from 1) of its last appearance as an object's key at the start of a
    line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, quote, _ = line.strip().removeprefix('"').partition('":')
        if quote:
            lines[key] = number
    return lambda key: lines.get(key, 1)
