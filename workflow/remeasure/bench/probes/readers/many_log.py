"""Logs of the probe many_sas: what each host showed between the phases, and the times.

    === up 100                                           phase, IKE_SAs of the cell
    guest ns 8812345678 9012345678                       processor time before and after the phase
    VmRSS:     22424 kB                                  /proc/<pid>/status of charon
    SUnreclaim:       8592 kB                            /proc/meminfo
    IKE_SAs: 100 total, 0 half-open                      swanctl --stats
    mallinfo: sbrk 2277376, mmap 0, used 1551728, free 725648
    counters reply {counters { {ike-rekey-init=0 ...     swanctl --counters --raw
         SAD count 200                                   ip xfrm state count
         SPD IN  100 OUT 100 FWD 100                     ip xfrm policy count
    Udp: 402 1 0 403 0 0 0 0 0                           /proc/net/snmp

    === up 100
    asked 10 56700000                                   requests answered, time since the first [ns]
    ...
    counted 100 330100000                                charon's counter, time since the first [ns]

The log of a host begins with its reading before any SA; the log of times has the initiator alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from remeasure.bench.probes.base import LogError, text_lines
from remeasure.bench.probes.metrics import Value

PHASES = ("rest", "idle", "up", "rekeyed-ike", "rekeyed-child", "settled")
TIMED = PHASES[1:-1]
"""phases in which requests are made"""
READ_AT = {
    "rest": ("rest", "idle"),
    "up": ("up", "rekeyed-ike"),
    "peak": ("rekeyed-child",),
    "settled": ("settled",),
}
"""state of the SAs -> phases after which it is read; the first one gives the values"""
_COUNTED = ("rekeyed-ike", "rekeyed-child")
_MARK = re.compile(rf"=== ({'|'.join(PHASES)}) ([1-9][0-9]*)")
_GUEST = re.compile(r"guest ns ([0-9]+) ([0-9]+)")
_ASKED, _DONE = (re.compile(rf"{word} ([0-9]+) ([0-9]+)") for word in ("asked", "counted"))
_LINES = {
    "rss": re.compile(r"VmRSS:\s+([0-9]+) kB"),
    "slab": re.compile(r"SUnreclaim:\s+([0-9]+) kB"),
    "ike": re.compile(r"IKE_SAs: ([0-9]+) total, 0 half-open"),
    "heap": re.compile(r"mallinfo: sbrk ([0-9]+), mmap ([0-9]+), used ([0-9]+), free ([0-9]+)"),
    "counters": re.compile(r"counters reply \{counters \{ \{([a-z0-9= -]+)\}\} success=yes\}"),
    "sad": re.compile(r"\s+SAD count ([0-9]+)"),
    "spd": re.compile(r"\s+SPD IN  ([0-9]+) OUT ([0-9]+) FWD ([0-9]+)"),
    "udp": re.compile(r"Udp: ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+)( [0-9]+)*"),
}
"""what a reading has, in this order"""
_CPU = {"up": "up", "rekeyed-ike": "rekey_ike", "rekeyed-child": "rekey_child"}
"""phase -> what its metrics are called"""


class _Reading(NamedTuple):
    """What one reading of a host says."""

    line: int
    guest_ns: tuple[int, int] | None
    """processor time of the guest before and after the phase [ns]"""
    numbers: Mapping[str, tuple[int, ...]]
    """name in _LINES -> the numbers of its line"""
    counters: Mapping[str, int]


def read_host(file: str, content: bytes) -> Iterator[Value]:
    """Values of one host. Raises LogError; also if counts are not of the cell's number."""
    host, lines = file.rsplit(".", 2)[1], text_lines(file, content)
    readings: dict[str, _Reading] = {}
    count = 0
    for phase, number, first, own in _sections(file, lines, PHASES):
        readings[phase], count = _reading(file, first, own), number
        _check_counts(file, phase, count, readings[phase])
    for when, phases in READ_AT.items():
        reading = readings[phases[0]]
        heap = sum(reading.numbers["heap"][1:3]) / 1024
        for memory in ("rss", "slab"):
            yield Value(f"{host}_{memory}_{when}", reading.numbers[memory][0], reading.line)
        yield Value(f"{host}_heap_{when}", heap, reading.line)
    yield Value(f"{host}_ike_sas", readings["up"].numbers["ike"][0], readings["up"].line)
    for before, after in pairwise(PHASES[1:-1]):
        lost = [readings[phase].numbers["udp"][4] for phase in (before, after)]
        yield Value(f"{host}_overflows_{_CPU[after]}", lost[1] - lost[0], readings[after].line)
    yield from _processor_times(host, count, readings)


