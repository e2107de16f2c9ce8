"""Which connection and child of one end belong to which of the other. Files may have hundreds, so
each child is read only once."""

from itertools import product
from typing import NamedTuple

from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.pair import End, Pair, address_of
from remeasure.bench.tryout.selectors import Net, common, read_selectors

_ADDRESS, _IDENTITY, _TRAFFIC = 8, 4, 4
"""weights: connections between the same addresses belong together, whatever else differs"""


class _Side(NamedTuple):
    """The part of a child and its connection about an end itself, or about its peer."""

    addresses: frozenset[str]
    identity: str
    traffic: frozenset[Net]

    def agrees(self, other: "_Side") -> int:
        """How well an end and the expectation of its peer agree; a part that one of them leaves
        open counts half."""
        return (
            _weigh(_ADDRESS, self.addresses, other.addresses)
            + _weigh(_IDENTITY, self.identity, other.identity)
            + (
                _weigh(_TRAFFIC, self.traffic, other.traffic)
                or bool(common(self.traffic, other.traffic))
            )
        )


class _Tunnel(NamedTuple):
    """A child that protects traffic."""

    connection: str
    child: str
    conn: Section
    own: _Side
    peer: _Side

    def fit(self, other: "_Tunnel") -> int:
        """How well two ends agree; children of one name belong together."""
        both = self.own.agrees(other.peer) + self.peer.agrees(other.own)
        return 2 * both + (self.child == other.child)


def _weigh(weight: int, one: frozenset[object] | str, other: frozenset[object] | str) -> int:
    if not one or not other:
        return weight // 2
    if one == other:
        return weight
    return weight // 2 + 1 if not isinstance(one, str) and one & set(other) else 0


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
    for end in pair.ends:
        if len(tunnels_of(end.conn)) > 1:
            end.notes.append(f"only child {end.child} of {end.connection} is tried")


def tunnels_of(conn: Section) -> dict[str, Section]:
    """The children of a connection that protect traffic."""
    children = conn.section("children").sections()
    return {n: one for n, one in children.items() if one.text("mode") not in ("pass", "drop")}


def _tunnels(ends: list[End], wanted: str) -> list[list[_Tunnel]]:
    """The tunnels of each end; only those of the connection `wanted`, at the ends that have it."""
    found = []
    for end in ends:
        conns = end.conf.section("connections").sections()
        found.append(
            [
                _Tunnel(name, child, conn, _side(conn, "local", of), _side(conn, "remote", of))
                for name, conn in conns.items()
                for child, of in tunnels_of(conn).items()
            ]
        )
        if not found[-1]:
            raise Refused(f"{end.conf.spot.file}: found no connection with a child, expected one")
    named = [[one for one in of if one.connection == wanted] for of in found]
    if wanted and not any(named):
        some = ", ".join(list(dict.fromkeys(one.connection for one in found[0]))[:5])
        raise Refused(
            f"{ends[0].conf.spot.file}: found no connection {wanted}, expected one such as {some}"
        )
    return [only or of for only, of in zip(named, found, strict=True)]


def _side(conn: Section, way: str, child: Section) -> _Side:
    addresses = frozenset(str(one) for one in map(address_of, conn.items_of(f"{way}_addrs")) if one)
    first = next(iter(conn.sections(way).values()), Section(conn.spot))
    identity = first.text("id")
    traffic = frozenset(read_selectors(child, f"{way}_ts").networks)
    return _Side(addresses, "" if "%" in identity or "*" in identity else identity, traffic)
