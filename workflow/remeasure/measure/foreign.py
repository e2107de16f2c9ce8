"""What hosts did beside the probes of a trial: programs that nobody started, servers that were
started again, IKE_SAs that were negotiated anew, and packets of which no probe knows.

Each run of a probe is looked at by the counters that were read before and after it. What they tell
is added up over a trial, to one check of each kind for each host. Packets are compared with what
the probe says that it sent, protocol by protocol. On the link of a tunnel, every frame belongs to
an SA, to a packet that the SA refused or that found the queue of its processor full, or to the few
of IKE and ARP, or of neighbour discovery, which is of IPv6.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping

from remeasure.checks import Check
from remeasure.family import IPV6, Family
from remeasure.ipsec import control
from remeasure.ipsec.agreement import FEW, MISCOUNT, Carried, inbound
from remeasure.ipsec.sas import read_xfrm_stat
from remeasure.ipsec.tunnel import Tunnel
from remeasure.probes import PROBES
from remeasure.probes.base import Probe
from remeasure.testbed.treatments import changes
from remeasure.testbed.watching import counters
from remeasure.testbed.watching.counters import split_kinds
from remeasure.testbed.watching.proc_stat import TICK_MS
from remeasure.testbed.watching.protocols import read_protocols, read_protocols_of_ipv6
from remeasure.testbed.watching.running import Program, read_programs, replaced, strangers
from remeasure.testbed.watching.settled import Settled, programs_of
from remeasure.testbed.watching.softnet import read_softnet
from remeasure.topology import Topology

_SERVERS = frozenset().union(
    control.PROGRAMS, changes.PROGRAMS, *(probe.servers for probe in PROBES.values())
)
"""names of the programs that trials leave running on hosts, this trial or one before"""
FEW_DATAGRAMS = 20
"""datagrams that are none of a probe's payload, at most: of iperf3 one, of IKE and RADIUS a few"""
FEW_FRAMES = 20
"""frames on the link of a tunnel, in one direction, that belong to no SA, at most: -3 to 5 in 700
runs of a released campaign"""
FRAMES_OF_AN_SA = 12
"""frames by which an SA is negotiated during a run, in one direction, at most"""
_TCP = 32
"""header of TCP with time stamps [bytes]"""
MISCOUNT_PAYLOAD = 1.01
"""payload counted for each byte that was sent, at most"""
_SEGMENT = 1460
_BACK_SHARE, _BACK_LEAST = 0.03, 100_000
"""payload that goes against a stream of TCP, at most: a share of the stream's (options of
acknowledgements count as payload), and [bytes]"""
_SHOWN = 4
_IN_USE = "Ip6InReceives"
"""counter of IPv6 that is not 0 on a host that has received a packet"""


def started_by(probes: Iterable[Probe]) -> frozenset[str]:
    """Names of the programs that a trial with these probes may leave running on hosts."""
    return _SERVERS.union(*(probe.programs for probe in probes))


