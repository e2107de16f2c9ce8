"""What a probe declares about the values it reads: their names, units and meanings."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from remeasure.errors import UserError

Side = Literal["sender", "receiver", "both", ""]
"""the end that counted: the sender of the payload, its receiver, or both (a difference of what one
sent and what the other missed); empty where the value has no such side, as a round trip or what a
capture on the path shows"""


@dataclass(frozen=True)
class Metric:
    """One kind of value."""

    unit: str
    """unit of the values; empty for a pure number"""
    meaning: str
    """what is measured: one plain sentence, without a full stop"""
    side: Side = ""
    """the end that counts, unless a value says otherwise"""


class Value(NamedTuple):
    """One value as a parser reads it from a log. The unit is the one declared for its metric."""

    metric: str
    value: float
    line: int
    """line of the log, from 1; in a capture the packet's number"""
    index: int = 0  # type: ignore[assignment]  # hides tuple.index, which nothing asks for
    """position within the repeat: sequence number of a ping, second of a run"""
    side: Side = ""
    """the end that counted, if it is not the one that the metric declares"""


class Observation(NamedTuple):
    """One measured value."""

    metric: str
    value: float
    unit: str
    line: int
    """line of the log, from 1; in a capture the packet's number"""
    index: int  # type: ignore[assignment]  # hides tuple.index, which nothing asks for
    """position within the repeat: sequence number of a ping, second of a run"""
    side: Side
    """the end that counted"""


class UndeclaredMetric(UserError):
    """A parser read a value of a metric that its probe does not declare."""


class Metrics(dict[str, Metric]):
    """The metrics of a probe by name. A name may contain a host or a number in braces:
    `{host}_cpu{n}_busy`."""

    def of(self, name: str) -> Metric:
        """The declaration of one metric. Raises UndeclaredMetric."""
        return self.get(name) or self._of_pattern(name)

    def _of_pattern(self, name: str) -> Metric:
        # The longest name is tried first: left_cpu0_busy belongs to a processor, not to a host
        # left_cpu0.
        for pattern in sorted(filter(lambda key: "{" in key, self), key=len, reverse=True):
            if _compiled(pattern).fullmatch(name):
                return self[pattern]
        raise UndeclaredMetric(f"metric {name!r}: not declared; known: {', '.join(self)}")


@lru_cache
def _compiled(pattern: str) -> re.Pattern:
    return re.compile(re.sub(r"\{(\w+)\}", r"[\\w-]+", pattern))
