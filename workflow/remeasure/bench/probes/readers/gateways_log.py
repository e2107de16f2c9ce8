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
from remeasure.bench.ipsec.sas import Vici, child_sas, read_list_sas
from remeasure.bench.probes.base import LogError, text_lines

MARK = "=== "
_FLOW = re.compile(r"flow rate ([0-9]+) duration ([0-9.]+)")
_EVENT = re.compile(r"event ([a-z-]+) lasts ([0-9.]+)")
_WHEN = re.compile(r"at ([0-9]{19}) over ([0-9]{19})")
_HEAD = re.compile(rf"{MARK}(before|late|after) (\S+) (sas|clear)")
_FILTER = re.compile(r"^filter .* fh \S+::\S+ .*\(rule hit [0-9]+ success ([0-9]+)\)", re.MULTILINE)
_SENT = re.compile(r"^\s+Sent [0-9]+ bytes ([0-9]+) pkt", re.MULTILINE)
_ORDER = ("before", "late", "after")


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

    name: str
    before: Sas
    after: Sas
    clear: tuple[int, int, int]
    """packets in the clear before the event, late in the flow, and after the flow"""
    clear_line: int


@dataclass(frozen=True)
class GatewaysLog:
    """What both gateways said."""

    rate: int
    """datagrams a second, each way"""
    duration: float
    """duration of the flow [s]"""
    event: str
    lasts: float
    """time for which it was asked to last [s]"""
    took: float
    """time that it took [s]"""
    gateways: tuple[Gateway, Gateway]
    """the initiator, then the responder"""


def read_gateways(file: str, content: bytes) -> GatewaysLog:
    """Raises LogError; also if the log contradicts itself."""
    lines = text_lines(file, content)
    patterns = {
        _FLOW: "'flow rate <n> duration <s>'",
        _EVENT: "'event <name> lasts <s>'",
        _WHEN: "'at <ns> over <ns>'",
    }
    found = []
    for number, (pattern, expected) in enumerate(patterns.items(), 1):
        line = lines[number - 1] if number <= len(lines) else ""
        match = pattern.fullmatch(line)
        if match is None:
            raise LogError(file, number, line, expected)
        found.append(match.groups())
    (rate, duration), (event, lasts), (at, over) = found
    took = (int(over) - int(at)) / 1e9
    if not float(lasts) <= took + 0.001 <= float(duration):
        raise LogError(file, 3, lines[2], f"an event that takes {lasts} to {duration} s")
    gateways = _gateways(file, _parts(file, lines))
    return GatewaysLog(int(rate), float(duration), event, float(lasts), took, gateways)


def _parts(file: str, lines: list[str]) -> dict[tuple[str, str, str], tuple[int, str]]:
    """(moment, gateway, kind) -> number of the first line below the heading, and the text."""
    heads = [number for number, line in enumerate(lines, 1) if line.startswith(MARK)]
    if not heads or heads[0] != 4:
        raise LogError(file, min(4, len(lines)), lines[-1], f"a line that begins with {MARK!r}")
    parts: dict[tuple[str, str, str], tuple[int, str]] = {}
    for number, end in zip(heads, [*heads[1:], len(lines) + 1], strict=True):
        match = _HEAD.fullmatch(lines[number - 1])
        if match is None:
            raise LogError(file, number, lines[number - 1], f"'{MARK}<moment> <gateway> <kind>'")
        key = (match[1], match[2], match[3])
        if key in parts:
            raise LogError(file, number, lines[number - 1], "a heading that was not there before")
        text = "\n".join([*lines[number : end - 1], ""])
        parts[key] = number + 1, text
    return parts


def _gateways(
    file: str, parts: dict[tuple[str, str, str], tuple[int, str]]
) -> tuple[Gateway, Gateway]:
    names = list(dict.fromkeys(gateway for _, gateway, _ in parts))
    if len(names) != 2:
        raise LogError(file, 4, ", ".join(names), "two gateways")
    wanted = {
        (moment, name, kind)
        for moment in _ORDER
        for name in names
        for kind in ("sas", "clear")
        if (moment, kind) != ("late", "sas")
    }
    if parts.keys() != wanted:
        differing = sorted(" ".join(key) for key in parts.keys() ^ wanted)
        raise LogError(file, 4, differing[0], "each part of both gateways, once")
    first, second = (_gateway(file, name, parts) for name in names)
    one, other = first.before, second.before
    if one.ike != other.ike or one.children != tuple(spis[::-1] for spis in other.children):
        found = f"SAs {', '.join(other.ike)} of {second.name} before the event"
        raise LogError(file, other.line, found, f"the same SAs as at {first.name}")
    return first, second


def _gateway(file: str, name: str, parts: dict[tuple[str, str, str], tuple[int, str]]) -> Gateway:
    before, after = (_sas(file, *parts[moment, name, "sas"]) for moment in ("before", "after"))
    counts = []
    for moment in _ORDER:
        line, text = parts[moment, name, "clear"]
        try:
            _check_counted(text)
            counts.append(clear_text.read(text).clear)
        except ValueError as error:
            raise LogError(file, line, str(error), "counters of clear text") from None
        if counts[-1] < max(counts):
            found = f"{counts[-1]} packets in the clear"
            raise LogError(file, line, found, f"at least {max(counts)}, as counted before")
    first, late, last = counts
    return Gateway(name, before, after, (first, late, last), parts["after", name, "clear"][0])


def _check_counted(text: str) -> None:
    """Raises ValueError unless each filter passed on as many packets as it matched. How many it
    matched is not there on a kernel without CONFIG_CLS_U32_PERF."""
    matched, sent = _FILTER.findall(text), _SENT.findall(text)
    if matched and matched != sent:
        raise ValueError(f"{', '.join(matched)} packets matched and {', '.join(sent)} passed on")


def _sas(file: str, line: int, text: str) -> Sas:
    try:
        established = [sa for sa in read_list_sas(text) if sa.get("state") == "ESTABLISHED"]
    except ValueError as error:
        raise LogError(file, line, str(error), "a listing of swanctl --list-sas --raw") from None
    children = [c for sa in established for c in child_sas(sa) if c.get("state") in IN_USE]
    return Sas(
        tuple(_spi(sa, "initiator-spi") for sa in established),
        tuple((_spi(child, "spi-in"), _spi(child, "spi-out")) for child in children),
        line,
    )


def _spi(sa: Vici, key: str) -> str:
    return str(sa.get(key))
