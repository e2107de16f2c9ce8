"""A configuration of wg-quick(8), its sections as wg(8) reads them."""

import base64
import re
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from remeasure.bench.tryout.conf import Refused, Section, Spot, read_text
from remeasure.bench.tryout.pair import address_of, is_name

KEY_BYTES = 32
LEFT_OUT = {
    **dict.fromkeys(("PreUp", "PostUp", "PreDown", "PostDown"), "the lab runs no scripts"),
    "DNS": "the lab has no name servers",
    "SaveConfig": "the lab keeps nothing",
}
"""setting that is left out -> reason"""
_KEYS = {
    "[Interface]": ("PrivateKey", "ListenPort", "FwMark", "Address", "MTU", "Table", *LEFT_OUT),
    "[Peer]": ("PublicKey", "PresharedKey", "AllowedIPs", "Endpoint", "PersistentKeepalive"),
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
    interface: Section
    peers: list[Section]

    @property
    def text(self) -> str:
        """The text for a guest."""
        lines = []
        for number, section in enumerate([self.interface, *self.peers]):
            lines.append("[Peer]" if number else "[Interface]")
            lines += [f"{k} = {v}" for k, v in section.items() if v and k not in LEFT_OUT]
        return "\n".join(lines) + "\n"


def read_quick(path: Path) -> QuickFile:
    """Read a file. Raises Refused with file and line."""
    found: dict[str, list[Section]] = {head: [] for head in _KEYS}
    head = ""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words, spot = line.partition("#")[0].strip(), Spot(path, number)
        if words.title() in found:
            head = words.title()
            found[head].append(Section(spot))
            if len(found["[Interface]"]) > 1:
                raise Refused(f"{spot}: found a second {words}, expected one")
        elif words:
            if not head:
                raise Refused(f"{spot}: found {words!r}, expected [Interface] or [Peer]")
            _add(found[head][-1], head, spot, words)
    for head, there in found.items():
        if not there:
            raise Refused(f"{path}: found no {head}, expected one, as in wg-quick(8)")
    return QuickFile(path, found["[Interface]"][0], found["[Peer]"])


def _add(section: Section, head: str, spot: Spot, words: str) -> None:
    """Add a setting to its section."""
    name, sign, value = (one.strip() for one in words.partition("="))
    key = next((one for one in _KEYS[head] if one.lower() == name.lower()), "")
    if not sign or not key:
        raise Refused(f"{spot}: found {words!r}, expected one of {', '.join(_KEYS[head])}")
    section[key] = ", ".join(filter(None, (section.text(key), value)))
    section.spots.setdefault(key, spot)
    if key in ("ListenPort", "MTU", "FwMark", "PersistentKeepalive"):
        if not _NUMBERS.fullmatch(value):
            raise section.refuse(key, "expected a number")
    elif key in ("Address", "AllowedIPs"):
        interfaces(section, key)
    elif key == "Endpoint":
        endpoint(section)


def interfaces(section: Section, key: str) -> list[IPv4Interface | IPv6Interface]:
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
        why = "expected an address or a name, and a port, such as vpn.example.org:51820"
        raise section.refuse("Endpoint", why)
    return host, port


def is_key(text: str) -> bool:
    """Whether a text is a key of wg(8), and no word in its place, such as (hidden)."""
    try:
        return len(base64.b64decode(text, validate=True)) == KEY_BYTES
    except ValueError:
        return False


def public_key(private: str) -> str:
    """The public half of a private key, both base64."""
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(private))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()
