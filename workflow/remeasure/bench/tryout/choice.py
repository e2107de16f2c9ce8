"""Which connection and child of one end belong to which of the other. Files may have hundreds, so
each connection is read only once, and children are compared only in connections that fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.pair import End, Pair, address_of
from remeasure.bench.tryout.selectors import Span, read_selectors

SHUNTS = ("pass", "drop")
_Usable = tuple[str, Section, dict[str, Section]]
"""name of a connection, its settings, and its children that protect traffic"""
_ADDRESS, _IDENTITY, _TRAFFIC = 8, 4, 4
"""weights: connections between the same addresses belong together, whatever else differs"""


@dataclass(frozen=True)
class _Side:
    """The part of a connection about an end itself, or about its peer."""

    addresses: frozenset[str]
    identity: str
    traffic: frozenset[Span]

    def fit(self, other: "_Side") -> int:
        """How well an end and the expectation of its peer agree; a part that one of them leaves
        open counts half."""
        return (
            _weigh(_ADDRESS, self.addresses, other.addresses)
            + _weigh(_IDENTITY, self.identity, other.identity)
            + (
                _weigh(_TRAFFIC, self.traffic, other.traffic)
                or _overlap(self.traffic, other.traffic)
            )
        )


def _weigh(weight: int, one: frozenset[object] | str, other: frozenset[object] | str) -> int:
    if not one or not other:
        return weight // 2
    if one == other:
        return weight
    return weight // 2 + 1 if not isinstance(one, str) and one & set(other) else 0


def _overlap(ones: frozenset[Span], others: frozenset[Span]) -> bool:
    return any(a[0] == b[0] and a[1] <= b[2] and b[1] <= a[2] for a in ones for b in others)


def choose_one(end: End, wanted: str = "") -> None:
    """Set the connection and the child of an end whose peer is to be made: the first that knows its
    peer's address, else the first. Raises Refused."""
    usable = _only(end, wanted, [_usable(end)])[0] if wanted else _usable(end)
    name, _, children = min(usable, key=lambda one: not one[1].text("remote_addrs"))
    end.connection, end.child = name, next(iter(children))


def choose(pair: Pair, wanted: str = "") -> None:
    """Set the connection and the child of both ends. Raises Refused."""
    usable = [_usable(end) for end in pair.ends]
    if wanted:
        usable = _only(pair.left, wanted, usable)
    sides = [{name: _sides(conn, children) for name, conn, children in of} for of in usable]
    best, ties = _best(
        ((a, b), la.fit(rb) + lb.fit(ra))
        for (a, (la, ra)), (b, (lb, rb)) in product(sides[0].items(), sides[1].items())
    )
    pair.left.connection, pair.right.connection = best
    if ties > 1:
        pair.notes.append(
            f"{ties} pairs of connections fit equally well; {best[0]} and {best[1]} are tried"
        )
    _choose_children(pair)
    for end in pair.ends:
        count = len(end.conf.section("connections").sections())
        if count > 1:
            end.notes.append(f"only {end.connection} of {count} connections is tried")


def _choose_children(pair: Pair) -> None:
    sides = [
        {name: _sides(end.conn, {name: child}) for name, child in tunnels(end.conn).items()}
        for end in pair.ends
    ]
    best, _ = _best(
        ((a, b), la.fit(rb) + lb.fit(ra) + (a == b))
        for (a, (la, ra)), (b, (lb, rb)) in product(sides[0].items(), sides[1].items())
    )
    pair.left.child, pair.right.child = best
    for end in pair.ends:
        if len(tunnels(end.conn)) > 1:
            end.notes.append(f"only child {end.child} of {end.connection} is tried")


def _best(scores: Iterator[tuple[tuple[str, str], int]]) -> tuple[tuple[str, str], int]:
    """The first of the best, and how many there are."""
    best, most, ties = ("", ""), -1, 0
    for names, score in scores:
        if score > most:
            best, most, ties = names, score, 0
        ties += score == most
    return best, ties


def tunnels(conn: Section) -> dict[str, Section]:
    """The children of a connection that protect traffic."""
    children = conn.section("children").sections()
    return {n: one for n, one in children.items() if one.text("mode") not in SHUNTS}


def _usable(end: End) -> list[_Usable]:
    found = [
        (name, conn, children)
        for name, conn in end.conf.section("connections").sections().items()
        if (children := tunnels(conn))
    ]
    if not found:
        raise Refused(f"{end.conf.spot.file}: found no connection with a child, expected one")
    return found


def _only(end: End, wanted: str, usable: list[list[_Usable]]) -> list[list[_Usable]]:
    """The connections of that name, at the ends that have it."""
    named = [[one for one in of if one[0] == wanted] for of in usable]
    if not any(named):
        some = ", ".join(one[0] for one in usable[0][:5])
        raise Refused(
            f"{end.conf.spot.file}: found no connection {wanted}, expected one such as {some}"
        )
    return [only or of for only, of in zip(named, usable, strict=True)]


def _sides(conn: Section, children: dict[str, Section]) -> tuple[_Side, _Side]:
    return _side(conn, "local", children), _side(conn, "remote", children)


def _side(conn: Section, way: str, children: dict[str, Section]) -> _Side:
    addresses = frozenset(str(one) for one in map(address_of, conn.items_of(f"{way}_addrs")) if one)
    first = next(iter(conn.sections(way).values()), Section(conn.spot))
    identity = first.text("id")
    traffic = frozenset(
        span
        for child in children.values()
        for one in read_selectors(child, f"{way}_ts")
        for span in one.spans
    )
    return _Side(addresses, "" if "%" in identity or "*" in identity else identity, traffic)
