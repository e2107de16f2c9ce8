"""Readers of SA listings: strongSwan's and the kernel's."""

import re
from dataclasses import dataclass
from typing import Any

from remeasure.bench.base.plain_text import strange_line

Vici = dict[str, "str | list[str] | Vici"]

_TOKEN = re.compile(r"[{}]|[^\s{}=\[\]]+=\[[^\]{}=]*\]|[^\s{}=\[\]]+=[^\s{}\[\]]*|[^\s{}=\[\]]+")
_SPI = re.compile("[0-9a-f]{8}")
_CERTIFICATES = re.compile(r" (?:ca)?certs=\[[^\]{}]*\]")


def read_list_sas(text: str) -> list[Vici]:
    """Output of `swanctl --list-sas --raw` -> one dictionary an IKE_SA; its `child-sas` holds the
    CHILD_SAs by name. Raises ValueError naming the line that is not of that form, or names one
    thing twice."""
    listed = _read_events(text, "list-sa", "list-sas")
    sas = [sa for section in listed for sa in _sections(section)]
    numbers = [sa.get("uniqueid") for sa in sas]
    if len({*map(str, numbers)}) != len(numbers):
        raise ValueError(f"IKE_SAs {', '.join(map(str, numbers))}: one number twice")
    for sa in sas:
        for child in child_sas(sa):
            _check_spis(child)
    return sas


def read_list_conns(text: str) -> Vici:
    """Output of `swanctl --list-conns --raw` -> connection -> its options as the daemon has them,
    without the names in certificates, which hold blanks and signs of the format. Raises ValueError
    as `read_list_sas` does."""
    return _joined(_read_events(_CERTIFICATES.sub("", text), "list-conn", "list-conns"))


def read_list_policies(text: str) -> list[Vici]:
    """Output of `swanctl --list-pols --raw` -> the policies that the daemon keeps without an SA.
    Raises ValueError as `read_list_sas` does."""
    return _sections(_joined(_read_events(text, "list-policy", "list-policies", "list-pols")))


def _joined(sections: list[Vici]) -> Vici:
    """Raises ValueError if two sections name one thing."""
    found: Vici = {}
    for number, section in enumerate(sections, 1):
        for name, value in section.items():
            _set_once(found, name, value, number)
    return found


def _read_events(text: str, event: str, reply: str, command: str = "") -> list[Vici]:
    """The section of each line that a command of swanctl prints with --raw."""
    _require_plain(text)
    sections = []
    for number, line in enumerate(text.splitlines(), 1):
        head, _, rest = line.partition(" event ")
        if head == event and rest:
            sections.append(_read_section(rest, number))
        elif line.strip() and not line.startswith(f"{reply} reply"):
            of = f"swanctl --{command or reply} --raw"
            raise ValueError(f"line {number}: {line[:80]!r} is not of {of}")
    return sections


def _require_plain(text: str) -> None:
    if strange := strange_line(text):
        raise ValueError(
            f"line {strange[0]}: {strange[1][:80]!r} has characters that no tool prints"
        )


def _check_spis(child: Vici) -> None:
    """Raises ValueError unless an installed CHILD_SA has two SPIs."""
    for key in ("spi-in", "spi-out"):
        found = child.get(key)
        if child.get("state") == "INSTALLED" and not (
            isinstance(found, str) and _SPI.fullmatch(found)
        ):
            raise ValueError(f"CHILD_SA {child.get('name')}: {key} {found!r} is not an SPI")


def _read_section(text: str, number: int) -> Vici:
    root: Vici = {}
    open_sections, name = [root], ""
    if _TOKEN.sub("", text).strip():
        raise ValueError(f"line {number}: brackets do not close (is the output cut?)")
    for token in _TOKEN.findall(text):
        if token == "{":
            child: Vici = {}
            _set_once(open_sections[-1], name, child, number)
            open_sections.append(child)
        elif token == "}" and len(open_sections) > 1:
            open_sections.pop()
        elif "=" in token:
            key, _, value = token.partition("=")
            listed = value[1:-1].split() if value.startswith("[") else value
            _set_once(open_sections[-1], key, listed, number)
        else:
            name = token
    section = root.get("")
    if (
        open_sections != [root]
        or not isinstance(section, dict)
        or text.count("}") != text.count("{")
    ):
        raise ValueError(f"line {number}: braces do not close (is the output cut?)")
    return section


def _set_once(section: Vici, key: str, value: "str | list[str] | Vici", number: int) -> None:
    if key in section:
        raise ValueError(f"line {number}: {key!r} twice in one section")
    section[key] = value


def child_sas(ike_sa: Vici) -> list[Vici]:
    """The CHILD_SAs of one IKE_SA."""
    children = ike_sa.get("child-sas")
    return _sections(children) if isinstance(children, dict) else []


def _sections(section: Vici) -> list[Vici]:
    return [value for value in section.values() if isinstance(value, dict)]


