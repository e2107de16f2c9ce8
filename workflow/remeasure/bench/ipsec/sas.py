"""Readers of SA listings: strongSwan's and the kernel's."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Vici = dict[str, Any]
"""name -> text, list of texts, or another section"""

IN_USE = ("INSTALLED", "REKEYING")
"""states of a CHILD_SA that protects traffic, also while its daemon waits for the answer to a
rekeying (strongSwan, child_sa.h)"""
_LIST = r"\[(?:[^\[\]{}=]|\[[^\[\]{}=]*\])*\]"
"""a list, whose selectors may have a protocol and a port in brackets"""
_TOKEN = re.compile(
    rf"[{{}}]|[^\s{{}}=\[\]]+={_LIST}|[^\s{{}}=\[\]]+=[^\s{{}}\[\]]*|[^\s{{}}=\[\]]+"
)
_CERTIFICATES = re.compile(r" (?:ca)?certs=\[[^\]{}]*\]")


def read_list_sas(text: str) -> list[Vici]:
    """Output of `swanctl --list-sas --raw` -> one dictionary per IKE_SA; its `child-sas` has the
    CHILD_SAs by name. Raises ValueError naming a line of another form."""
    return [sa for one in _read_events(text, "list-sa", "list-sas") for sa in _sections(one)]


def read_list_conns(text: str) -> Vici:
    """Output of `swanctl --list-conns --raw` -> connection -> its options as the daemon has them,
    without the names in certificates, which contain blanks and signs of the format. Raises
    ValueError as `read_list_sas` does."""
    listed = _read_events(_CERTIFICATES.sub("", text), "list-conn", "list-conns")
    return {name: value for section in listed for name, value in section.items()}


def read_list_policies(text: str) -> list[Vici]:
    """Output of `swanctl --list-pols --raw` -> the policies that the daemon keeps without an SA.
    Raises ValueError as `read_list_sas` does."""
    listed = _read_events(text, "list-policy", "list-policies", "list-pols")
    return [policy for section in listed for policy in _sections(section)]


def _sections(section: Vici) -> list[Vici]:
    return [value for value in section.values() if isinstance(value, dict)]


def _read_events(text: str, event: str, reply: str, command: str = "") -> list[Vici]:
    """The section of each line that a command of swanctl prints with --raw."""
    sections = []
    for number, line in enumerate(text.splitlines(), 1):
        head, _, rest = line.partition(" event ")
        if head == event and rest:
            sections.append(_read_section(rest, number))
        elif line.strip() and not line.startswith(f"{reply} reply"):
            of = f"swanctl --{command or reply} --raw"
            raise ValueError(f"line {number}: {line[:80]!r} is not of {of}")
    return sections


def _read_section(text: str, number: int) -> Vici:
    if _TOKEN.sub("", text).strip():
        raise ValueError(f"line {number}: brackets do not close (is the output cut?)")
    tokens = iter(_TOKEN.findall(text))
    section = _section(tokens).get("")
    if not isinstance(section, dict) or next(tokens, "") or text.count("}") != text.count("{"):
        raise ValueError(f"line {number}: braces do not close (is the output cut?)")
    return section


def _section(tokens: Iterator[str]) -> Vici:
    """Everything up to the brace that closes a section."""
    found, name = dict[str, Any](), ""
    for token in tokens:
        if token == "}":
            break
        if token == "{":
            found[name] = _section(tokens)
        elif "=" in token:
            key, _, value = token.partition("=")
            found[key] = value[1:-1].split() if value.startswith("[") else value
        else:
            name = token
    return found


def child_sas(ike_sa: Vici) -> list[Vici]:
    return _sections(ike_sa.get("child-sas", {}))


def in_use(list_sas: str) -> tuple[list[Vici], list[Vici]]:
    """Output of `swanctl --list-sas --raw` -> the established IKE_SAs, and their CHILD_SAs that
    protect traffic (IN_USE). Raises ValueError as `read_list_sas` does."""
    established = [sa for sa in read_list_sas(list_sas) if sa.get("state") == "ESTABLISHED"]
    children = [child for sa in established for child in child_sas(sa)]
    return established, [child for child in children if child.get("state") in IN_USE]


class KernelSa(NamedTuple):
    """One SA of the kernel's database (ip-xfrm(8))."""

    spi: str
    replay_window: int
    """anti-replay window [packets]; always 0 for an outbound SA"""
    direction: str
    """in or out"""
    bytes: int
    packets: int
    algorithms: tuple[str, ...]
    """the kernel's names of cipher and digest, in alphabetical order"""
    cpu: int | None = None
    """number of the only processor whose packets the SA takes (RFC 9611); None: any"""
    in_udp: bool = False
    """whether its packets are carried in UDP (RFC 3948)"""


