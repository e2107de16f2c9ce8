"""Logs of the probe many_sas: the state of each host between the phases, and the times.

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

The log of a host begins with its reading before any SA; the log of times has only the initiator.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from remeasure.bench.probes.base import LogError, match_line, sections, text_lines
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
_GUEST = re.compile("guest ns ([0-9]+) ([0-9]+)")
_TIME = re.compile("(asked|counted) ([0-9]+) ([0-9]+)")
_LINES = {
    "rss": re.compile(r"VmRSS:\s+([0-9]+) kB"),
    "slab": re.compile(r"SUnreclaim:\s+([0-9]+) kB"),
    "ike": re.compile(r"IKE_SAs: ([0-9]+) total, 0 half-open"),
    "heap": re.compile(r"mallinfo: sbrk [0-9]+, mmap ([0-9]+), used ([0-9]+), free [0-9]+"),
    "rekeyed": re.compile(
        r"counters reply \{counters \{ \{ike-rekey-init=([0-9]+) ike-rekey-resp=([0-9]+) "
        r"child-rekey=([0-9]+) [a-z0-9= -]+\}\} success=yes\}"
    ),
    "sad": re.compile(r"\s+SAD count ([0-9]+)"),
    "spd": re.compile(r"\s+SPD IN  ([0-9]+) OUT ([0-9]+) FWD ([0-9]+)"),
    "udp": re.compile(r"Udp: [0-9]+ [0-9]+ [0-9]+ [0-9]+ ([0-9]+)(?: [0-9]+)*"),
}
"""lines of a reading, in this order"""
_NAMES = {"up": "up", "rekeyed-ike": "rekey_ike", "rekeyed-child": "rekey_child"}
"""phase -> prefix of its metrics"""


class _Reading(NamedTuple):
    """One reading of a host."""

    line: int
    numbers: Mapping[str, tuple[int, ...]]
    """name in _LINES -> the numbers of its line; `guest`: processor time before and after the phase
    [ns], if known"""


def read_host(file: str, content: bytes) -> Iterator[Value]:
    """Values of one host. Raises LogError; also if counts are not of the cell's number."""
    host, readings, count = file.rsplit(".", 2)[1], dict[str, _Reading](), 1
    for phase, count, first, own in _sections(file, text_lines(file, content), PHASES):
        readings[phase] = _reading(file, first, own)
        _check_counts(file, phase, count, readings[phase])
    for when, phases in READ_AT.items():
        line, numbers = readings[phases[0]]
        yield Value(f"{host}_rss_{when}", numbers["rss"][0], line)
        yield Value(f"{host}_slab_{when}", numbers["slab"][0], line)
        yield Value(f"{host}_heap_{when}", sum(numbers["heap"]) / 1024, line)
    yield Value(f"{host}_ike_sas", readings["up"].numbers["ike"][0], readings["up"].line)
    for before, after in pairwise(TIMED):
        lost = readings[after].numbers["udp"][0] - readings[before].numbers["udp"][0]
        yield Value(f"{host}_overflows_{_NAMES[after]}", lost, readings[after].line)
    spent = {
        phase: numbers["guest"][1] - numbers["guest"][0]
        for phase, (_, numbers) in readings.items()
        if "guest" in numbers
    }
    for phase, name in _NAMES.items() if spent else ():
        cost = (spent[phase] - spent["idle"]) / count / 1e6
        yield Value(f"{host}_cpu_{name}", cost, readings[phase].line)


def read_times(file: str, content: bytes) -> Iterator[Value]:
    """Times of the initiator's requests. Raises LogError; also if requests are missing."""
    for phase, count, first, own in _sections(file, text_lines(file, content), TIMED):
        counted = phase.startswith("rekeyed")
        times = [(0, 0)]  # requests answered, or counted as done; time since the first [ns]
        for number, line in enumerate(own, first):
            match = _TIME.fullmatch(line)
            last = number == first + len(own) - 1
            if match is None or match[1] != ("counted" if counted and last else "asked"):
                expected = "'asked <requests> <ns>', or 'counted' at the end"
                raise LogError(file, number, line, expected)
            times.append((int(match[2]), int(match[3])))
        asked = times[:-1] if counted else times
        if (asked[-1][0], times[-1][0]) != (count, count):
            raise LogError(file, first, f"{[one for one, _ in times]} requests", f"{count}")
        if phase == "up":
            for index, (before, part) in enumerate(pairwise(asked), 1):
                mean = (part[1] - before[1]) / (part[0] - before[0]) / 1e6
                yield Value("set_up", mean, first + index - 1, index)
        if phase in _NAMES:
            yield Value(_NAMES[phase], times[-1][1] / 1e6, first + len(own) - 1)


def _sections(
    file: str, lines: list[str], phases: tuple[str, ...]
) -> Iterable[tuple[str, int, int, list[str]]]:
    """Each phase with the number of IKE_SAs, and its lines with the number of the first one."""
    expected = f"phases {', '.join(phases)}, of one number"
    parts = [*sections(file, lines, _MARK, expected)]
    names, counts = [head[1] for head, _, _ in parts], {head[2] for head, _, _ in parts}
    if names != list(phases) or len(counts) != 1:
        raise LogError(file, 1, ", ".join(names), expected)
    for head, first, own in parts:
        yield head[1], int(head[2]), first, own


def _reading(file: str, first: int, lines: list[str]) -> _Reading:
    numbers = dict[str, tuple[int, ...]]()
    if lines and (guest := _GUEST.fullmatch(lines[0])):
        numbers["guest"] = int(guest[1]), int(guest[2])
        first, lines = first + 1, lines[1:]
    if len(lines) != len(_LINES):
        raise LogError(file, first, f"{len(lines)} lines", f"{len(_LINES)} lines of a reading")
    for place, ((name, form), line) in enumerate(zip(_LINES.items(), lines, strict=True), first):
        match = match_line(form, file, place, line, f"a line like {form.pattern}")
        numbers[name] = tuple(map(int, match.groups()))
    return _Reading(first, numbers)


def _check_counts(file: str, phase: str, count: int, reading: _Reading) -> None:
    """Raises LogError unless a phase left the right SAs and policies, and rekeyed the right SAs."""
    there = 0 if phase in READ_AT["rest"] else count
    (ike_sas,), policies = reading.numbers["ike"], reading.numbers["spd"]
    started, answered, children = reading.numbers["rekeyed"]
    for what, value, expected in (
        ("IKE_SAs", ike_sas, there),
        ("policies (in, out, forward)", policies, (there,) * 3),
        ("IKE_SAs rekeyed", started + answered, count if phase in PHASES[3:] else 0),
        ("CHILD_SAs rekeyed", children, count if phase in PHASES[4:] else 0),
    ):
        if value != expected:
            raise LogError(file, reading.line, f"{what} {value} ({phase})", str(expected))
