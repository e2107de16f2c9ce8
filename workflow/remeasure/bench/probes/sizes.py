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
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers.capture import TOOL, capture
from remeasure.bench.probes.readers.sizes_log import KINDS, SWEEP, largest_in, sizes_run
from remeasure.bench.testbed.tools import PERL, fail_showing, wait_until
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

_ADDRESSES = r"""
use strict; use POSIX (); use Socket qw(:all);
sub family { $_[0] =~ /:/ ? AF_INET6 : AF_INET }
sub at { my ($address, $port) = @_; my $number = inet_pton family($address), $address;
  $address =~ /:/ ? pack_sockaddr_in6 $port, $number : pack_sockaddr_in $port, $number }
"""
"""functions for addresses of either family"""
_RECEIVER = (
    _ADDRESSES
    + r"""
my ($address, $port, $limit) = @ARGV; my @came;
socket my $in, family($address), SOCK_DGRAM, 0 or die "socket: $!\n";
bind $in, at($address, $port) or die "bind $address:$port: $!\n";
$| = 1; print "listening\n"; alarm $limit;
while (1) {
  my $from = recv $in, my $data, 65535, 0 // die "recv: $!\n";
  my ($what, $number) = unpack "a1 N", $data;
  if ($what eq "d") { push @came, "$number:" . length $data; next }
  send $in, pack("N", $number) . join(" ", @came), 0, $from; @came = ();
  last if $what eq "q";
}
"""
)
"""answers each marker with number and size of the datagrams that came since the one before"""

# IP_MTU_DISCOVER is option 10, IP_MTU 14; for IPv6 they are 23 and 24, at level 41. Data goes from
# a socket without a connection: ICMP fails the next call of a connected one, which then sends
# nothing.
_SENDER = (
    _ADDRESSES
    + r"""
my ($source, $target, $port, $kind, $first, $last, $times) = @ARGV;
my %discovery = (sweep => 0, dont => 0, want => 1, do => 2);
my ($from, $to, $six) = (at($source, 0), at($target, $port), family($source) == AF_INET6);
my ($level, $discover, $known, $control) = $six ? (41, 23, 24, 58) : (0, 10, 14, 1);
sub datagrams { socket my $made, family($source), SOCK_DGRAM, 0 or die "socket: $!\n";
  bind $made, $from or die "bind $source: $!\n"; $made }
my ($data, $marks) = (datagrams(), datagrams());
socket my $icmp, family($source), SOCK_RAW, $control or die "socket: $!\n";
setsockopt $data, $level, $discover, pack "i", $discovery{$kind} or die "MTU_DISCOVER: $!\n";
sub mark { my ($what, $number) = @_; my $answer;
  send $marks, pack("a1 N", $what, $number) . "x" x ("""
    + str(_MARKER)
    + r""" - 5), 0, $to or die "marker: $!\n";
  my $ready = ""; vec($ready, fileno $marks, 1) = 1;
  select($ready, undef, undef, 2) > 0 or die "no answer to marker $number within 2 s\n";
  recv $marks, $answer, 65535, 0 // die "recv: $!\n"; my ($of, $came) = unpack "N a*", $answer;
  $of == $number or die "marker $number: answer to $of\n"; $came }
sub mtu { my $asked = datagrams(); connect $asked, $to or die "connect: $!\n";
  unpack "i", getsockopt $asked, $level, $known // die "MTU: $!\n" }
my $number = 0; mark "m", 0; print "sender $kind mtu ", mtu(), "\n";
for my $size ($first .. $last) { for (1 .. $times) {
  $number++; my $sent = send $data, pack("a1 N", "d", $number) . "x" x ($size - 5), 0, $to;
  $sent or $! == POSIX::EMSGSIZE() or die "datagram of $size: $!\n";
  my $came = mark "m", $number; my $fate = $came eq "$number:$size" ? "arrived" : "missing";
  die "datagram $number of $size: found $came\n" if $came ne "" and $fate eq "missing";
  print "datagram $number of $size ", $sent ? "sent" : "refused", " $fate mtu ", mtu(), "\n";
  while (defined(my $by = recv $icmp, my $packet, 256, MSG_DONTWAIT)) {
    my (undef, $from) = $six ? unpack_sockaddr_in6 $by : unpack_sockaddr_in $by;
    my ($type, $code, $mtu) = $six ? unpack "C2 x2 N", $packet
      : unpack "C2 x4 n", substr $packet, 4 * (15 & ord $packet);
    print "told $number by ", inet_ntop(family($source), $from), " mtu $mtu\n"
      if "$type $code" eq ($six ? "2 0" : "3 4");
  }
} }
mark "q", $number + 1;
"""
)
"""sends the datagrams of one kind of sender, and prints a line for each: the kernel's action, its
arrival, and the path's MTU in the kernel then; a line for each ICMP message"""


class Sizes(Probe):
    """The largest UDP payload that leaves `gateway` towards `peer` in one packet, and the fate of
    datagrams one byte longer, for three kinds of senders."""

    kind: ClassVar = "sizes"
    takes_ipv6: ClassVar = True
    tools: ClassVar = PERL | TOOL
    meanings: ClassVar = {
        "largest: size [B]": "largest UDP payload that left the gateway in one packet",
        "largest_wire: size [B]": "length of that packet on the wire, with its IP header",
        "on_wire: size [B]": "length of the one packet that carried a payload (index: the "
        "payload, bytes)",
        "{sender}_arrived: count [datagrams]": "datagrams of one byte more that arrived "
        "(index, here and below: number of the datagram, from 1). Sender: `dont`, no DF; "
        "`want`, Linux's default; `do`, DF demanded",
        "{sender}_refused: count [datagrams]": "datagrams that their own kernel refused",
        "{sender}_packets: count [packets]": "packets of a datagram on the wire",
        "{sender}_fragments: count [packets]": "fragments among them: pieces of a packet that "
        "was protected whole",
        "{sender}_longest: size [B]": "length of the longest of the packets",
        "{sender}_shortest: size [B]": "length of the shortest of the packets",
        "{sender}_told: size [B]": "MTU in the gateway's ICMP message to the sender",
        "{sender}_mtu: size [B]": "MTU of the path that the sender's kernel then knows",
    }

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