_HEAD = re.compile(r"src \S+ dst \S+")
_ALGORITHM = re.compile(r"^\s+(?:auth-trunc|enc|aead) (\S+)", re.MULTILINE | re.ASCII)
_SPI = re.compile(r"spi (0x[0-9a-f]+)\(")
_WINDOW = re.compile(r"replay-window ([0-9]+) seq")
# A window over 32 packets is kept in an extended state and printed on a line of its own.
_WIDE = re.compile(r"replay_window ([0-9]+), bitmap-length")
_CARRIED = re.compile(r"([0-9]+)\(bytes\), ([0-9]+)\(packets\)")
_DIRECTION = re.compile(r"\bdir (in|out)\b", re.ASCII)
_ONLY_CPU = re.compile(r"pcpu-num ([0-9]+)")
_IN_UDP = re.compile(r"^\s+encap type espinudp ", re.MULTILINE)


def read_xfrm_state(text: str) -> list[KernelSa]:
    """Output of `ip -s xfrm state list nokeys`, without larval SAs, which are being negotiated,
    have no algorithm yet and carry nothing. strongSwan before 6.0 gives its SAs no direction; then
    those with a replay window are inbound. Raises ValueError naming a missing field."""
    sas: list[KernelSa] = []
    unknown = ""
    for part in filter(str.strip, re.split(r"^(?=src )", text, flags=re.MULTILINE)):
        head, algorithms = _HEAD.match(part), tuple(sorted(_ALGORITHM.findall(part)))
        if not head:
            raise ValueError(f"{part[:60]!r} is not an SA of ip xfrm state")
        if not algorithms:
            continue
        spi, window, carried = _SPI.search(part), _WINDOW.search(part), _CARRIED.search(part)
        if not (spi and window and carried):
            field = "spi" if not spi else "replay window" if not window else "bytes and packets"
            raise ValueError(f"SA {head[0]}: no {field} in the output of ip xfrm state")
        packets = int((_WIDE.search(part) or window)[1])
        way, only = _DIRECTION.search(part), _ONLY_CPU.search(part)
        unknown = unknown or ("" if way else head[0])
        sas.append(
            KernelSa(
                spi[1],
                replay_window=packets,
                direction=way[1] if way else "in" if packets else "out",
                bytes=int(carried[1]),
                packets=int(carried[2]),
                algorithms=algorithms,
                cpu=int(only[1]) if only else None,
                in_udp=bool(_IN_UDP.search(part)),
            )
        )
    if unknown and not any(sa.replay_window for sa in sas):
        raise ValueError(f"SA {unknown}: no direction in the output of ip xfrm state")
    return sas


_COUNTER = re.compile(r"(Xfrm[A-Za-z0-9]+)\s+([0-9]+)", re.ASCII)


def read_xfrm_stat(text: str) -> dict[str, int]:
    """/proc/net/xfrm_stat -> counter -> packets. Raises ValueError."""
    counters: dict[str, int] = {}
    for line in text.splitlines():
        match = _COUNTER.fullmatch(line.rstrip())
        if not match or match[1] in counters:
            raise ValueError(f"{line[:60]!r}: expected each counter once, as 'Xfrm<name> <number>'")
        counters[match[1]] = int(match[2])
    return counters
