"""Readers of SA listings: strongSwan's and the kernel's."""

import re
from dataclasses import dataclass

Vici = dict[str, "str | list[str] | Vici"]

_TOKEN = re.compile(r"[{}]|[^\s{}=]+=\[[^\]]*\]|[^\s{}=]+=[^\s{}]*|[^\s{}=]+")


def read_list_sas(text: str) -> list[Vici]:
    """Output of `swanctl --list-sas --raw` -> one dictionary an IKE_SA; its `child-sas` holds the
    CHILD_SAs by name. Raises ValueError naming the line that is not of that form."""
    sas: list[Vici] = []
    for number, line in enumerate(text.splitlines(), 1):
        head, _, rest = line.partition(" event ")
        if head == "list-sa" and rest:
            sas += _sections(_read_section(rest, number))
        elif line.strip() and not line.startswith("list-sas reply"):
            raise ValueError(f"line {number}: {line[:80]!r} is not of swanctl --list-sas --raw")
    return sas


def _read_section(text: str, number: int) -> Vici:
    root: Vici = {}
    open_sections, name = [root], ""
    for token in _TOKEN.findall(text):
        if token == "{":
            child: Vici = {}
            open_sections[-1][name] = child
            open_sections.append(child)
        elif token == "}":
            open_sections.pop()
        elif "=" in token:
            key, _, value = token.partition("=")
            open_sections[-1][key] = value[1:-1].split() if value.startswith("[") else value
        else:
            name = token
    section = root.get("")
    if open_sections != [root] or not isinstance(section, dict):
        raise ValueError(f"line {number}: braces do not close (is the output cut?)")
    return section


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


_ALGORITHM = re.compile(r"^\s+(?:auth-trunc|enc|aead) (\S+)", re.M)
_SA_FIELDS = {
    "protocol": r"proto (\w+) spi (?:0x[0-9a-f]+)",
    "spi": r"spi (0x[0-9a-f]+)",
    "mode": r"mode (\w+)",
    "replay_window": r"replay-window (\d+) seq",
    "direction": r"\bdir (in|out)\b",
    "bytes": r"(\d+)\(bytes\), \d+\(packets\)",
    "packets": r"\d+\(bytes\), (\d+)\(packets\)",
}


def read_xfrm_state(text: str) -> list[KernelSa]:
    """Output of `ip -s xfrm state list nokeys`, without larval SAs: those that are being
    negotiated, which have no algorithm yet and carry nothing. Raises ValueError naming a field not
    found."""
    sas = []
    for part in re.split(r"^(?=src )", text, flags=re.M):
        if not part.strip():
            continue
        head = re.match(r"src (\S+) dst (\S+)", part)
        if not head:
            raise ValueError(f"{part[:60]!r} is not an SA of ip xfrm state")
        algorithms = tuple(sorted(_ALGORITHM.findall(part)))
        if not algorithms:
            continue
        values: dict = {"src": head[1], "dst": head[2]}
        for field, pattern in _SA_FIELDS.items():
            match = re.search(pattern, part)
            if not match:
                raise ValueError(f"SA {head[0]}: no {field} in the output of ip xfrm state")
            values[field] = match[1]
        values["algorithms"] = algorithms
        if only := re.search(r"pcpu-num (\d+)", part):
            values["cpu"] = int(only[1])
        numbers = {k: int(values[k]) for k in ("replay_window", "bytes", "packets")}
        # A window over 32 packets is kept in an extended state and printed on a line of its own.
        if wide := re.search(r"replay_window (\d+), bitmap-length", part):
            numbers["replay_window"] = int(wide[1])
        sas.append(KernelSa(**values | numbers))
    return sas


def read_xfrm_stat(text: str) -> dict[str, int]:
    """/proc/net/xfrm_stat -> counter -> packets."""
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}
