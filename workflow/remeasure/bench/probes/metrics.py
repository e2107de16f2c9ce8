"""A probe's declaration of the values it reads: their names, units and meanings."""

import math
import re
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml

_MEANINGS = Path(__file__).with_name("meanings.yaml")
MEANINGS = cast(dict[str, dict[str, str]], read_yaml(_MEANINGS))
"""kind of probe -> metrics that its logs can give, as `declare` takes them"""

Side = Literal["sender", "receiver", "both", ""]
"""the end that counted: the sender of the payload, its receiver, or both (a difference of sent and
received); empty if the value has no side, like a round trip or a capture on the path"""

MetricKind = Literal[
    "delay",
    "one-way",
    "variation",
    "time",
    "rate",
    "payload",
    "sent",
    "total",
    "count",
    "size",
    "cost",
    "loss",
    "share",
    "label",
]
"""the property of a metric that decides how its values may be read:

delay: a time that contains the way of packets over links, such as a round trip or a set-up.
one-way: a delay by the clocks of two hosts, whose difference it contains.
variation: a difference, or the spread, of delays.
time: any other time, such as the duration of the traffic.
rate: payload or packets per time. A probe declares the rate of its whole run before others.
payload: payload that arrived in a run [B].
sent: packets sent in a run, some of which may be lost.
total: any other number that grows with the duration of a run.
count: a number that does not.
size: a length of packets, messages or memory.
cost: processor time for a piece of work, or the work that a processor does in its time.
loss: lost packets as a share of the sent ones.
share: any other share.
label: a number that stands for a word: a version, a method, yes or no.
"""


class Metric(NamedTuple):
    """One kind of value."""

    unit: str
    """unit of the values; empty for a pure number"""
    meaning: str
    """the measured quantity: one plain sentence, without a full stop"""
    kind: MetricKind
    """the property that decides how values may be read"""
    side: Side = ""
    """the end that counts, unless a value gives another"""
    signed: bool = False
    """True for a difference, which can be negative"""

    def impossible(self, value: float) -> str:
        """The expected range instead of `value`; empty if `value` is possible."""
        most = 100 if self.unit == "%" else math.inf
        # Rounding may lift a mean of shares above 100 %.
        greatest = min(most * (1 + 1e-9), sys.float_info.max)
        if type(value) is not bool and (self.signed or value >= 0) and abs(value) <= greatest:
            return ""
        return f"a number {'' if self.signed else 'from 0 '}to {most:g} {self.unit}".rstrip()


class Value(NamedTuple):
    """One measured value in a log."""

    metric: str
    value: float
    line: int
    """line of the log, from 1; in a capture the packet's number"""
    index: int = 0  # type: ignore[assignment]  # hides tuple.index, which nothing asks for
    """position within the repeat: sequence number of a ping, second of a run"""
    side: Side = ""
    """the end that counted; a reader gives it only if it is not the one that the metric declares"""
    unit: str = ""
    """the one that the metric declares, which no reader gives"""


class Metrics(dict[str, Metric]):
    """The metrics of a probe by name. A name may contain a host or a number in braces:
    `{host}_cpu{n}_busy`."""

    def of(self, name: str) -> Metric:
        """The declaration of one metric. Raises UserError if there is none."""
        if found := self.find(name):
            return found
        raise UserError(f"metric {name!r}: not declared; known: {', '.join(self)}")

    def find(self, name: str) -> Metric | None:
        """The declaration of one metric; None if there is none."""
        fitting = (self[key] for key, form in self._forms if form.fullmatch(name))
        return self.get(name) or next(fitting, None)

    @cached_property
    def _forms(self) -> list[tuple[str, re.Pattern[str]]]:
        """Names with braces, the longest first: left_cpu0_busy belongs to a processor, not to a
        host left_cpu0."""
        names = sorted((name for name in self if "{" in name), key=len, reverse=True)
        return [(name, re.compile(re.sub(r"\{\w+\}", r"[\\w-]+", name))) for name in names]


_HEADING = re.compile(
    rf"([\w{{}}]+): ({'|'.join(get_args(MetricKind))})(?: \[([^]]+)\])?"
    "(?:, (sender|receiver|both))?(, signed)?"
)


def declare(meanings: Mapping[str, str]) -> Metrics:
    """Metrics from '<name>: <kind> [<unit>], <side>, signed' -> meaning; all parts behind the kind
    are optional. Raises UserError."""
    found = Metrics()
    for heading, meaning in meanings.items():
        if not (match := _HEADING.fullmatch(heading)):
            raise UserError(f"metric {heading!r}: expected '<name>: <kind> [<unit>], <side>'")
        name, kind, unit, side, signed = match.groups(default="")
        found[name] = Metric(unit, meaning, cast(MetricKind, kind), cast(Side, side), bool(signed))
    return found


DERIVED = declare(MEANINGS["derived"])
"""metrics that no probe reads from its log, since they need several logs (analysis)"""
