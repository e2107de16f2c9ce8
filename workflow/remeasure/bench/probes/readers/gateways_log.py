"""Reading what gateways of a tunnel said before an event, late in the flow, and after the flow.

    flow rate 20 duration 450
    event killed lasts 2
    at 1767225642300000000 over 1767225644400000000   by the initiator's clock [ns]
    === before gw1 sas
    list-sa event {s2s {uniqueid=1 ...                   swanctl --list-sas --raw
    === before gw1 clear
    filter protocol ip pref 1 u32 chain 0 ...            ipsec/clear_text.py
    === before gw2 sas
    ...
    === after gw2 clear
    ...

The first gateway is the initiator. `late` has no SAs.
"""

import re
from dataclasses import dataclass

from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.proof import IN_USE
from remeasure.bench.ipsec.sas import child_sas, read_list_sas
from remeasure.bench.probes.base import LogError, text_lines

MARK = "=== "
_BEGIN = (
    re.compile(r"flow rate ([0-9]+) duration [0-9.]+"),
    re.compile(r"event [a-z-]+ lasts [0-9.]+"),
    re.compile(r"at ([0-9]{19}) over ([0-9]{19})"),
)
_HEAD = re.compile(rf"{MARK}(before|late|after) (\S+) (sas|clear)")
_ORDER = ("before", "late", "after")
Parts = dict[tuple[str, str, str], tuple[int, str]]
"""moment, gateway and kind -> number of the first line below the heading, and the text"""


@dataclass(frozen=True)
class Sas:
    """The SAs of one gateway."""

    ike: tuple[str, ...]
    """initiators' SPIs of the IKE_SAs that are established"""
    children: tuple[tuple[str, str], ...]
    """SPIs of the CHILD_SAs that protect traffic, inbound and outbound"""
    line: int


@dataclass(frozen=True)
class Gateway:
    """What one gateway said."""

    before: Sas
    after: Sas
    clear: list[int]
    """packets in the clear before the event, late in the flow, and after the flow"""
    clear_line: int


@dataclass(frozen=True)
class GatewaysLog:
    """What both gateways said."""

    rate: int
    """[datagrams/s] each way"""
    took: float
    """time that the event took [s]"""
    gateways: tuple[Gateway, Gateway]
    """the initiator, then the responder"""


def read_gateways(file: str, content: bytes) -> GatewaysLog:
    """Raises LogError."""
    lines = text_lines(file, content)
    begin = [form.fullmatch(line) for form, line in zip(_BEGIN, lines, strict=False)]
    if len(begin) < len(_BEGIN) or None in begin:
        wrong = begin.index(None) if None in begin else len(lines) - 1
        raise LogError(file, wrong + 1, lines[wrong], "rate, event and times")
    flow, _, when = (match.groups() for match in begin if match)
    parts = _parts(file, lines)
    names = list(dict.fromkeys(gateway for _, gateway, _ in parts))
    if len(names) != 2:
        raise LogError(file, 4, ", ".join(names), "two gateways")
    first, second = (_gateway(file, name, parts) for name in names)
    return GatewaysLog(int(flow[0]), (int(when[1]) - int(when[0])) / 1e9, (first, second))


def _parts(file: str, lines: list[str]) -> Parts:
    heads = [number for number, line in enumerate(lines, 1) if line.startswith(MARK)]
    parts = {}
    for number, end in zip(heads, [*heads[1:], len(lines) + 1], strict=False):
        match = _HEAD.fullmatch(lines[number - 1])
        if match is None:
            raise LogError(file, number, lines[number - 1], f"'{MARK}<moment> <gateway> <kind>'")
        text = "\n".join([*lines[number : end - 1], ""])
        parts[match[1], match[2], match[3]] = number + 1, text
    return parts


def _gateway(file: str, name: str, parts: Parts) -> Gateway:
    before, after = (_sas(file, *parts[moment, name, "sas"]) for moment in ("before", "after"))
    clear = []
    for moment in _ORDER:
        line, text = parts[moment, name, "clear"]
        try:
            clear.append(clear_text.read(text).clear)
        except ValueError as error:
            raise LogError(file, line, str(error), "counters of clear text") from None
    return Gateway(before, after, clear, line)


def _sas(file: str, line: int, text: str) -> Sas:
    try:
        established = [sa for sa in read_list_sas(text) if sa.get("state") == "ESTABLISHED"]
    except ValueError as error:
        raise LogError(file, line, str(error), "a listing of swanctl --list-sas --raw") from None
    children = [c for sa in established for c in child_sas(sa) if c.get("state") in IN_USE]
    return Sas(
        tuple(str(sa.get("initiator-spi")) for sa in established),
        tuple((str(child.get("spi-in")), str(child.get("spi-out"))) for child in children),
        line,
    )
