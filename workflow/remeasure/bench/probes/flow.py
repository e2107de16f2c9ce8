"""Numbered datagrams (UDP) at a constant rate, one way or both: what is lost, late or out of order.

The program (env/programs/flow.c) numbers every datagram and gives it the time of sending. One
datagram in `every` may be of a favoured class, with a DSCP of its own: `favoured`; all others are
`bulk`.

A delay is the receiver's clock less the sender's. In virtual time, and between namespaces, all
hosts have one clock and delays are exact. Elsewhere a delay contains the difference of the two
clocks and may be negative (probe `clock` tells it); differences of delays do
not. Of times between arrivals, no other clock is asked.

A host sends one flow and receives one at a time: the port is the same for all.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import FEW, FRAGMENT_OF_IPV6, Carried
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, Probe
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers import flow_log
from remeasure.bench.testbed.compiled import bring, get_program
from remeasure.bench.testbed.tools import fail, fail_showing, wait_until
from remeasure.bench.testbed.treatments.shaping import DSCP_PATTERN
from remeasure.bench.testbed.treatments.shaping import dscp as number_of

NAME = "remeasure-flow"
"""name of the process on a host"""
PORT = 9400
"""port to which flows are sent"""
CLOCK = "date +%s%N"
"""command that prints a host's time [ns since the epoch]"""
ENDS = ("initiator", "responder")
"""the ends of a tunnel, as metrics of its gateways begin"""
_DRAIN_S = 1
"""time after the sender's end for which the receiver still listens [s]"""
_PLACE = f"/run/{NAME}"
_SILENCE_S = 60
"""time beyond a flow's own after which a receiver that hears nothing ends by itself [s]"""
_BEGIN = f"""\
setsid {_PLACE} %(words)s </dev/null >{_PLACE}.%(role)s.log 2>&1 &
echo $! >{_PLACE}.%(role)s.pid
"""
_STOP = f"""\
pkill -9 -x {NAME}
{wait_until(f"! pgrep -x {NAME} >/dev/null", fail("flow does not stop"), pause_s=0.02)}
rm -f {_PLACE}.*
"""
_OVER = '[ ! -d "/proc/$pid" ]'
_SHOW_RECEIVED = f"""\
sleep {_DRAIN_S}
pid=$(cat {_PLACE}.receiver.pid)
kill -TERM $pid
{wait_until(_OVER, fail("flow does not stop"), 600)}
cat {_PLACE}.receiver.log
"""


class Stream(NamedTuple):
    """One flow of datagrams in one direction."""

    sender: str
    """role of the host"""
    receiver: str
    """role of the host"""
    length: int
    """payload of a datagram [bytes]"""
    rate: int
    """datagrams per second"""
    duration: float
    """[s]"""
    dscp: str | None = None
    """DSCP of the favoured class; None: there is none"""
    every: int = 0
    """one datagram in so many is of the favoured class"""
    burst: int = 1
    """datagrams that leave together"""

    def words(self, address: str) -> str:
        """Arguments of the program that sends to `address`."""
        favoured = f" {number_of(self.dscp)} {self.every}" if self.dscp else ""
        burst = f" {self.burst}" if self.burst > 1 else ""
        flow = f"{self.length} {self.rate} {self.duration:g}{favoured}{burst}"
        return f"send {address} {PORT} {flow}"


