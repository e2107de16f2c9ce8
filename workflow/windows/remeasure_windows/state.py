"""The state of a host's IPsec, whichever tool reported it."""

import re
from dataclasses import dataclass, field

from remeasure_windows import PREFIX


@dataclass(frozen=True)
class Sa:
    """One quick mode SA, which IKEv2 calls a CHILD_SA."""

    local: str
    remote: str
    directions: frozenset[str]
    """directions of the SA: in, out, or both"""
    fields: dict[str, str]
    """properties of the SA, named as by `remeasure.bench.ipsec.proof.wanted_child`"""


@dataclass(frozen=True)
class MainMode:
    """One main mode SA, which IKEv2 calls an IKE_SA."""

    local: str
    remote: str
    auth: str
    """authentication: psk, or the word that Windows uses"""


@dataclass(frozen=True)
class State:
    """The whole IPsec state of a host."""

    rules: list[str]
    """names of all rules in force, by any maker"""
    ours: list[str] = field(default_factory=list)
    """names that begin with PREFIX, of all stored objects, in force or not: this software made
    them"""
    sas: list[Sa] = field(default_factory=list)
    main_modes: list[MainMode] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """One line naming everything that could protect a packet; 'none' if nothing could."""
        found = [f"rule {name}" for name in self.rules]
        found += [f"SA {sa.local} to {sa.remote}" for sa in self.sas]
        return ", ".join(found) or "none"


def sections(text: str) -> dict[str, str]:
    """Split a text at its lines '=== <name>': name -> lines that follow. Raises ValueError without
    one."""
    parts = re.split(
        r"^=== (.+)\n", text if text.endswith("\n") else text + "\n", flags=re.MULTILINE
    )
    if len(parts) < 3:
        raise ValueError(f"no line '=== ...' in what the host said: {text[:80]!r}")
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(text: str, first: str) -> list[dict[str, str]]:
    """Parse lines 'Key: value' into one dictionary per part; a line with the key `first` begins a
    part."""
    found: list[dict[str, str]] = []
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == first:
            found.append({})
        if colon and found:
            found[-1].setdefault(key.strip(), value.strip())
    return found


def of_ours(names: list[str]) -> list[str]:
    """The names that begin with PREFIX, each once, sorted."""
    return sorted({name.strip() for name in names if name.strip().startswith(PREFIX)})
