"""Authentications one after the other: how long each took, and which messages it needed.

Times are of the initiator's log and of a capture on its interface; messages of that capture and,
with EAP, of one of the RADIUS messages on the responder's interface towards the AAA server. Those
captures tell apart what IKE encrypts: the EAP method, and how TLS was cut into packets.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import ClassVar

from pydantic import Field

from remeasure.checks import Check, equal
from remeasure.ipsec.exchanges import ike_exchanges
from remeasure.ipsec.tunnel import Tunnel
from remeasure.probes.base import Bench, LogError, Observation, Probe
from remeasure.probes.readers import ike_messages as ike
from remeasure.probes.readers.capture import IKE, TOOL, capture, fetch
from remeasure.probes.readers.radius_messages import (
    EAP_TYPES,
    RadiusExchange,
    packets_needed,
    radius_exchanges,
)

_IKE_CAPTURE, _RADIUS_CAPTURE = "/run/ike.pcap", "/run/radius.pcap"
_NEGOTIATION = (ike.IKE_SA_INIT, ike.IKE_INTERMEDIATE, ike.IKE_AUTH)
_MTU_PAYLOAD, _UDP_AND_MARKER = 1480, 12
"""bytes that an IP packet of 1500 carries, and those of a datagram on port 4500 that are not IKE"""


class Authentication(Probe):
    """`count` negotiations of IKE_SA and CHILD_SA, each after the last was deleted."""

    kind: ClassVar = "authentication"
    tools: ClassVar = {
        "charon-systemd": ["which", "charon-systemd"],
        "swanctl": ["swanctl", "--help"],
        "freeradius": ["freeradius", "-v"],
        **TOOL,
    }
    controls_tunnel: ClassVar = True

    count: int = Field(ge=1)

    def seconds(self) -> float:
        return 1 + 0.2 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = bench.tunnel
        tunnel, initiator, responder = control.tunnel, control.initiator, control.responder
        before = len(control.read_log())
        with ExitStack() as captures:
            captures.enter_context(
                capture(initiator, initiator.host.interfaces[tunnel.link], IKE, 200, _IKE_CAPTURE)
            )
            if tunnel.eap:
                link = bench.topology.link_between(tunnel.responder, tunnel.aaa)
                captures.enter_context(
                    capture(
                        responder,
                        responder.host.interfaces[link],
                        "udp port 1812",
                        400,
                        _RADIUS_CAPTURE,
                    )
                )
            control.authenticate(self.count)
        bench.save(f"{stem}.log", control.read_log()[before:])
        bench.save(f"{stem}.ike.pcap.zst", fetch(initiator, _IKE_CAPTURE))
        if tunnel.eap:
            bench.save(f"{stem}.radius.pcap.zst", fetch(responder, _RADIUS_CAPTURE))

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """Index: number of the authentication, from 1.

        Log: ike_sa (ms, "initiating" to "IKE_SA established"), delay (ms, "initiating" to "CHILD_SA
        established"), ike_retransmits.
        Capture of IKE: ike_wire (ms, first request to last response of IKE_AUTH), ike_exchanges,
        ike_messages, ike_datagrams (fragments and repetitions counted), ike_packets (of IP, from
        the lengths), ike_bytes. Capture of RADIUS: radius_exchanges, radius_bytes (UDP payload),
        aaa_time (ms, from each request to its reply), eap_type, eap_messages; and of server and
        client each tls_<side>_packets (of EAP that carry TLS), tls_<side>_needed (packets that its
        messages need, from their lengths), tls_<side>_bytes.
        """
        if file.endswith(".radius.pcap.zst"):
            return _parse_radius(file, content)
        return _parse_ike(file, content) if file.endswith(".zst") else _parse_log(file, content)

    def check(self, file: str, content: bytes) -> None:
        metric = (
            "radius_exchanges"
            if file.endswith(".radius.pcap.zst")
            else "ike_wire"
            if file.endswith(".zst")
            else "delay"
        )
        found = sum(o.metric == metric for o in self.parse(file, content))
        if found != self.count:
            raise LogError(file, 1, f"{found} complete negotiations", f"{self.count}")

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """The method that ran, and that as many messages were exchanged as it needs."""

        def of(metric: str) -> list[int]:
            return [int(o.value) for o in observations if o.metric == metric]

        found = of("ike_exchanges")
        if not tunnel.eap:
            return [
                equal(
                    "messages",
                    f"{name}: IKE exchanges",
                    found,
                    [ike_exchanges(tunnel)] * len(found),
                )
            ]
        radius = of("radius_exchanges")
        checks = [
            equal("messages", f"{name}: EAP types", {*of("eap_type")}, {EAP_TYPES[tunnel.auth]}),
            equal(
                "messages",
                f"{name}: IKE exchanges, from RADIUS",
                found,
                [ike_exchanges(tunnel, requests) for requests in radius],
            ),
        ]
        if tunnel.auth == "eap-md5":
            checks.append(equal("messages", f"{name}: RADIUS exchanges", {*radius}, {2}))
        if tunnel.auth == "eap-tls":
            needed = zip(of("tls_server_needed"), of("tls_client_needed"), strict=True)
            checks.append(
                equal(
                    "messages",
                    f"{name}: RADIUS exchanges, from the lengths of TLS",
                    radius,
                    [server + client for server, client in needed],
                )
            )
        return checks


def _parse_log(file: str, content: bytes) -> Iterator[Observation]:
    index, begin, retransmits = 0, None, 0
    for number, at, message in ike.log_lines(file, content):
        if ike.INITIATING.fullmatch(message):
            index, begin, retransmits = index + 1, at, 0
        retransmits += bool(ike.RETRANSMIT.fullmatch(message))
        for metric, pattern in (("ike_sa", ike.IKE_ESTABLISHED), ("delay", ike.CHILD_ESTABLISHED)):
            if begin and pattern.fullmatch(message):
                elapsed = (at - begin).total_seconds() * 1e3
                yield Observation(metric, elapsed, "ms", number, index)
                if metric == "delay":
                    yield Observation("ike_retransmits", retransmits, "requests", number, index)


def _parse_ike(file: str, content: bytes) -> Iterator[Observation]:
    negotiations: dict[bytes, list[ike.IkeMessage]] = {}
    for message in ike.ike_messages(file, content):
        begins = message.exchange == ike.IKE_SA_INIT
        if begins or (message.exchange in _NEGOTIATION and message.initiator_spi in negotiations):
            negotiations.setdefault(message.initiator_spi, []).append(message)
    for index, messages in enumerate(negotiations.values(), 1):
        last = messages[-1]
        if last.exchange != ike.IKE_AUTH or not last.response:
            continue
        requests = {(m.exchange, m.message_id) for m in messages if not m.response}
        for metric, value, unit in (
            ("ike_wire", (last.at - messages[0].at) * 1e3, "ms"),
            ("ike_exchanges", len(requests), "exchanges"),
            (
                "ike_messages",
                len({(m.exchange, m.message_id, m.response) for m in messages}),
                "messages",
            ),
            ("ike_datagrams", len(messages), "datagrams"),
            (
                "ike_packets",
                sum(-(-(m.length + _UDP_AND_MARKER) // _MTU_PAYLOAD) for m in messages),
                "packets",
            ),
            ("ike_bytes", sum(m.length for m in messages), "B"),
        ):
            yield Observation(metric, value, unit, last.number, index)


def _parse_radius(file: str, content: bytes) -> Iterator[Observation]:
    authentications: list[list[RadiusExchange]] = []
    for exchange in radius_exchanges(file, content):
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
        for metric, value, unit in (
            ("radius_exchanges", len(exchanges), "exchanges"),
            ("radius_bytes", sum(e.bytes for e in exchanges), "B"),
            ("aaa_time", sum(e.seconds for e in exchanges) * 1e3, "ms"),
            ("eap_type", max(types, default=0), ""),
            # The request for the identity is the responder's own.
            ("eap_messages", len(packets) + 1, "messages"),
        ):
            yield Observation(metric, value, unit, last.number, index)
        for side, code in (("server", 1), ("client", 2)):
            tls = [packet for packet in packets if packet.code == code and packet.tls_bytes]
            for metric, value, unit in (
                ("packets", len(tls), "packets"),
                ("needed", packets_needed(tls), "packets"),
                ("bytes", sum(p.tls_bytes for p in tls), "B"),
            ):
                yield Observation(f"tls_{side}_{metric}", value, unit, last.number, index)
