"""What a parser takes and what it prints: changes of one number, digit or character in a real log.

A number that a tool prints twice cannot be changed alone: the log is refused, or nothing that is
read depends on the number. Numbers that a tool prints once are listed in ONCE.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from test_expected import EXPECTED, log_of

from remeasure.ipsec.sas import read_list_sas, read_xfrm_state
from remeasure.probes import PROBES
from remeasure.probes.base import LogError
from remeasure.tidy.counter_parsers import read_counters

FIXTURES = Path(__file__).parents[1] / "fixtures"
Read = Callable[[str, bytes], object]
"""name and content of a log -> what is read from it; raises `Parser.error`"""


Pick = Callable[[int], int]
"""a number below another, at random"""


class Parser(NamedTuple):
    """A parser, real texts for it, and how it refuses."""

    read: Read
    logs: list[Path]
    error: type[Exception]
    once: re.Pattern
    """lines in which a number stands that is printed once"""


def _once(*lines: str) -> re.Pattern:
    return re.compile("|".join(lines) or "(?!)")


_LARGE = 16_000
"""size of a log that is not tried where there are smaller ones [bytes]"""
ALL = re.compile("")
ONCE = {
    # Nothing follows from the time of one hop, or of one packet of a cipher.
    "traceroute": _once("^ ?[0-9]+  "),
    "cipher": _once("^round", "^packet", "^library", "^settings"),
    "known_wait": _once("^opened"),
    # What ends list after an outage follows from nothing else.
    "disturbed_flow": _once(
        "^flow rate",
        "^event ",
        "^at ",
        "^list-sa event",
        "^class",
        " from ",
        "^latest",
        "^strangers",
    ),
    "ftp": _once("\\.jpg\t"),
    "cpu_cost": _once("^[0-9]+ "),
    "sizes": _once("^IP "),
    "reauthentication": _once("creating acquire job"),
    "reauthentication_train": _once("creating acquire job"),
    "many_sas": _once(
        "^VmRSS", "^SUnreclaim", "^guest ns", "^asked", "^counted", "^mallinfo", "^Udp"
    ),
    # The size of a datagram is compared with the capture, which is another log.
    "authentication": _once("(sending|received) packet: "),
    "flow": _once("^latest", "^class . (late|delay|first)"),
    "mixed": _once("^latest", "^class . (late|delay|first)"),
    # The series of D-ITG is compared with its summary, which is another log.
    "ditg": _once("^[0-9]+[.][0-9]{6} "),
}
"""probe -> lines in which a number stands that is printed once"""


def _observations(probe: str) -> Read:
    # The line of a value in JSON is that of its object, so it may move.
    return lambda name, content: [
        (o.metric, o.value, o.index, o.side) for o in PROBES[probe].parse(name, content)
    ]


def _of_qdisc(name: str, content: bytes) -> object:
    # The fixtures are of one interface, which is not named.
    named = content.decode().replace('{"kind"', '{"dev":"wan","kind"')
    return read_counters({"qdisc.json": named})


def _logs(probe: str) -> list[Path]:
    """Real text logs that the probe reads, without large ones if there are others."""
    found = []
    for path in EXPECTED:
        expected = json.loads(path.read_text())
        log = log_of(path)
        if expected["probe"] == probe and "observations" in expected and log.suffix != ".zst":
            found.append(log)
    return [log for log in found if log.stat().st_size < _LARGE] or found[:1]


PARSERS = {
    probe: Parser(_observations(probe), _logs(probe), LogError, ONCE.get(probe, _once()))
    for probe in PROBES
} | {
    "xfrm-state": Parser(
        lambda name, content: read_xfrm_state(content.decode()),
        sorted(FIXTURES.glob("iproute2-*/xfrm-state-*.txt")),
        ValueError,
        _once("replay-window", "^src", "mode", "packets", "auth-trunc|enc|aead", "pcpu-num"),
    ),
    "list-sas": Parser(
        lambda name, content: read_list_sas(content.decode()),
        sorted(FIXTURES.glob("strongswan-*/*list-sas.txt")),
        ValueError,
        ALL,
    ),
    "qdisc": Parser(_of_qdisc, sorted(FIXTURES.glob("iproute2-*/qdisc-*.json")), ValueError, ALL),
    "processes": Parser(
        lambda name, content: read_counters({"process.txt": content.decode()}),
        sorted(FIXTURES.glob("linux-*/stat-*.txt")),
        ValueError,
        ALL,
    ),
}
"""name -> parser"""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
ZEROS = "٠۰०０𝟎"
"""digits 0 of other scripts; 1 to 9 follow each"""
STRANGE = ["\x1b[31m", "\0", "\x07", "\x0b", "\x0c", "\x85", "\u2028", "\x9b"]
"""characters that no tool prints within a line"""


def _ten_times(number: str) -> str:
    whole, point, digits = number.partition(".")
    return f"{whole}0" if not point else f"{(whole + digits[0]).lstrip('0') or '0'}.{digits[1:]}0"


def ten_times(text: str, pick: Pick) -> tuple[str, str]:
    """A text with one number ten times as large, and the line in which it stands."""
    numbers = [m for m in _NUMBER.finditer(text) if m[0].strip("0.")]
    match = numbers[pick(len(numbers))]
    begin = text.rfind("\n", 0, match.start()) + 1
    line = text[begin : text.find("\n", match.end())]
    return text[: match.start()] + _ten_times(match[0]) + text[match.end() :], line


def other_script(text: str, pick: Pick) -> str:
    """A text with one digit of another script, of the same value."""
    places = [m.start() for m in re.finditer("[0-9]", text)]
    at = places[pick(len(places))]
    return text[:at] + chr(ord(ZEROS[pick(len(ZEROS))]) + int(text[at])) + text[at + 1 :]


def strange(text: str, pick: Pick) -> str:
    """A text with a character that no tool prints, within a line."""
    at = pick(len(text) - 1)
    return text[:at] + STRANGE[pick(len(STRANGE))] + text[at:]
