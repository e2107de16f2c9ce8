"""One queueing discipline of an interface, as it is set and as it is proven."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Discipline(NamedTuple):
    """One queueing discipline."""

    kind: str
    handle: str
    words: Sequence[str]
    """arguments of tc"""
    facts: Mapping[str, object]
    """what is set -> its value, as `disciplines` reads it back from tc"""
    parent: str = ""
    """class to which it is attached; empty: the only class of the discipline before it, or the
    root"""
