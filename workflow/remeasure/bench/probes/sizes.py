"""Sizes of packets: the largest datagram that leaves a gateway in one packet, and one byte more.

A sender sends one UDP datagram after another, and a marker behind each. The target answers the
marker with all that came since the marker before, so the next datagram begins when the fate of this
one is known. No clock is needed. On the wire a marker has a size that no piece of a datagram has,
so a capture there shows which packets belong to which datagram.

A sweep sends one datagram of each size, without DF, so that a host cuts a datagram that it cannot
pass on whole. Each kind of sender then sends datagrams one byte longer than the largest that
fitted. Before a kind begins, the hosts forget the path's MTU.
"""

from collections.abc import Iterable
from typing import ClassVar, Self

from pydantic import Field, model_validator

from remeasure.bench.base.topology import HostName
from remeasure.bench.probes.base import Bench, Probe
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.probes.readers.capture import TOOL, capture
from remeasure.bench.probes.readers.sizes_log import KINDS, SWEEP, largest_in, sizes_run
from remeasure.bench.testbed.tools import PERL, fail_showing, program, wait_until
from remeasure.bench.testbed.treatments.receiving import forgetting
from remeasure.bench.testbed.treatments.treatment import apply

_CAPTURE, _OUTPUT = "/run/sizes.pcap", "/run/sizes.out"
_KEPT = {4: 42, 6: 70}
"""version of IP on the wire -> part of each packet that is kept [bytes]: headers of Ethernet, IP
and, in IPv6, a fragment, and 8 bytes more"""
LIMIT_S = 300
"""longest time that a run of the sender may take [s]"""
ABOVE = 4
"""datagrams of one byte more that each kind of sender sends"""
# Packets of the gateway and the source, except for neighbour discovery, IKE and keepalives of NAT
# traversal (RFC 3948, section 2.3), which have one byte of payload. "outbound" would lose the first
# packet: libpcap looks at it without the kernel, which knows the directions.
_PAYLOAD = (
    "(ip or ip6) and (src host {} or src host {}) and not icmp6 and not udp port 500 "
    "and not (udp[4:2] = 9) and not (ip6[6] = 17 and ip6[44:2] = 9)"
)

# Programs in Perl, which every Debian system has.
_MARKER = 400
"""payload of a marker [bytes]: larger than the rest of a datagram that was cut, smaller than the
datagrams that are sent"""
PORT = 9000
"""UDP port of the receiver"""

_RECEIVER = program("addresses.pl") + program("receive-sizes.pl")
"""answers each marker with number and size of the datagrams that came since the one before"""

_SENDER = program("addresses.pl") + program("send-sizes.pl", marker=_MARKER)
"""sends the datagrams of one kind of sender, and prints a line for each: the kernel's action, its
arrival, and the path's MTU in the kernel then; a line for each ICMP message"""


class Sizes(Probe):
    """The largest UDP payload that leaves `gateway` towards `peer` in one packet, and the fate of
    datagrams one byte longer, for three kinds of senders."""

    kind: ClassVar = "sizes"
    takes_ipv6: ClassVar = True
    tools: ClassVar = PERL | TOOL
    meanings: ClassVar = MEANINGS["sizes"]

    source: HostName
    """host that sends"""
    target: HostName
    """host that receives"""
    gateway: HostName
    """host whose packets on the wire are captured: the source, or a router before it"""
    peer: HostName
    """host at the other end of that wire"""
    least: int = Field(1350, ge=500, le=65000)
    """smallest payload of the sweep [bytes]"""
    most: int = Field(1480, ge=500, le=65000)
    """largest payload of the sweep [bytes]"""

    @model_validator(mode="after")
    def _a_range(self) -> Self:
        if self.least >= self.most:
            raise ValueError(f"least {self.least}: expected less than most, {self.most}")
        return self

    def seconds(self) -> float:
        return 8

    def measure(self, bench: Bench, stem: str) -> None:
        file = f"{stem}.{SWEEP}.log"
        log = self._send(bench, SWEEP, self.least, self.most, 1)
        bench.save(file, log)
        _, sweep = sizes_run(file, log.encode())
        above = largest_in(file, sweep).size + 1
        for kind in KINDS:
            bench.save(f"{stem}.{kind}.log", self._send(bench, kind, above, above, ABOVE))

    def _send(self, bench: Bench, kind: str, first: int, last: int, times: int) -> str:
        """Let one kind of sender send. Returns the log: the sender's lines, then the packets on the
        wire."""
        topology = bench.topology
        apply(forgetting([self.source, self.gateway], topology.families), bench.remotes)
        target, gateway = bench.remotes[self.target], bench.remotes[self.gateway]
        link = topology.link_between(self.gateway, self.peer)
        ends = [
            topology.address(host, link if link in topology.links_of(host) else None)
            for host in (self.source, self.target)
        ]
        wanted = _PAYLOAD.format(topology.address(self.gateway, link), ends[0])
        kept = _KEPT[topology.family_on(link).version]
        listen = ["perl", "-e", _RECEIVER, ends[1], str(PORT), str(LIMIT_S)]
        send = ["perl", "-e", _SENDER, *ends, str(PORT), kind, *map(str, (first, last, times))]
        receiver = target.start(listen, _OUTPUT)
        try:
            target.run(wait_until(f"grep -q listening {_OUTPUT}", fail_showing(_OUTPUT)))
            with capture(gateway, gateway.host.interfaces[link], wanted, kept, _CAPTURE):
                sent = bench.remotes[self.source].run(send, timeout=LIMIT_S)
        finally:
            target.run(f"kill {receiver} 2>/dev/null; rm -f {_OUTPUT}")
        return sent + gateway.run(["tcpdump", "-nn", "-t", "-v", "-r", _CAPTURE])

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        kind, datagrams = sizes_run(file, content)
        if kind == SWEEP:
            largest = largest_in(file, datagrams)
            yield Value("largest", largest.size, largest.line)
            yield Value("largest_wire", largest.packets[0].length, largest.line)
            for datagram in datagrams[: datagrams.index(largest) + 1]:
                yield Value("on_wire", datagram.packets[0].length, datagram.line, datagram.size)
            return
        for datagram in datagrams:
            lengths = [packet.length for packet in datagram.packets]
            values = {
                "arrived": datagram.arrived,
                "refused": datagram.refused,
                "packets": len(lengths),
                "fragments": sum(packet.fragment for packet in datagram.packets),
                "longest": max(lengths, default=None),
                "shortest": min(lengths, default=None),
                "told": datagram.told,
                "mtu": datagram.mtu,
            }
            for metric, value in values.items():
                if value is not None:
                    yield Value(f"{kind}_{metric}", int(value), datagram.line, datagram.number)
