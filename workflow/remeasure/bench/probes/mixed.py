"""A stream of TCP, by iperf3, and a flow of numbered datagrams: the effect of a transfer and calls
in one tunnel on each other. The flow begins before the stream and ends after it. Both go from
client to server. Their logs are read as the logs of probes iperf3 and flow."""

from typing import Annotated, ClassVar

from pydantic import Field

from remeasure.bench.ipsec.agreement import Carried
from remeasure.bench.probes.base import Bench
from remeasure.bench.probes.flow import FlowProbe, Stream
from remeasure.bench.probes.iperf3 import Iperf3
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers.flow_log import METRICS, read_values
from remeasure.bench.testbed.treatments.shaping import DSCP_PATTERN

_AROUND_S = 2
"""time that the flow takes beyond the stream's [s]"""
_OF_TCP = ("goodput", "received_bytes", "goodput_interval", "retransmits")


class Mixed(FlowProbe):
    """One run of TCP, client to server, together with datagrams of one class."""

    kind: ClassVar = "mixed"
    takes_ipv6: ClassVar = True
    tools: ClassVar = Iperf3.tools
    readers: ClassVar = {".up.log": read_values, "": Iperf3.read}
    meanings: ClassVar = {
        **{name: what for name, what in Iperf3.meanings.items() if name.split(":")[0] in _OF_TCP},
        **METRICS,
    }

    duration: int = Field(ge=1, le=3600)
    """duration of the stream [s]"""
    rate: int = Field(ge=1, le=1_000_000)
    """rate of the flow [datagrams/s]"""
    length: int = Field(200, ge=48, le=1472)
    """payload of a datagram of the flow [bytes]"""
    dscp: Annotated[str, Field(pattern=DSCP_PATTERN)] = "ef"
    """DSCP of the flow"""

    def seconds(self) -> float:
        return self.duration + _AROUND_S + 1

    @property
    def stream(self) -> Iperf3:
        """The probe of only the stream."""
        return Iperf3(
            client=self.client,
            server=self.server,
            protocol="tcp",
            direction="up",
            duration=self.duration,
        )

    def streams(self) -> dict[str, Stream]:
        ends, duration = (self.client, self.server), self.duration + _AROUND_S
        return {"up": Stream(*ends, self.length, self.rate, duration, self.dscp, 1)}

    def prepare(self, bench: Bench) -> None:
        self.stream.prepare(bench)
        super().prepare(bench)

    def measure(self, bench: Bench, stem: str) -> None:
        self.begin(bench)
        self.stream.measure(bench, stem)
        self.save_flows(bench, stem)

    def carried(self, observations: list[Value]) -> Carried | None:
        """Traffic of stream and flow."""
        found = {o.metric: int(o.value) for o in observations if o.metric not in _OF_TCP}
        stream = self.stream.carried([o for o in observations if o.metric in _OF_TCP])
        assert stream is not None
        least = stream.least_packets + found["up_favoured_received"]
        most = stream.most_packets + found["up_favoured_sent"]
        return stream._replace(least_packets=least, most_packets=most)
