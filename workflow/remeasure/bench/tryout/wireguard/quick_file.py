"""A configuration of wg-quick(8): its sections as wg(8) reads them, and its text, of which some
lines are changed."""

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from pathlib import Path

from remeasure.bench.tryout.conf import Refused, Section, Spot, read_text
from remeasure.bench.tryout.pair import address_of, is_name

WithPrefix = IPv4Interface | IPv6Interface
LEFT_OUT = {
    **dict.fromkeys(("PreUp", "PostUp", "PreDown", "PostDown"), "the lab runs no scripts"),
    "DNS": "the lab has no name servers",
    "SaveConfig": "the lab keeps nothing",
}
"""setting that becomes a comment -> reason"""
_KEYS = {
    "[interface]": ("PrivateKey", "ListenPort", "FwMark", "Address", "MTU", "Table", *LEFT_OUT),
    "[peer]": ("PublicKey", "PresharedKey", "AllowedIPs", "Endpoint", "PersistentKeepalive"),
}
"""section -> its settings, wg(8) and wg-quick(8)"""
_HEADS = re.compile(r"^\s*\[(interface|peer)\]", re.IGNORECASE | re.MULTILINE)
_NUMBERS = re.compile(r"[0-9]+|0x[0-9a-f]+|off|auto", re.IGNORECASE)


def is_quick(path: Path) -> bool:
    """Whether a file is one of wg-quick(8)."""
    return path.is_file() and bool(_HEADS.search(read_text(path)))


@dataclass
class QuickFile:
    """A file. Values of a setting that is repeated are one list."""

    path: Path
    lines: list[str]
    interface: Section
    peers: list[Section] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """settings that became comments"""

    @property
    def text(self) -> str:
        """The text, with all changes."""
        return "\n".join(self.lines) + "\n"

    def change(self, section: Section, key: str, value: str) -> None:
        """Give a setting another value, in its line or below the section's head."""
        if key in section.spots:
            self.lines[section.spots[key].line - 1] = f"{key} = {value}"
        else:
            self.lines[section.spot.line - 1] += f"\n{key} = {value}"
        section[key] = value


def read_quick(path: Path, text: str | None = None) -> QuickFile:
    """Read a file, or the text that stands for it. Raises Refused with file and line."""
    text = read_text(path) if text is None else text
    found = QuickFile(path, text.splitlines(), Section(Spot(path, 0)))
    head, section = "", found.interface
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if words.lower() in _KEYS:
            head, section = words.lower(), Section(Spot(path, number))
            if head == "[peer]":
                found.peers.append(section)
            elif found.interface.spot.line:
                raise Refused(f"{path}:{number}: found a second {words}, expected one")
            else:
                found.interface = section
        elif words:
            _add(found, section, head, number, words)
    for head, there in {"[Interface]": found.interface.spot.line, "[Peer]": found.peers}.items():
        if not there:
            raise Refused(f"{path}: found no {head}, expected one, as in wg-quick(8)")
    return found


def _add(found: QuickFile, section: Section, head: str, number: int, words: str) -> None:
    """Add a setting to its section."""
    name, sign, value = (one.strip() for one in words.partition("="))
    key = next((one for one in _KEYS.get(head, ()) if one.lower() == name.lower()), "")
    if not sign or not key:
        expected = f"one of {', '.join(_KEYS[head])}" if head else "[Interface] or [Peer]"
        raise Refused(f"{found.path}:{number}: found {words!r}, expected {expected}")
    if key in LEFT_OUT:
        found.lines[number - 1] = f"# left out by the lab: {words}"
        found.dropped.append(key)
        return
    section[key] = ", ".join(filter(None, (section.text(key), value)))
    section.spots.setdefault(key, Spot(found.path, number))
    if key in ("ListenPort", "MTU", "FwMark", "PersistentKeepalive"):
        if not _NUMBERS.fullmatch(value):
            raise section.refuse(key, "expected a number")
    elif key in ("Address", "AllowedIPs"):
        interfaces(section, key)
    elif key == "Endpoint":
        endpoint(section)


def interfaces(section: Section, key: str) -> list[WithPrefix]:
    """Addresses with prefix lengths, of Address or AllowedIPs. Raises Refused."""
    try:
        return [ip_interface(one) for one in section.items_of(key)]
    except ValueError:
        raise section.refuse(key, "expected addresses, such as 10.0.0.2/32") from None


def endpoint(section: Section) -> tuple[str, str]:
    """Host and port of the Endpoint of a [Peer]; empty texts if there is none. Raises Refused."""
    text = section.text("Endpoint")
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if text and not (port.isdecimal() and (address_of(host) or is_name(host))):
        raise section.refuse("Endpoint", "expected an address or a name, and a port, such as "
            "vpn.example.org:51820")  # fmt: skip
    return host, port
