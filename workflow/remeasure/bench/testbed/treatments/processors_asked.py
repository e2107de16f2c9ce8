"""What a cell asks of the processors of its hosts; hosts are started anew where it changes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from remeasure.bench.testbed.treatments.instructions import Instructions


@dataclass(frozen=True)
class Wanted:
    """What a cell asks of the processors of its hosts."""

    cpus: int | None = None
    """processors of each host; None: the default of the lab's back end"""
    instructions: Instructions | None = None
    """what kernels may use for cryptography; None: what they use by themselves"""


ANY = Wanted()
"""a cell that asks for nothing"""


def first_reason(why_not: Callable[[Wanted], str | None], wanted: Iterable[Wanted]) -> str:
    """Why the most modest cell cannot be measured, of cells none of which can be."""
    modest = min(wanted, key=lambda cell: (cell.cpus or 0, cell.instructions is not None))
    return why_not(modest) or ""
