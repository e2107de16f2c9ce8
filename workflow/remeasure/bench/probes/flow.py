"""Numbered datagrams (UDP) at a constant rate, one way or both: what is lost, late or out of order.

The program (env/flow/flow.c) numbers every datagram and gives it the time of sending. One datagram
in `every` may be of a favoured class, with a DSCP of its own: `favoured`; all others are `bulk`.

A delay is the receiver's clock less the sender's. In virtual time, and between namespaces, all
hosts have one clock and delays are exact. Elsewhere a delay contains the difference of the two
clocks and may be negative (probe `clock` tells it); differences of delays do
not. Of times between arrivals, no other clock is asked.
"""

import math
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from remeasure.bench.ipsec.agreement import FEW, FRAGMENT_OF_IPV6, Carried
from remeasure.bench.probes.base import Bench
from remeasure.bench.probes.flow_run import FlowProbe, Stream, begin, finish
from remeasure.bench.probes.metrics import Observation, Value
from remeasure.bench.probes.readers.flow_metrics import CLASSES, METRICS, read_values
from remeasure.bench.testbed.treatments.shaping import DSCP_PATTERN


class Flow(FlowProbe):
    """Datagrams of one size at a constant rate, one way or both at once."""

    kind: ClassVar = "flow"
    takes_ipv6: ClassVar = True
    cost_fields: ClassVar = frozenset({"direction"})
    metrics: ClassVar = METRICS

    direction: Literal["up", "down", "both"]
    """who sends: the client (up), the server (down), or both at once"""
    rate: int = Field(ge=1, le=1_000_000)
    """offered rate of each direction [datagrams/s]"""
    load: float = Field(100, gt=0, le=1000)
    """share of `rate` that is sent, for a scenario in which one factor sets the rate of a link and
    another how far it is filled [%]"""
    length: int = Field(ge=48, le=1472)
    """payload of a datagram, of which the program uses 48 bytes [bytes]"""
    duration: float = Field(gt=0, le=3600)
    """duration of the flow [s]"""
    dscp: Annotated[str, Field(pattern=DSCP_PATTERN)] | None = None
    """DSCP of the favoured class, such as ef; null: all datagrams are bulk"""
    every: int = Field(0, ge=0)
    """one datagram in so many is of the favoured class, from the first on; 0: none"""

    @model_validator(mode="after")
    def _class_is_whole(self) -> Self:
        if (self.dscp is None) != (self.every == 0):
            raise ValueError("every: at least 1, together with a dscp; neither alone")
        return self

    @model_validator(mode="after")
    def _can_be_counted(self) -> Self:
        if not 1 <= self.sent_rate * self.duration <= 2e6:
            raise ValueError("rate: with the duration, expected 1 to 2000000 datagrams")
        return self

    @property
    def sent_rate(self) -> int:
        """`load` of `rate` [datagrams/s]."""
        return max(1, round(self.rate * self.load / 100))

    def seconds(self) -> float:
        return self.duration + 2

    def streams(self) -> dict[str, Stream]:
        """Direction -> what is sent."""
        ends = {"up": (self.client, self.server), "down": (self.server, self.client)}
        return {
            way: Stream(*hosts, self.length, self.sent_rate, self.duration, self.dscp, self.every)
            for way, hosts in ends.items()
            if self.direction in (way, "both")
        }

    def measure(self, bench: Bench, stem: str) -> None:
        streams = self.streams()
        begin(bench, streams.values())
        for way, stream in streams.items():
            bench.save(f"{stem}.{way}.log", finish(bench, stream))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; the name of `file` ends in the direction."""
        return read_values(file, content)

    def carried(self, observations: list[Observation]) -> Carried:
        found = {
            way: tuple(_total(observations, way, what) for what in ("received", "sent"))
            for way in ("up", "down")
        }
        way = "down" if self.direction == "down" else "up"
        # Of IPv4 fragments are longer, so this is a bound for both.
        parts = math.ceil((self.length + 8) / FRAGMENT_OF_IPV6)
        received, sent = found[way]
        return Carried(self.streams()[way].receiver, received, sent * parts, control_packets=FEW)


def _total(observations: list[Observation], way: str, what: str) -> int:
    names = {f"{way}_{of}_{what}" for of in CLASSES}
    return sum(int(o.value) for o in observations if o.metric in names)
