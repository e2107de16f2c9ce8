"""How an outage under traffic is read: how it ends, and which setting is advised.

Traffic that flows again may be unprotected: without an IPsec policy it leaks. A cell
is therefore read by its end first:

    clear       a gateway leaks packets in the last seconds of the flow
    dead        else, and nothing arrives any more in one direction
    protected   else

A setting is better if fewer causes end unprotected; of equals, if less traffic leaked
over all causes; of equals again, if its longest silence is shorter. A leak counts before a silence,
since a packet that was read cannot be made unread.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

DirectionState = Literal["protected", "clear", "dead"]
DEAD_S = 1.0
"""time without an arrival at the end of a flow from which a direction is dead [s]"""


class OutageCell(NamedTuple):
    clear_s: tuple[float, float]
    """traffic that the initiator's and the responder's gateway leaked [s]"""
    still_clear: tuple[float, float]
    """packets that leaked in the last seconds of the flow"""
    tail_s: tuple[float, float]
    """time from the last arrival to the end of the flow, up and down [s]"""
    silence_s: tuple[float, float]
    """longest time without an arrival, up and down [s]"""

    @property
    def end(self) -> DirectionState:
        if any(self.still_clear):
            return "clear"
        return "dead" if max(self.tail_s) >= DEAD_S else "protected"


class OutageRank(NamedTuple):
    """How a setting ranks over all causes; a lesser one is better."""

    unprotected: int
    """causes that do not end protected"""
    clear_s: float
    """leaked traffic of both gateways, over all causes [s]"""
    silence_s: float
    """longest silence of any cause [s]"""


def standing(outages: Iterable[OutageCell]) -> OutageRank:
    """How a setting ranks, by its cells, one for each cause."""
    cells = list(outages)
    return OutageRank(
        sum(cell.end != "protected" for cell in cells),
        sum(sum(cell.clear_s) for cell in cells),
        max((max(cell.silence_s) for cell in cells), default=0.0),
    )


def ranked(settings: Mapping[str, Iterable[OutageCell]]) -> list[tuple[str, OutageRank]]:
    """The settings with their standing, the best first; equals stay in their order."""
    found = [(name, standing(cells)) for name, cells in settings.items()]
    return sorted(found, key=lambda one: one[1])
