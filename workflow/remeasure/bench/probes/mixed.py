"""A stream of TCP, by iperf3, and a flow of numbered datagrams beside it: what a transfer and calls
in one tunnel do to each other.

The flow begins before the stream and ends after it. Both go from client to server. Their logs are
read as the logs of probes iperf3 and flow.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import Field

from remeasure.bench.base.checks import Check
from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import Carried
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, Probe
from remeasure.bench.probes.flow_run import (
    Stream,
    begin,
    bring_program,
    build_program,
    finish,
    listen,
    no_strangers,
    stream_settings,
)
from remeasure.bench.probes.iperf3 import Iperf3
from remeasure.bench.probes.metrics import Metrics, Observation, Value
from remeasure.bench.probes.readers.flow_metrics import METRICS, read_values
from remeasure.bench.testbed.treatments.shaping import DSCP_PATTERN

_AROUND_S = 2
"""time that the flow takes beyond the stream's [s]"""
_OF_TCP = ("goodput", "received_bytes", "goodput_interval", "retransmits")


class Mixed(Probe):
    """One run of TCP, client to server, and datagrams of one class beside it."""

    kind: ClassVar = "mixed"
    takes_ipv6: ClassVar = True
    size_fields: ClassVar = frozenset({"length"})
    prepared_by: ClassVar = ("client", "server")
    address_in_log: ClassVar = Iperf3.address_in_log
    tools: ClassVar = Iperf3.tools
    metrics: ClassVar = Metrics({name: Iperf3.metrics[name] for name in _OF_TCP} | METRICS)

    client: HostName
    """host that sends both"""
    server: HostName
    """host that receives both"""
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
        """The probe of the stream alone."""
        return Iperf3(
            client=self.client,
            server=self.server,
            protocol="tcp",
            direction="up",
            duration=self.duration,
        )

    @property
    def calls(self) -> Stream:
        """The flow."""
        ends = (self.client, self.server)
        return Stream(*ends, self.length, self.rate, self.duration + _AROUND_S, self.dscp, 1)

    def build(self) -> None:
        build_program()

    def prepare(self, bench: Bench) -> None:
        self.stream.prepare(bench)
        bring_program(bench, [self.client, self.server])

    def measure(self, bench: Bench, stem: str) -> None:
        listen(bench, self.calls)
        begin(bench, self.calls)
        self.stream.measure(bench, stem)
        bench.save(f"{stem}.up.log", finish(bench, self.calls))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; `file` is the JSON of iperf3, or the log of the flow (`.up.log`)."""
        if file.endswith(".up.log"):
            return read_values(file, content)
        return Iperf3.read(file, content)

    def settings_in_log(self, file: str) -> Mapping[str, object]:
        up = file.endswith(".up.log")
        return stream_settings(self.calls) if up else self.stream.settings_in_log(file)

    def carried(self, observations: list[Observation]) -> Carried | None:
        """What the stream carried, with the datagrams beside it."""
        found = {o.metric: o.value for o in observations if o.metric.startswith("up_favoured_")}
        own = [o for o in observations if o.metric in _OF_TCP]
        stream = self.stream.carried(own)
        assert stream is not None
        received, sent = (int(found[f"up_favoured_{what}"]) for what in ("received", "sent"))
        return replace(
            stream,
            least_packets=stream.least_packets + received,
            most_packets=stream.most_packets + sent,
        )

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """Check that no datagram of another flow came to the port."""
        return [no_strangers(name, observations)]
