"""Reading a log of probe sizes: output of a sender, then of tcpdump(8) on the wire."""

import re
from typing import NamedTuple

from remeasure.bench.base.family import IPV6
from remeasure.bench.probes.base import LogError, match_line, text_lines

SWEEP = "sweep"
KINDS = ("dont", "want", "do")
"""kinds of senders: DF not set (IP_PMTUDISC_DONT), Linux's default (IP_PMTUDISC_WANT), and DF
demanded (IP_PMTUDISC_DO)"""

_N = "(0|[1-9][0-9]*)"
_ADDRESS = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
_IPV6 = "[0-9a-f:]+"
_HEAD = re.compile(rf"sender ({SWEEP}|{'|'.join(KINDS)}) mtu {_N}")
_DATAGRAM = re.compile(rf"datagram {_N} of {_N} (sent|refused) (arrived|missing) mtu {_N}")
_TOLD = re.compile(rf"told {_N} by (?:{_ADDRESS}|{_IPV6}) mtu {_N}")
_PACKET = re.compile(
    rf"IP \(tos 0x[0-9a-f]+(?:,[A-Z]+(?:\([01]\))?)?, ttl [0-9]+, id [0-9]+, offset {_N}, "
    rf"flags \[(none|DF|\+|\+, DF)\], proto (?:ESP|AH|UDP) \((?:50|51|17)\), length {_N}\)"
)
_ENDS = re.compile(rf"    {_ADDRESS}(?:\.[0-9]+)? > {_ADDRESS}(?:\.[0-9]+)?: .+")
_PACKET_OF_IPV6 = re.compile(
    r"IP6 \((?:flowlabel 0x[0-9a-f]+, )?hlim [0-9]+, next-header "
    rf"(?:(?:ESP|AH|UDP) \((?:50|51|17)\)|(Fragment) \(44\)), payload length {_N}\) "
    rf"{_IPV6}(?:\.[0-9]+)? > {_IPV6}(?:\.[0-9]+)?: .+"
)


class Packet(NamedTuple):
    """One IP packet on the wire."""

    length: int
    """length with headers [bytes]"""
    fragment: bool
    """whether IP cut it from a complete packet"""


class SentDatagram(NamedTuple):
    """One datagram, and its fate."""

    number: int
    size: int
    """payload [bytes]"""
    refused: bool
    """whether the sender's kernel refused it (EMSGSIZE)"""
    arrived: bool
    mtu: int
    """MTU of the path in the sender's kernel afterwards [bytes]"""
    told: int | None
    """MTU in an ICMP message "fragmentation needed" (IPv6: "packet too big") [bytes]; None if there
    was none"""
    packets: list[Packet]
    """its packets on the wire"""
    line: int
    """line of the log"""


def sizes_run(file: str, content: bytes) -> tuple[str, list[SentDatagram]]:
    """Kind of sender (SWEEP, or one of KINDS), and its datagrams. Raises LogError, also for a
    datagram without a marker on the wire."""
    lines = text_lines(file, content)
    head = match_line(_HEAD, file, 1, lines[0], "'sender <kind> mtu <bytes>'")
    begin = next((n for n, line in enumerate(lines) if line[:3] in ("IP ", "IP6")), len(lines))
    datagrams = _datagrams(file, lines[:begin])
    groups = _groups(file, begin + 1, _packets(file, lines, begin))
    if len(groups) != len(datagrams):
        found = f"{len(groups)} markers on the wire behind datagrams"
        raise LogError(file, begin + 1, found, f"{len(datagrams)}, one for each datagram")
    whole = [d._replace(packets=g) for d, g in zip(datagrams, groups, strict=True)]
    return head[1], whole


def largest_in(file: str, sweep: list[SentDatagram]) -> SentDatagram:
    """The largest datagram of a sweep that left in one packet. Raises LogError if a larger one did
    than one that did not, or if the sweep ends on one side of it."""
    whole = [len(datagram.packets) == 1 for datagram in sweep]
    count = sum(whole)
    last = sweep[min(count, len(whole) - 1)]
    if whole != sorted(whole, reverse=True) or not 0 < count < len(whole):
        found = f"{count} of {len(whole)} sizes in one packet, the largest {max(whole)}"
        raise LogError(file, last.line, found, "one packet up to a size, and more above it")
    return sweep[count - 1]


def _datagrams(file: str, lines: list[str]) -> list[SentDatagram]:
    found: list[SentDatagram] = []
    for number, line in enumerate(lines[1:], 2):
        if match := _DATAGRAM.fullmatch(line):
            count, size, mtu = int(match[1]), int(match[2]), int(match[5])
            refused, arrived = match[3] == "refused", match[4] == "arrived"
            found.append(SentDatagram(count, size, refused, arrived, mtu, None, [], number))
        elif (match := _TOLD.fullmatch(line)) and found and int(match[1]) == found[-1].number:
            found[-1] = found[-1]._replace(told=int(match[2]))
        else:
            raise LogError(file, number, line, "a datagram, or what ICMP told of the one before")
    return found


def _packets(file: str, lines: list[str], begin: int) -> list[Packet]:
    """Packets from line `begin` on; tcpdump -v has two lines for one of IPv4, one for one of
    IPv6."""
    found = []
    rest = enumerate(lines[begin:], begin + 1)
    for number, line in rest:
        if match := _PACKET_OF_IPV6.fullmatch(line):
            found.append(Packet(IPV6.header + int(match[2]), match[1] is not None))
            continue
        match = match_line(_PACKET, file, number, line, "the first line of a packet, by tcpdump -v")
        number, line = next(rest, (number, "the end"))
        match_line(_ENDS, file, number, line, "the second line of a packet, by tcpdump")
        found.append(Packet(int(match[3]), match[1] != "0" or "+" in match[2]))
    return found


def _groups(file: str, line: int, packets: list[Packet]) -> list[list[Packet]]:
    """The packets of each datagram. The first packet is a marker, and so is each of its length; the
    last one ends the run."""
    first, *others = packets or [Packet(0, True)]
    groups: list[list[Packet]] = [[]]
    for packet in others:
        if packet.length == first.length and not packet.fragment:
            groups.append([])
        else:
            groups[-1].append(packet)
    if first.fragment or len(groups) < 2 or groups[-1] or groups[-2]:
        raise LogError(file, line, "packets behind the last marker", "a marker first, two last")
    return groups[:-2]