class FlowProbe(Probe):
    """Base of the probes that run flows between two hosts."""

    size_fields: ClassVar = frozenset({"length"})
    prepared_by: ClassVar = ("client", "server")

    client: HostName
    """host at one end, behind the initiator if there is a tunnel: it sends `up`"""
    server: HostName
    """host at the other end: it sends `down`"""

    def streams(self) -> Mapping[str, Stream]:
        """Direction -> stream."""
        raise NotImplementedError

    def build(self) -> None:
        get_program("flow")

    def prepare(self, bench: Bench) -> None:
        for host in (self.client, self.server):
            bench.remotes[host].run(_STOP)  # an earlier trial may have left one
            bring(bench.remotes[host], "flow", _PLACE)

    def begin(self, bench: Bench) -> None:
        """Start all receivers and, once they listen, all senders; returns at once."""
        log, version = f"{_PLACE}.receiver.log", bench.topology.family.version
        listening = wait_until(f"grep -q ^port {log}", fail_showing(log), pause_s=0.02)
        for stream in self.streams().values():
            words = f"receive {PORT} {stream.duration + _SILENCE_S:g} {version}"
            begin = _BEGIN % {"words": words, "role": "receiver"}
            bench.remotes[stream.receiver].run(begin + listening)
        for stream in self.streams().values():
            words = stream.words(bench.topology.address(stream.receiver))
            bench.remotes[stream.sender].run(_BEGIN % {"words": words, "role": "sender"})

    def save_flows(self, bench: Bench, stem: str) -> None:
        """Wait for the end of each sender and _DRAIN_S longer, stop its receiver, and save the
        output of both."""
        for way, stream in self.streams().items():
            steps = int(20 * (stream.duration + 20))
            over = wait_until(_OVER, fail("flow does not end"), steps, pause_s=0.05)
            show_sent = f"pid=$(cat {_PLACE}.sender.pid)\n{over}\ncat {_PLACE}.sender.log\n"
            sent = bench.remotes[stream.sender].run(show_sent, timeout=stream.duration + 60)
            received = bench.remotes[stream.receiver].run(_SHOW_RECEIVED, timeout=_DRAIN_S + 60)
            bench.save(f"{stem}.{way}.log", sent + received)

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that no datagram of another flow came to the ports."""
        strangers = sum(int(o.value) for o in observed if o.metric.endswith("_strangers"))
        return [equal("logs", f"{name}: datagrams of another flow", strangers, 0)]


class BothWays(FlowProbe):
    """Base of the probes that run one flow each way while something happens to the tunnel."""

    rate: int = Field(ge=1, le=100_000)
    """offered rate of each direction [datagrams/s]"""
    length: int = Field(ge=56, le=1472)
    """payload of a datagram [bytes]"""
    duration: float = Field(gt=0, le=3600)
    """duration of the flow [s]"""

    def seconds(self) -> float:
        return self.duration + 4

    def streams(self) -> dict[str, Stream]:
        up = Stream(self.client, self.server, self.length, self.rate, self.duration)
        return {"up": up, "down": up._replace(sender=self.server, receiver=self.client)}


class Flow(FlowProbe):
    """Datagrams of one size at a constant rate, one way or both at once."""

    kind: ClassVar = "flow"
    takes_ipv6: ClassVar = True
    cost_fields: ClassVar = frozenset({"direction"})
    meanings: ClassVar = flow_log.METRICS | flow_log.BEYOND

    direction: Literal["up", "down", "both"]
    """sender: the client (up), the server (down), or both at once"""
    rate: int = Field(ge=1, le=1_000_000)
    """offered rate of each direction [datagrams/s]"""
    load: float = Field(100, gt=0, le=1000)
    """share of `rate` that is sent, for a scenario in which one factor sets the rate of a link and
    another how far it is filled [%]"""
    length: int = Field(ge=56, le=1472)
    """payload of a datagram, of which the program uses 56 bytes [bytes]"""
    duration: float = Field(gt=0, le=3600)
    """duration of the flow [s]"""
    dscp: Annotated[str, Field(pattern=DSCP_PATTERN)] | None = None
    """DSCP of the favoured class, such as ef; null: all datagrams are bulk"""
    every: int = Field(0, ge=0)
    """one datagram in so many is of the favoured class, from the first on; 0: none"""
    held: float = Field(0, ge=0, le=1000)
    """time for which the sender holds datagrams back, to send them together [ms]"""

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        if (self.dscp is None) != (self.every == 0):
            raise ValueError("every: at least 1, together with a dscp; neither alone")
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
        ends = {"up": (self.client, self.server), "down": (self.server, self.client)}
        rate, burst = self.sent_rate, max(1, round(self.sent_rate * self.held / 1e3))
        return {
            way: Stream(*hosts, self.length, rate, self.duration, self.dscp, self.every, burst)
            for way, hosts in ends.items()
            if self.direction in (way, "both")
        }

    def measure(self, bench: Bench, stem: str) -> None:
        self.begin(bench)
        self.save_flows(bench, stem)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; the name of `file` ends in the direction."""
        return [*flow_log.read_values(file, content), *flow_log.read_beyond(file, content)]

    def carried(self, observations: list[Value]) -> Carried:
        way = "down" if self.direction == "down" else "up"

        def total(what: str) -> int:
            names = {f"{way}_{of}_{what}" for of in flow_log.CLASSES}
            return sum(int(o.value) for o in observations if o.metric in names)

        # Fragments of IPv4 are longer, so this is a bound for both.
        most = total("sent") * math.ceil((self.length + 8) / FRAGMENT_OF_IPV6)
        receiver = self.streams()[way].receiver
        return Carried(receiver, total("received"), most, control_packets=FEW)
