"""Reading the state of a tunnel's gateways before an event, late in the flow, and after the flow.

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
from collections.abc import Iterator

from remeasure.bench.base.family import Families
from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.sas import in_use
from remeasure.bench.ipsec.tunnel import Outer
from remeasure.bench.probes.base import LogError, text_lines
from remeasure.bench.probes.metrics import Value

ENDS = ("initiator", "responder")
MARK = "=== "
_BEGIN = re.compile(
    "flow rate ([0-9]+) duration [0-9.]+\nevent [a-z-]+ lasts [0-9.]+\n"
    "at ([0-9]{19}) over ([0-9]{19})"
)
_HEAD = re.compile(rf"{MARK}(before|late|after) (\S+) (sas|clear)")
Parts = dict[tuple[str, str, str], tuple[int, str]]
"""gateway, moment and kind -> number of the first line below the heading, and the text"""


def read_gateways(file: str, content: bytes) -> Iterator[Value]:
    """Yield the values of the event and of both gateways. Raises LogError."""
    lines = text_lines(file, content)
    begin = _BEGIN.fullmatch("\n".join(lines[:3]))
    if begin is None:
        raise LogError(file, 1, lines[0], "three lines with rate, event and times")
    rate, at, over = map(int, begin.groups())
    yield Value("event_took", (over - at) / 1e9, 3)
    found = parts_of(file, lines, _HEAD)
    parts = {(head[2], head[1], head[3]): (line, text) for head, line, text in found}
    gateways = list(dict.fromkeys(gateway for gateway, _, _ in parts))
    if len(gateways) != len(ENDS):
        raise LogError(file, 4, ", ".join(gateways), "two gateways")
    for end, gateway in zip(ENDS, gateways, strict=True):
        yield from _clear(file, end, gateway, parts, rate)
        yield from _sas(file, end, gateway, parts)


def parts_of(
    file: str, lines: list[str], head: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], int, str]]:
    """Each heading, the number of the first line below it, and the text. Raises LogError."""
    heads = [number for number, line in enumerate(lines, 1) if line.startswith(MARK)]
    for number, end in zip(heads, [*heads[1:], len(lines) + 1], strict=False):
        match = head.fullmatch(lines[number - 1])
        if match is None:
            raise LogError(file, number, lines[number - 1], f"'{MARK}<moment> <gateway> ...'")
        yield match, number + 1, "\n".join([*lines[number : end - 1], ""])


def clear_packets(file: str, line: int, text: str, families: Families, outer: Outer) -> int:
    """Packets in the clear, by the counters of a gateway. Raises LogError."""
    try:
        return clear_text.read(text, families, outer).clear
    except ValueError as error:
        raise LogError(file, line, str(error), "counters of clear text") from None


def _clear(file: str, end: str, gateway: str, parts: Parts, rate: int) -> Iterator[Value]:
    """Packets in the clear before the event, late in the flow, and after the flow."""
    counts, line = [], 0
    for moment in ("before", "late", "after"):
        line, text = parts[gateway, moment, "clear"]
        families = clear_text.families_in(text)
        counts.append(clear_packets(file, line, text, families, IpsecTunnel.outer))
    before, late, after = counts
    yield Value(f"{end}_clear_before", before, line)
    yield Value(f"{end}_clear", after - before, line)
    yield Value(f"{end}_clear_time", (after - before) / rate, line)
    yield Value(f"{end}_still_clear", after - late, line)


def _sas(file: str, end: str, gateway: str, parts: Parts) -> Iterator[Value]:
    """SAs before the event and after the flow. An SA is known by its SPI: an IKE_SA by the
    initiator's, a CHILD_SA by both."""
    spis, line = list[list[object]](), 0
    for moment in ("before", "after"):
        line, text = parts[gateway, moment, "sas"]
        try:
            established, children = in_use(text)
        except ValueError as error:
            raise LogError(file, line, str(error), "a listing of swanctl --list-sas") from None
        spis.append([sa.get("initiator-spi") for sa in established])
        spis.append([(child.get("spi-in"), child.get("spi-out")) for child in children])
    ike_before, child_before, ike, child = spis
    before = len(ike_before) + len(child_before)
    yield Value(f"{end}_sas_before", before, parts[gateway, "before", "sas"][0])
    yield Value(f"{end}_ike_sas", len(ike), line)
    yield Value(f"{end}_child_sas", len(child), line)
    yield Value(f"{end}_ike_renewed", int(ike != ike_before), line)
    yield Value(f"{end}_child_renewed", int(child != child_before), line)
