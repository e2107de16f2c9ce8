"""The state of a host's IPsec, whichever tool reported it, and the proof of treatment.

Windows shows neither the counters nor the replay window of an SA, so these are not proven. The
bytes that a gateway's interface received show that packets went through the tunnel
(remeasure_windows.system).
"""

from collections.abc import Iterable
from typing import NamedTuple

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.proof import wanted_child
from remeasure.bench.testbed.watching.counters import split_kinds
from remeasure_windows import PREFIX
from remeasure_windows.interfaces import Connection
from remeasure_windows.suites import GatewayEnds


class Sa(NamedTuple):
    """One quick mode SA, which IKEv2 calls a CHILD_SA."""

    local: str
    remote: str
    directions: frozenset[str]
    """directions of the SA: in, out, or both"""
    fields: dict[str, str]
    """properties of the SA, named as by `remeasure.bench.ipsec.proof.wanted_child`"""


class MainMode(NamedTuple):
    """One main mode SA, which IKEv2 calls an IKE_SA."""

    local: str
    remote: str
    auth: str
    """authentication: psk, or the word that Windows uses"""


class State(NamedTuple):
    """The whole IPsec state of a host."""

    rules: list[str]
    """names of all rules in force, by any maker"""
    ours: list[str]
    """names that begin with PREFIX, of all stored objects, in force or not: this software made
    them"""
    sas: list[Sa]
    main_modes: list[MainMode]

    @property
    def summary(self) -> str:
        """One line naming everything that could protect a packet; 'none' if nothing could."""
        found = [f"rule {name}" for name in self.rules]
        found += [f"SA {sa.local} to {sa.remote}" for sa in self.sas]
        return ", ".join(found) or "none"


def sections(text: str) -> dict[str, str]:
    """Split a text at its lines '=== <name>': name -> lines that follow. Raises ValueError without
    one."""
    parts = split_kinds(text)
    if not parts:
        raise ValueError(f"no line '=== ...' in the host's answer: {text[:80]!r}")
    return parts


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


def check_tunnel(ends: GatewayEnds, state: State, name: str) -> list[Check]:
    """Check that a gateway has the rule `name` and no other, and SAs in both directions, all of the
    cell's suite."""
    where, tunnel = ends.gateway, ends.tunnel
    sas = [sa for sa in state.sas if ends.has(sa.local, sa.remote)]
    others = [f"{sa.local} to {sa.remote}" for sa in state.sas if sa not in sas]
    main = [one for one in state.main_modes if ends.has(one.local, one.remote)]
    numbers = [
        ("ike-sa", "IKE_SAs established", len(main)),
        ("child-sa", "CHILD_SAs in", sum("in" in sa.directions for sa in sas)),
        ("child-sa", "CHILD_SAs out", sum("out" in sa.directions for sa in sas)),
    ]
    checks = [
        equal("rules", f"{where}: rules in force", ", ".join(state.rules) or "none", name),
        equal("child-sa", f"{where}: SAs of others", ", ".join(others) or "none", "none"),
        *(Check(kind, f"{where}: {what}", n > 0, str(n), "1 or more") for kind, what, n in numbers),
    ]
    if main:
        what, how = f"{where}: authenticated by {tunnel.auth}", _all(one.auth for one in main)
        checks.append(equal("authentication", what, how, tunnel.auth))
    if sas:
        wanted = wanted_child(tunnel)
        for key in dict.fromkeys([*wanted, *(key for sa in sas for key in sa.fields)]):
            found = _all(sa.fields.get(key) for sa in sas)
            checks.append(
                equal("child-sa", f"{where}: CHILD_SA {key}", found, str(wanted.get(key)))
            )
    return checks


def check_link(place: str, rate: float, found: Connection | None) -> Check:
    """A connection must be as fast as the cell asks for: `rate` [bit/s]. Windows shapes nothing, so
    the rate of a link is the rate of its network card."""
    speed = "no such connection" if found is None else found.speed if found.up else "not up"
    return equal("link", f"{place}: rate (bit/s)", speed, int(rate))


def _all(values: Iterable[object]) -> str:
    return " / ".join(sorted({str(value) for value in values}))