def _processor_times(host: str, count: int, readings: Mapping[str, _Reading]) -> Iterator[Value]:
    """Processor time of each phase for one SA, less the time that asking takes; nothing of a host
    whose time nobody knows."""
    known = {phase: one.guest_ns for phase, one in readings.items() if one.guest_ns is not None}
    if not known:
        return
    idle = known["idle"][1] - known["idle"][0]
    for phase, name in _CPU.items():
        spent = known[phase][1] - known[phase][0]
        yield Value(f"{host}_cpu_{name}", (spent - idle) / count / 1e6, readings[phase].line)


def read_times(file: str, content: bytes) -> Iterator[Value]:
    """Times of the initiator's requests. Raises LogError; also if requests are missing."""
    for phase, count, first, own in _sections(file, text_lines(file, content), TIMED):
        counted = phase in _COUNTED
        times = list(_times(file, first, own, counted))
        asked = times[:-1] if counted else times
        if not asked or (asked[-1].requests, times[-1].requests) != (count, count):
            raise LogError(file, first, f"{[one.requests for one in times]} requests", f"{count}")
        if phase == "up":
            for index, (before, part) in enumerate(pairwise([_Time(0, 0, 0), *asked]), 1):
                mean = (part.ns - before.ns) / (part.requests - before.requests) / 1e6
                yield Value("set_up", mean, part.line, index)
        if phase in _CPU:
            yield Value(_CPU[phase], times[-1].ns / 1e6, times[-1].line)


class _Time(NamedTuple):
    """Requests answered so far, or counted as done, and when."""

    requests: int
    ns: int
    """time since the first request [ns]"""
    line: int


def _times(file: str, first: int, lines: list[str], counted: bool) -> Iterator[_Time]:
    """The lines of one phase; `counted`: the last one says when the daemon had done all."""
    for number, line in enumerate(lines, first):
        ends = counted and number == first + len(lines) - 1
        match = (_DONE if ends else _ASKED).fullmatch(line)
        if match is None:
            raise LogError(file, number, line, "'asked <requests> <ns>', or 'counted' at the end")
        yield _Time(int(match[1]), int(match[2]), number)


def _sections(
    file: str, lines: list[str], phases: tuple[str, ...]
) -> Iterable[tuple[str, int, int, list[str]]]:
    """Each phase with the number of IKE_SAs, and its lines with the number of the first one."""
    marks = [(at, found) for at, line in enumerate(lines) if (found := _MARK.fullmatch(line))]
    names, counts = [found[1] for _, found in marks], {found[2] for _, found in marks}
    if names != list(phases) or len(counts) != 1 or marks[0][0] != 0:
        raise LogError(file, 1, ", ".join(names), f"phases {', '.join(phases)}, of one number")
    ends = [at for at, _ in marks[1:]] + [len(lines)]
    for (at, found), end in zip(marks, ends, strict=True):
        yield found[1], int(found[2]), at + 2, lines[at + 1 : end]


def _reading(file: str, first: int, lines: list[str]) -> _Reading:
    times = None
    if lines and (guest := _GUEST.fullmatch(lines[0])):
        times = int(guest[1]), int(guest[2])
        first, lines = first + 1, lines[1:]
    if len(lines) != len(_LINES):
        raise LogError(file, first, f"{len(lines)} lines", f"{len(_LINES)} lines of a reading")
    numbers, counters = {}, {}
    for place, ((name, pattern), line) in enumerate(zip(_LINES.items(), lines, strict=True)):
        match = pattern.fullmatch(line)
        if match is None:
            raise LogError(file, first + place, line, f"a line like {pattern.pattern}")
        if name == "counters":
            pairs = [pair.partition("=") for pair in match[1].split()]
            counters = {key: int(value) for key, _, value in pairs}
        else:
            numbers[name] = tuple(int(number) for number in match.groups() if number)
    return _Reading(first, times, numbers, counters)


def _check_counts(file: str, phase: str, count: int, reading: _Reading) -> None:
    """Raises LogError unless a phase left the SAs and policies, and rekeyed the SAs, that it
    should."""
    there = 0 if phase in READ_AT["rest"] else count
    counters, numbers = reading.counters, reading.numbers
    rekeyed = counters.get("ike-rekey-init", 0) + counters.get("ike-rekey-resp", 0)
    found = {
        "IKE_SAs": (numbers["ike"], (there,)),
        "policies (in, out, forward)": (numbers["spd"], (there,) * 3),
        "IKE_SAs rekeyed": (rekeyed, count if phase in PHASES[3:] else 0),
        "CHILD_SAs rekeyed": (counters.get("child-rekey"), count if phase in PHASES[4:] else 0),
    }
    for what, (value, expected) in found.items():
        if value != expected:
            raise LogError(file, reading.line, f"{what} {value} ({phase})", str(expected))
