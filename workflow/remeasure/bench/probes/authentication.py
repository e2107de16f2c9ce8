"""Authentications, one after another: the duration and messages of each.

Times come from the initiator's log and from a capture on the initiator's interface. Messages come
from that capture and, with EAP, from a capture of RADIUS on the responder's interface towards the
AAA server. RADIUS shows the content that IKE encrypts: the EAP method, and the pieces of TLS.

A network that loses packets can make a set-up fail for good: charon repeats a request five times
and gives up after 165 s. This is an observation (`failed`). A refusal by the peer is not: it
rejects the trial.

netem loses packets before a capture on the host's link sees them. The initiator's log therefore
counts datagrams that left charon, and that arrived: it has a line for each, whatever the link
loses. The alternative, a router between the hosts that loses packets, would be another topology,
and this probe would still not know the initiator's packets. The log is saved under a name of its
own, `.initiator.log`. Older campaigns have the same log as `.log`, from which no datagrams are
read.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.authentication_proof import ike_exchanges
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, LogError, Probe, control_of
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.probes.readers import charon_log, radius_messages
from remeasure.bench.probes.readers import ike_messages as ike
from remeasure.bench.probes.readers.capture import IKE, TOOL, capture, fetch

_KEPT = 14 + 8 + 4 + 28 + 8
"""part of each frame that the capture of IKE keeps in addition to the IP header: Ethernet, UDP, the
marker of port 4500, the IKE header, and the header of a fragment. The rest is random and makes
archives large [bytes]"""
_RADIUS_KEPT = 256
"""part of each frame that the capture of RADIUS keeps: up to the head of the EAP packet, which our
daemons put at most 154 bytes behind the beginning of the message [bytes]"""
_IKE_CAPTURE, _RADIUS_CAPTURE = "/run/ike.pcap", "/run/radius.pcap"
_LOG = ".initiator.log"
_NEGOTIATION = (ike.IKE_SA_INIT, ike.IKE_INTERMEDIATE, ike.IKE_AUTH)


def _read_ike(file: str, content: bytes) -> Iterator[Value]:
    negotiations: dict[bytes, list[ike.IkeMessage]] = {}
    for message in ike.ike_messages(file, content):
        begins = message.exchange == ike.IKE_SA_INIT
        if begins or (message.exchange in _NEGOTIATION and message.initiator_spi in negotiations):
            negotiations.setdefault(message.initiator_spi, []).append(message)
    for index, messages in enumerate(negotiations.values(), 1):
        last = messages[-1]
        if last.exchange != ike.IKE_AUTH or not last.response:
            yield Value("unfinished", 1, last.number, index)
            continue
        requests = {(m.exchange, m.message_id) for m in messages if not m.response}
        different = {(m.exchange, m.message_id, m.response) for m in messages}
        for metric, value in (
            ("ike_wire", (last.at - messages[0].at) * 1e3),
            ("ike_exchanges", len(requests)),
            ("ike_messages", len(different)),
            ("ike_datagrams", len(messages)),
            ("ike_packets", sum(m.packets for m in messages)),
            ("ike_bytes", sum(m.length for m in messages)),
        ):
            yield Value(metric, value, last.number, index)


def _read_radius(file: str, content: bytes) -> Iterator[Value]:
    authentications: list[list[radius_messages.RadiusExchange]] = []
    for exchange in radius_messages.radius_exchanges(file, content):
        if exchange.begins:
            authentications.append([])
        if authentications:
            authentications[-1].append(exchange)
    for index, exchanges in enumerate(authentications, 1):
        last = exchanges[-1]
        if not last.accepted:
            continue
        packets = [packet for exchange in exchanges for packet in exchange.packets]
        types = {packet.type for packet in packets} - {0, 1}
        values = {
            "radius_exchanges": len(exchanges),
            "radius_bytes": sum(e.bytes for e in exchanges),
            "aaa_time": sum(e.seconds for e in exchanges) * 1e3,
            "eap_type": max(types, default=0),
            # The responder itself makes the request for the identity, which RADIUS does not carry.
            "eap_messages": len(packets) + 1,
        }
        for end, code in (("server", 1), ("client", 2)):
            tls = [packet for packet in packets if packet.code == code and packet.tls_bytes]
            values[f"tls_{end}_packets"] = len(tls)
            values[f"tls_{end}_needed"] = radius_messages.packets_needed(tls)
            values[f"tls_{end}_bytes"] = sum(packet.tls_bytes for packet in tls)
        for metric, value in values.items():
            yield Value(metric, value, last.number, index)


class Authentication(Probe):
    """`count` negotiations of an IKE_SA with its CHILD_SA, each after the previous one was
    deleted."""

    kind: ClassVar = "authentication"
    takes_ipv6: ClassVar = True
    tools: ClassVar = TOOL
    readers: ClassVar = {
        ".radius.pcap.zst": _read_radius,
        ".zst": _read_ike,
        _LOG: partial(charon_log.set_ups, datagrams=True),
        "": partial(charon_log.set_ups, datagrams=False),  # of older campaigns
    }
    meanings: ClassVar = MEANINGS["authentication"]
    controls_tunnel: ClassVar = True

    count: int = Field(ge=1, le=10_000)
    """set-ups of an IKE_SA in one run"""

    def seconds(self) -> float:
        return 1 + 0.2 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        tunnel, initiator, responder = control.tunnel, control.initiator, control.responder
        interface = control.interfaces[tunnel.initiator]
        kept = _KEPT + bench.topology.family.header
        before = len(control.read_log())
        radius: AbstractContextManager[None] = nullcontext()
        if tunnel.eap:
            place = responder.host.interfaces[
                bench.topology.link_between(tunnel.responder, tunnel.aaa_host)
            ]
            radius = capture(responder, place, "udp port 1812", _RADIUS_KEPT, _RADIUS_CAPTURE)
        with capture(initiator, interface, IKE, kept, _IKE_CAPTURE), radius:
            stay = control.authenticate(self.count)
        bench.save(f"{stem}{_LOG}", control.read_log()[before:])
        bench.save(f"{stem}.ike.pcap.zst", fetch(initiator, _IKE_CAPTURE))
        if tunnel.eap:
            bench.save(f"{stem}.radius.pcap.zst", fetch(responder, _RADIUS_CAPTURE))
        if not stay:
            control.bring_up()  # the proofs of the trial need SAs

    def require_complete(self, file: str, content: bytes) -> None:
        """Every negotiation has its end: SAs, or, if a network loses packets, none."""
        ends = ("radius_exchanges", "ike_wire", "unfinished", "delay", "failed")
        found = sum(o.metric in ends for o in self.parse(file, content))
        if found != self.count:
            raise LogError(file, 1, f"{found} complete negotiations", f"{self.count}")

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that the tunnel's authentication method ran, with as many messages as it needs."""

        def of(metric: str) -> list[int]:
            return [int(o.value) for o in observed if o.metric == metric]

        assert isinstance(tunnel, IpsecTunnel)
        found, radius = of("ike_exchanges"), of("radius_exchanges")
        asked = radius if tunnel.eap else [0] * len(found)
        wanted = [ike_exchanges(tunnel, requests) for requests in asked]
        checks = [
            *_log_and_capture(name, observed),
            equal("messages", f"{name}: IKE exchanges", found, wanted),
        ]
        if tunnel.eap:
            types, wanted_type = {*of("eap_type")}, radius_messages.EAP_TYPES[tunnel.auth]
            checks.append(equal("messages", f"{name}: EAP types", types, {wanted_type}))
        if tunnel.auth == "eap-md5":
            checks.append(equal("messages", f"{name}: RADIUS exchanges", {*radius}, {2}))
        if tunnel.auth == "eap-tls":
            needed = zip(of("tls_server_needed"), of("tls_client_needed"), strict=True)
            what = f"{name}: RADIUS exchanges, from the lengths of TLS"
            checks.append(equal("messages", what, radius, [sum(ends) for ends in needed]))
        return checks


def _log_and_capture(name: str, observations: list[Value]) -> list[Check]:
    """Check log and capture against each other, if the log has datagrams. The same set-ups failed.
    If nothing was sent again nothing was lost, and both have the same datagrams. Otherwise the
    capture lacks the losses of the initiator's link, and has packets that charon never received:
    first parts of datagrams of which IP lost another part, and fragments that came again after the
    message was complete."""
    found = defaultdict[str, dict[int, int]](dict)
    for o in observations:
        found[o.metric][o.index] = int(o.value)
    if "sent_datagrams" not in found:
        return []

    def fits(index: int, unit: str) -> bool:
        sent, received, seen = (
            found[f"{counted}_{unit}"][index] for counted in ("sent", "received", "ike")
        )
        again = found["ike_retransmits"][index]
        return seen > received if again else seen == sent + received

    completed, failed, unfinished = (
        sorted(found[metric]) for metric in ("ike_datagrams", "failed", "unfinished")
    )
    apart = [i for i in completed if not (fits(i, "datagrams") and fits(i, "bytes"))]
    return [
        equal("messages", f"{name}: failed set-ups, log and capture", failed, unfinished),
        equal("messages", f"{name}: set-ups whose datagrams log and capture tell apart", apart, []),
    ]
