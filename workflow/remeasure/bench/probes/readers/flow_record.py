"""The log of a flow as a record (readers.flow_log)."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """What the sender was asked for, as each datagram carries it."""

    begin: int
    """when the flow began [ns since the epoch]"""
    bytes: int
    rate: int
    planned: int
    dscp: int
    every: int


@dataclass(frozen=True)
class Run:
    """Numbers of a class, one after the other, of which none arrived."""

    first: int
    count: int
    due: int
    """when the first was due to be sent [ns since the epoch]"""
    next: int | None
    """when the number behind them arrived [ns since the epoch]; None: they are the last"""
    line: int


@dataclass(frozen=True)
class Arrivals:
    """What arrived of one class."""

    received: int
    duplicates: int
    marked: int
    line: int
    late: int
    overtaken: int
    behind: int
    delays: tuple[int, ...] | None
    """least, median, 99th percentile, greatest [ns]; None if nothing arrived"""
    delay_line: int
    times: tuple[int, ...] | None
    """first and last arrival, longest gap, its begin [ns]; None if nothing arrived"""
    missing: int
    runs: int
    missing_line: int
    longest: Run | None
    listed: tuple[Run, ...]
    unlisted: tuple[int, ...]
    """numbers that are missing in runs that are not listed, and these runs"""


@dataclass(frozen=True)
class Sent:
    """What the sender printed."""

    address: str
    port: int
    parameters: Parameters
    ended: int
    """[ns since the epoch]"""
    classes: tuple[tuple[int, ...], tuple[int, ...]]
    """of each class: planned, sent, errors"""
    late_ns: int
    """how late the worst datagram left [ns]"""
    late_number: int
    error: str
    """the last error; empty if there was none"""


@dataclass(frozen=True)
class Received:
    """What the receiver printed."""

    port: int
    listening: int
    """[ns since the epoch]"""
    stopped: int
    """[ns since the epoch]"""
    strangers: int
    overflow: int
    parameters: Parameters | None
    """None if nothing arrived"""
    classes: tuple[Arrivals, Arrivals] | None
    """None if nothing arrived"""


@dataclass(frozen=True)
class FlowLog:
    """One flow, by both ends."""

    file: str
    sent: Sent
    received: Received
    lines: Mapping[str, int]
    """name of a line -> number of the first such line"""

    @property
    def parameters(self) -> Parameters:
        return self.sent.parameters
