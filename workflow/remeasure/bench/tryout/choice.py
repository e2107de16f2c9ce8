"""Which connection and child of one end belong to which of the other. Files may have hundreds, so
each child is read only once."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from remeasure.bench.tryout.addresses import common, read_selectors
from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.pair import End, Pair, address_of

_WEIGHTS = (8, 4, 4)
"""of addresses, identity and traffic: connections between the same addresses belong together,
whatever else differs"""
_Side = tuple[frozenset[Any], ...]
"""addresses, identity and networks of an end itself, or of its peer; none: left open"""


class _Tunnel(NamedTuple):
    """A child that protects traffic."""

    connection: str
    child: str
    conn: Section
    own: _Side
    peer: _Side

    def fit(self, other: "_Tunnel") -> int:
        """How well two ends agree; children of one name belong together."""
        both = _agreement(self.own, other.peer) + _agreement(self.peer, other.own)
        return 2 * both + (self.child == other.child)


def _agreement(ones: _Side, others: _Side) -> int:
    """How well an end and the expectation of its peer agree; a part that one of them leaves open
    counts half."""
    score = 0
    for weight, one, other in zip(_WEIGHTS, ones, others, strict=True):
        if not one or not other:
            score += weight // 2
        elif one & other:
            score += weight if one == other else weight // 2 + 1
    nets, theirs = ones[-1], others[-1]
    return score + (not nets & theirs and bool(common(nets, theirs)))


def choose_one(end: End, wanted: str = "") -> None:
    """Set the connection and the child of an end whose peer is to be made: the first that knows its
    peer's address, else the first. Raises Refused."""
    (found,) = _tunnels([end], wanted)
    best = min(found, key=lambda one: not one.conn.text("remote_addrs"))
    end.connection, end.child = best.connection, best.child


def choose(pair: Pair, wanted: str = "") -> None:
    """Set the connection and the child of both ends. Raises Refused."""
    scored = [(one.fit(other), one, other) for one, other in product(*_tunnels(pair.ends, wanted))]
    most = max(score for score, _, _ in scored)
    best = [(one, other) for score, one, other in scored if score == most]
    for end, tunnel in zip(pair.ends, best[0], strict=True):
        end.connection, end.child = tunnel.connection, tunnel.child
    ties = {(one.connection, other.connection) for one, other in best}
    if len(ties) > 1:
        names = f"{pair.left.connection} and {pair.right.connection}"
        pair.notes.append(f"{len(ties)} pairs of connections fit equally well; {names} are tried")
    for end in pair.ends:
        count = len(end.conf.section("connections").sections())
        if count > 1:
            end.notes.append(f"only {end.connection} of {count} connections is tried")
        if len(tunnels_of(end.conn)) > 1:
            end.notes.append(f"only child {end.child} of {end.connection} is tried")


def tunnels_of(conn: Section) -> dict[str, Section]:
    """The children of a connection that protect traffic."""
    children = conn.section("children").sections()
    return {n: one for n, one in children.items() if one.text("mode") not in ("pass", "drop")}


def _tunnels(ends: list[End], wanted: str) -> list[list[_Tunnel]]:
    """The tunnels of each end. At an end that has the connection `wanted`, others do not count."""
    found = [[*_tunnels_in(end.conf.section("connections"))] for end in ends]
    for end, there in zip(ends, found, strict=True):
        if not there:
            raise Refused(f"{end.conf.spot.file}: found no connection with a child, expected one")
    named = [[one for one in of if one.connection == wanted] for of in found]
    if wanted and not any(named):
        some = ", ".join(list(dict.fromkeys(one.connection for one in found[0]))[:5])
        raise Refused(
            f"{ends[0].conf.spot.file}: found no connection {wanted}, expected one such as {some}"
        )
    return [only or of for only, of in zip(named, found, strict=True)]


def _tunnels_in(connections: Section) -> Iterator[_Tunnel]:
    for name, conn in connections.sections().items():
        for child, of in tunnels_of(conn).items():
            yield _Tunnel(name, child, conn, _side(conn, "local", of), _side(conn, "remote", of))


def _side(conn: Section, way: str, child: Section) -> _Side:
    addresses = frozenset(one for one in map(address_of, conn.items_of(f"{way}_addrs")) if one)
    identity = next((one.text("id") for one in conn.sections(way).values()), "")
    known = {identity} - {""} if not re.search("[%*]", identity) else set()
    return addresses, frozenset(known), frozenset(read_selectors(child, f"{way}_ts").networks)