class Foreign:
    """What was found so far in one trial."""

    def __init__(
        self,
        settled: Settled,
        started: Collection[str],
        tunnel: Tunnel | None,
        topology: Topology,
        interfaces: Mapping[tuple[str, str], str],
    ):
        """`settled`: how hosts were when the session began, with the programs that ran there;
        `started`: names of those that are the trial's; `interfaces`: (role, link) -> name of the
        interface."""
        self._known = {host: programs_of(text) | {*started} for host, text in settled.items()}
        self._tunnel, self._topology, self._interfaces = tunnel, topology, interfaces
        self._found: dict[tuple[str, str, str], list[str]] = {}
        """kind of check, its name, what is expected -> what was found, one line each"""

    def look(
        self,
        name: str,
        probe: Probe,
        carried: Carried | None,
        before: Mapping[str, str],
        after: Mapping[str, str],
    ) -> None:
        """Look at one run of a probe, which the scenario calls `name`, by the counters of each host
        (role) before and after it; `carried` is what the probe says of itself."""
        family = self._topology.family
        moved = {host: _Moved(before[host], text, family) for host, text in after.items()}
        for host, one in moved.items():
            self._programs(host, name, probe, one)
            if carried:
                self._protocols(host, name, carried, one)
        for gateway in self._tunnel.gateways if self._tunnel else ():
            self._ike_sas(gateway, name, moved[gateway])
            self._frames(gateway, name, moved[gateway])
        if carried:
            self._directions(name, carried, moved)

    def checks(self) -> Iterator[Check]:
        """One for each kind and host that was looked at."""
        for (kind, name, expected), found in self._found.items():
            distinct = list(dict.fromkeys(found))
            more = f" and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
            said = "; ".join(distinct[:_SHOWN]) + more or expected
            yield Check(kind, name, not found, said, expected)

    def _note(self, kind: str, what: str, found: Iterable[str], expected: str = "nothing") -> None:
        self._found.setdefault((kind, what, expected), []).extend(found)

    def _programs(self, host: str, name: str, probe: Probe, moved: "_Moved") -> None:
        if host not in self._known:
            return
        then, now = moved.programs
        foreign = [
            f"{program} ran during {name} ({ticks * TICK_MS / 1000:.2f} s of processor time)"
            for program, ticks in strangers(now, self._known[host]).items()
        ]
        again = [
            f"{server} was started again during {name}"
            for server in replaced(then, now, probe.servers)
        ]
        self._note("programs", f"{host}: what else ran", [*foreign, *again])

    def _ike_sas(self, gateway: str, name: str, moved: "_Moved") -> None:
        then, now = (set(text.splitlines()) for text in moved.texts(counters.IKE_SAS))
        new = [f"{line} during {name}" for line in sorted(now - then)]
        self._note("ike-sa", f"{gateway}: IKE_SAs that were negotiated beside probes", new)

    def _frames(self, gateway: str, name: str, moved: "_Moved") -> None:
        tunnel = self._tunnel
        assert tunnel is not None
        frames, _ = moved.received(self._interfaces[gateway, tunnel.link])
        (packets, _), new = moved.decrypted()
        stray = frames - packets - moved.refused() - moved.fragments() - moved.unqueued()
        most = FEW_FRAMES + FRAMES_OF_AN_SA * new
        found = [f"{stray} of {frames} during {name}"] if stray > most else []
        what = f"{gateway}: frames on {tunnel.link} that belong to no SA"
        self._note("foreign-packets", what, found, f"at most {FEW_FRAMES} in a run")

    def _protocols(self, host: str, name: str, carried: Carried, moved: "_Moved") -> None:
        echoes = moved.protocol("Icmp{}InEchos")
        arrived = ("Udp{}InDatagrams", "Udp{}NoPorts", "Udp{}InErrors")
        datagrams = sum(map(moved.protocol, arrived)) - self._in_udp(host, moved)
        found = [
            f"{count} {what} during {name}, of which the probe sent {sent}"
            for what, count, sent, few in (
                ("echo requests", echoes, carried.echoes, FEW),
                ("datagrams", datagrams, carried.datagrams, FEW_DATAGRAMS),
            )
            if count > sent * MISCOUNT + few
        ]
        what = f"{host}: packets that it received and no probe sent"
        self._note("foreign-packets", what, found)

    def _in_udp(self, host: str, moved: "_Moved") -> int:
        """Packets of the SA that a gateway received in UDP, which it counts as datagrams."""
        if self._tunnel is None or not self._tunnel.in_udp or host not in self._tunnel.gateways:
            return 0
        (packets, _), _ = moved.decrypted()
        return packets + moved.refused()

    def _directions(self, name: str, carried: Carried, moved: Mapping[str, "_Moved"]) -> None:
        """What came out of the SA in the direction of the payload, and in the other one."""
        tunnel = self._tunnel
        if tunnel is None:
            return
        forth = tunnel.gateway_before(carried.receiver, self._topology)
        back = tunnel.peer(forth)
        (_, forth_payload), (back_packets, back_payload) = (
            moved[gateway].decrypted()[0] for gateway in (forth, back)
        )
        found: dict[str, list[str]] = {forth: [], back: []}
        if carried.most_payload is not None:
            resent = sum(one.protocol("TcpRetransSegs") for one in moved.values())
            most = int(carried.most_payload * MISCOUNT_PAYLOAD) + resent * _SEGMENT
            most_back = int(carried.most_payload * _BACK_SHARE) + _BACK_LEAST
            for gateway, payload, limit in (
                (forth, forth_payload, most),
                (back, back_payload, most_back),
            ):
                if payload > limit:
                    line = f"{payload} bytes of payload during {name}, of which probes sent {limit}"
                    found[gateway].append(line)
        elif carried.back_packets is not None and back_packets > carried.back_packets + FEW:
            line = f"{back_packets} packets during {name}, of which probes sent at most "
            found[back].append(f"{line}{carried.back_packets}")
        for gateway, lines in found.items():
            what = f"{gateway}: what its inbound SA carried beside the probes"
            self._note("foreign-packets", what, lines)