@dataclass(frozen=True)
class KernelSa:
    """One SA of the kernel's database (ip-xfrm(8))."""

    src: str
    dst: str
    protocol: str
    spi: str
    mode: str
    replay_window: int
    """anti-replay window [packets]; always 0 for an outbound SA"""
    direction: str
    """in or out"""
    bytes: int
    packets: int
    algorithms: tuple[str, ...]
    """the kernel's names of what encrypts and authenticates, in alphabetical order"""
    cpu: int | None = None
    """number of the only processor whose packets the SA takes (RFC 9611); None: any"""
    in_udp: bool = False
    """whether its packets are carried in UDP (RFC 3948)"""


_ALGORITHM = re.compile(r"^\s+(?:auth-trunc|enc|aead) (\S+)", re.MULTILINE | re.ASCII)
_SA_FIELDS = {
    "protocol": re.compile(r"proto ([a-z]+) spi 0x[0-9a-f]+"),
    "spi": re.compile(r"spi (0x[0-9a-f]+)\("),
    "mode": re.compile(r"mode ([a-z]+)"),
    "replay_window": re.compile(r"replay-window ([0-9]+) seq"),
    "direction": re.compile(r"\bdir (in|out)\b", re.ASCII),
    "bytes": re.compile(r"([0-9]+)\(bytes\), [0-9]+\(packets\)"),
    "packets": re.compile(r"[0-9]+\(bytes\), ([0-9]+)\(packets\)"),
}
_HEAD = re.compile(r"src (\S+) dst (\S+)")
_ONLY_CPU = re.compile(r"pcpu-num ([0-9]+)")
_IN_UDP = re.compile(r"^\s+encap type espinudp ", re.MULTILINE)
_WIDE = re.compile(r"replay_window ([0-9]+), bitmap-length")
_TWICE = (
    re.compile(r"spi (0x[0-9a-f]+)\(([0-9]+)\)"),
    re.compile(r"reqid ([0-9]+)\((0x[0-9a-f]+)\)"),
)
"""what ip prints in two bases"""
_COUNTED = re.compile(r"anti-replay context: seq (0x[0-9a-f]+), oseq (0x[0-9a-f]+),")
"""the numbers of the last packet that came in and that went out"""


def read_xfrm_state(text: str) -> list[KernelSa]:
    """Output of `ip -s xfrm state list nokeys`, without larval SAs: those that are being
    negotiated, which have no algorithm yet and carry nothing. Raises ValueError naming a field not
    found, or numbers that contradict each other."""
    _require_plain(text)
    sas: list[KernelSa] = []
    for part in re.split(r"^(?=src )", text, flags=re.MULTILINE):
        if not part.strip():
            continue
        head = _HEAD.match(part)
        if not head:
            raise ValueError(f"{part[:60]!r} is not an SA of ip xfrm state")
        algorithms = tuple(sorted(_ALGORITHM.findall(part)))
        if not algorithms:
            continue
        values: dict[str, Any] = {"src": head[1], "dst": head[2]}
        for field, pattern in _SA_FIELDS.items():
            match = pattern.search(part)
            if not match:
                raise ValueError(f"SA {head[0]}: no {field} in the output of ip xfrm state")
            values[field] = match[1]
        values["algorithms"] = algorithms
        if only := _ONLY_CPU.search(part):
            values["cpu"] = int(only[1])
        values["in_udp"] = bool(_IN_UDP.search(part))
        numbers = {k: int(values[k]) for k in ("replay_window", "bytes", "packets")}
        # A window over 32 packets is kept in an extended state and printed on a line of its own.
        if wide := _WIDE.search(part):
            numbers["replay_window"] = int(wide[1])
        sa = KernelSa(**values | numbers)
        _check_sa(sa, part)
        if any((sa.dst, sa.protocol, sa.spi) == (o.dst, o.protocol, o.spi) for o in sas):
            raise ValueError(f"SA {head[0]} {sa.spi}: twice in the output of ip xfrm state")
        sas.append(sa)
    return sas


def _check_sa(sa: KernelSa, part: str) -> None:
    """Raises ValueError if the kernel's numbers of one SA contradict each other."""
    for pattern in _TWICE:
        for match in pattern.finditer(part):
            if int(match[1], 0) != int(match[2], 0):
                raise ValueError(f"SA {sa.spi}: found {match[0]}, expected one number twice")
    if sa.bytes < sa.packets or bool(sa.bytes) != bool(sa.packets):
        raise ValueError(f"SA {sa.spi}: found {sa.bytes} bytes in {sa.packets} packets")
    counted = _COUNTED.search(part)
    # Without a window nobody counts what comes in.
    if counted and (sa.direction == "out" or sa.replay_window):
        numbered = int(counted[2 if sa.direction == "out" else 1], 16)
        if sa.packets > numbered:
            raise ValueError(
                f"SA {sa.spi}: found {sa.packets} packets, expected at most {numbered}, "
                "the number of the last"
            )


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
