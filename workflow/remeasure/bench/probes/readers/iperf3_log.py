"""Reading the JSON of iperf3.

Up to version 3.9 iperf3 has one object for UDP, `sum`. Its bytes and datagrams are the sender's,
and its jitter and lost datagrams are the receiver's (iperf_api.c, iperf_print_results). In a
download, what arrived is then the sum of the seconds, which the client counted as the receiver. In
an upload, what arrived is what was sent less what was lost. That is an upper bound, since datagrams
still on their way when the receiver stopped counting are neither arrived nor lost; in 780 uploads
with later versions, which report both, the median excess is 0.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from remeasure.bench.probes.base import LogError, json_in
from remeasure.bench.probes.metrics import Side, Value

_REST_BLOCKS, _REST_SHARE = 64, 0.05
"""blocks, or share of all bytes, that a sender may have written between its last interval and its
total, at most; 3 blocks and 0.032 have been seen"""
_LATE_BLOCKS = 64
"""blocks that a receiving client may have read between its last interval and its total, at most: it
reads in a thread of its own; 1 has been seen"""


@dataclass(frozen=True)
class Run:
    """A parsed log."""

    file: str
    log: dict[str, Any]
    line: Callable[[str], int]
    """function: key of the JSON -> line of the log"""

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for: `test_start`."""
        asked: dict[str, Any] = self.log["start"]["test_start"]
        return asked

    @property
    def udp(self) -> bool:
        return bool(self.settings["protocol"] == "UDP")

    @property
    def reverse(self) -> bool:
        """True if the client is the receiver."""
        return bool(self.settings["reverse"])

    def wrong(self, key: str, found: str, expected: str) -> LogError:
        """The error for an object of the JSON, named by its key."""
        return LogError(self.file, self.line(key), found, expected)

    def values(self) -> Iterable[Value]:
        """Yield the values. The line of a value is the one where its object starts. Raises LogError
        where the log contradicts itself as real logs have."""
        if not self.log.get("intervals"):
            raise self.wrong("intervals", "no interval", "one at least")
        if self.udp:
            self._check_lost()
        self._check_total()
        yield from self._seconds()
        yield from self._datagrams() if self.udp else self._stream()

    def _check_lost(self) -> None:
        key = "sum_received" if "sum_received" in self.log["end"] else "sum"
        total = self.log["end"][key]
        if total["packets"] == 0:
            raise self.wrong(key, "0 packets", "a receiver that counted datagrams")
        if not 0 <= total["lost_packets"] <= total["packets"]:
            # Seen with version 3.9, in a download whose datagrams overtook each other.
            found = f"{total['lost_packets']} of {total['packets']} datagrams lost"
            raise self.wrong(key, found, "no more lost than sent")

    def _check_total(self) -> None:
        """The intervals, which are the client's, and the client's total count the same traffic."""
        end = self.log["end"]
        single = "sum_received" not in end
        key = "sum" if single else "sum_received" if self.reverse else "sum_sent"
        counted = sum(interval["sum"]["bytes"] for interval in self.log["intervals"])
        total, size = end[key]["bytes"], self.settings["blksize"]
        rest = max(_REST_BLOCKS * size, _REST_SHARE * total)
        if self.reverse:
            # `sum` has the sender's bytes, of which any number are lost or still on their way.
            rest = total if single else _LATE_BLOCKS * size
        if not counted <= total <= counted + rest:
            found = f"{total} bytes in {key}"
            raise self.wrong(key, found, f"{counted}, the bytes of the intervals")

    def _seconds(self) -> Iterable[Value]:
        side: Side = "receiver" if self.reverse else "sender"
        for index, interval in enumerate(self.log["intervals"]):
            rate = interval["sum"]["bits_per_second"] / 1e6
            yield Value("goodput_interval", rate, self.line("intervals"), index, side)

    def _stream(self) -> Iterable[Value]:
        """Values of a TCP run."""
        sent, received = self.log["end"]["sum_sent"], self.log["end"]["sum_received"]
        yield from self._arrived(received["bytes"], received["bits_per_second"], "sum_received")
        if "retransmits" in sent:  # not where the system does not tell, as Windows
            yield Value("retransmits", sent["retransmits"], self.line("sum_sent"))

    def _datagrams(self) -> Iterable[Value]:
        """Values of a UDP run."""
        end = self.log["end"]
        key = "sum_received" if "sum_received" in end else "sum"
        total, line = end[key], self.line(key)
        if key == "sum":
            yield from self._arrived_of_sum(total)
            yield Value("offered", total["packets"], line)
        else:
            yield from self._arrived(total["bytes"], total["bits_per_second"], key)
            yield Value("sent", total["packets"], line)
            yield Value("offered", end["sum_sent"]["packets"], self.line("sum_sent"))
        yield Value("lost", total["lost_packets"], line)
        yield Value("loss", total["lost_percent"], line)
        yield Value("jitter", total["jitter_ms"], line)

    def _arrived_of_sum(self, total: dict[str, Any]) -> Iterable[Value]:
        """Values of what arrived, from an object that mixes both ends."""
        if self.reverse:
            size = sum(interval["sum"]["bytes"] for interval in self.log["intervals"])
            yield from self._arrived(size, 8 * size / total["seconds"], "intervals")
        else:
            size = (total["packets"] - total["lost_packets"]) * self.settings["blksize"]
            yield from self._arrived(size, 8 * size / total["seconds"], "sum", "both")

    def _arrived(
        self, size: float, bits_per_second: float, key: str, side: Side = ""
    ) -> Iterable[Value]:
        yield Value("goodput", bits_per_second / 1e6, self.line(key), side=side)
        yield Value("received_bytes", size, self.line(key), side=side)


def read_run(file: str, content: bytes) -> Run:
    """The run in a log. Raises LogError if the log is not JSON of iperf3, or of a run that
    failed."""
    log = json_in(file, content, "iperf3")
    text = content.decode()
    if not isinstance(log, dict) or "start" not in log or "end" not in log:
        raise LogError(file, 1, text[:60], "the JSON of iperf3, with start and end")
    run = Run(file, log, _line_finder(text))
    if log.get("error"):
        raise run.wrong("error", str(log["error"]), "a run without error")
    return run


def _line_finder(text: str) -> Callable[[str], int]:
    """A function: key -> line (from 1) of its last appearance as an object's key at the start of a
    line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, quote, _ = line.strip().removeprefix('"').partition('":')
        if quote:
            lines[key] = number
    return lambda key: lines.get(key, 1)