class _Moved:
    """By how much the counters of one host moved during a run."""

    def __init__(self, before: str, after: str, family: Family):
        """Texts of `counters.read_host`; `family`: of the packets that probes send."""
        self._parts = split_kinds(before), split_kinds(after)
        self._family = family

    def texts(self, kind: str) -> tuple[str, str]:
        """What a kind said before and after; empty if it was not asked."""
        first, last = (parts.get(kind, "") for parts in self._parts)
        return first, last

    @property
    def programs(self) -> tuple[list[Program], list[Program]]:
        first, last = map(read_programs, self.texts(counters.PROGRAMS))
        return first, last

    def protocol(self, name: str) -> int:
        """By how much a counter moved. A name with {} is of a protocol that counts IPv6 apart."""
        if self._family == IPV6 and "{}" in name:
            texts = self.texts(counters.PROTOCOLS_IPV6)
            first, last = map(read_protocols_of_ipv6, texts)
            name = name.format("6")
            if _IN_USE not in last:
                found = f"{counters.PROTOCOLS_IPV6}: no {_IN_USE}"
                raise ValueError(f"{found}, although probes send packets of IPv6")
        else:
            first, last = map(read_protocols, self.texts(counters.PROTOCOLS))
            name = name.format("")
        return last.get(name, 0) - first.get(name, 0)

    def received(self, interface: str) -> tuple[int, int]:
        """Packets and bytes that an interface received."""
        first, last = (
            next(link["stats64"]["rx"] for link in json.loads(text) if link["ifname"] == interface)
            for text in self.texts(counters.LINKS)
        )
        return last["packets"] - first["packets"], last["bytes"] - first["bytes"]

    def decrypted(self) -> tuple[tuple[int, int], int]:
        """Packets and payload [bytes] that came out of the inbound SAs, and the number of SAs that
        were not there before."""
        first, last = ({sa.spi: sa for sa in inbound(text)} for text in self.texts(counters.SAS))
        packets, size = (
            sum(getattr(sa, what) for sa in last.values())
            - sum(getattr(first[spi], what) for spi in first.keys() & last.keys())
            for what in ("packets", "bytes")
        )
        headers = self._family.header + _TCP
        return (packets, size - headers * packets), len(last.keys() - first.keys())

    def refused(self) -> int:
        """Packets that IPsec dropped on their way in."""
        first, last = map(read_xfrm_stat, self.texts(counters.DROPS))
        return sum(
            count - first.get(name, 0) for name, count in last.items() if name.startswith("XfrmIn")
        )

    def fragments(self) -> int:
        """Frames that were joined to others before they could be decrypted."""
        return self.protocol("Ip{}ReasmReqds") - self.protocol("Ip{}ReasmOKs")

    def unqueued(self) -> int:
        """Frames that found the queue of their processor full, before IPsec saw them."""
        first, last = (
            sum(one.dropped for one in read_softnet(text)) for text in self.texts(counters.SOFTNET)
        )
        return last - first
