"""Time to set up an IKE_SA and its CHILD_SA: from charon's log, and from a capture on the wire.

The log gives the study's definition (pratama, section 3.1): from "initiating IKE_SA" to "IKE_SA
established", both written by the initiator. The capture, on the initiator's interface, gives the
time from the first IKE_SA_INIT request to the last IKE_AUTH response. tcpdump sees a packet only
when the queueing discipline has let it go, so a netem delay of the first request on that egress is
not in the wire time.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.swanctl import CONNECTION
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, LogError, Probe, control_of
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.probes.readers import charon_log
from remeasure.bench.probes.readers import ike_messages as ike
from remeasure.bench.probes.readers.capture import IKE, TOOL, capture, fetch
from remeasure.bench.testbed.remote import CommandFailed

_TIMES = {
    "ike_sa": (charon_log.INITIATING, charon_log.IKE_ESTABLISHED),
    "child_sa": (charon_log.IKE_ESTABLISHED, charon_log.CHILD_ESTABLISHED),
    "child_rekey": (charon_log.REKEYING, charon_log.REKEYED),
}
"""metric -> the messages of charon from and to which it is the time"""
CAPTURE = "/run/ike.pcap"


def _read_log(file: str, content: bytes) -> Iterable[Value]:
    lines = [*charon_log.log_lines(file, content)]

    def first(event: re.Pattern[str]) -> tuple[int, datetime, str] | None:
        return next((line for line in lines if event.fullmatch(line[2])), None)

    for metric, (start, end) in _TIMES.items():
        if (began := first(start)) and (ended := first(end)):
            yield Value(metric, (ended[1] - began[1]).total_seconds() * 1e3, ended[0])
    if began := first(charon_log.INITIATING):
        again = sum(bool(charon_log.RETRANSMIT.fullmatch(message)) for *_, message in lines)
        yield Value("ike_retransmits", again, began[0])


def _read_capture(file: str, content: bytes) -> Iterable[Value]:
    captured = list(ike.ike_messages(file, content))

    def of(exchange: int, response: bool) -> list[ike.IkeMessage]:
        return [m for m in captured if (m.exchange, m.response) == (exchange, response)]

    answers = of(ike.IKE_AUTH, response=True)
    for metric, begin, ends in (
        ("ike_wire", ike.IKE_SA_INIT, answers[-1:]),
        ("child_rekey_wire", ike.CREATE_CHILD_SA, of(ike.CREATE_CHILD_SA, response=True)),
    ):
        if (requests := of(begin, response=False)) and ends:
            yield Value(metric, (ends[0].at - requests[0].at) * 1e3, ends[0].number)
    if answers:
        set_up = [m for m in captured if m.exchange in (ike.IKE_SA_INIT, ike.IKE_AUTH)]
        yield Value("ike_messages", len(set_up), answers[-1].number)
        yield Value("ike_bytes", sum(m.length for m in set_up), answers[-1].number)
        yield from ike.read_auth(captured)


class IkeSetup(Probe):
    """One negotiation: an IKE_SA with its first CHILD_SA, which needs no key exchange of its own
    (RFC 7296, section 1.2); then that CHILD_SA is rekeyed, with a key exchange."""

    kind: ClassVar = "ike_setup"
    takes_ipv6: ClassVar = True
    tools: ClassVar = TOOL
    readers: ClassVar = {".zst": _read_capture, "": _read_log}
    meanings: ClassVar = MEANINGS["ike_setup"]
    controls_tunnel: ClassVar = True

    daemon: Literal["restarted", "warm"]
    """restarted: the initiator's daemon is restarted before each set-up; warm: the daemon keeps
    running"""
    request_packets: int | None = Field(None, ge=1, le=100)
    """number of IP packets that the first IKE_AUTH request must fill, for levels that differ in it;
    null: any number"""

    def seconds(self) -> float:
        return 3 if self.daemon == "restarted" else 1.5

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        gateway = control.initiator
        interface = control.interfaces[control.tunnel.initiator]
        control.terminate()
        if self.daemon == "restarted":
            control.restart_initiator()
        before = len(control.read_log())
        with capture(gateway, interface, IKE, 200, CAPTURE):
            try:
                control.initiate()
                # By CREATE_CHILD_SA, with a key exchange of its own (PFS).
                gateway.run(["swanctl", "--rekey", "--child", CONNECTION])
                # The response to the rekeying takes one impaired round trip.
                gateway.run(["sleep", "0.3"])
            except CommandFailed:
                pass  # the log has the reason, and `require_complete` judges it
        bench.save(f"{stem}.log", control.read_log()[before:])
        bench.save(f"{stem}.pcap.zst", fetch(gateway, CAPTURE))

    def require_complete(self, file: str, content: bytes) -> None:
        metrics = {o.metric for o in self.parse(file, content)}
        needed = {"ike_wire"} if file.endswith(".zst") else {"ike_sa", "child_sa"}
        if missing := needed - metrics:
            found = f"no {', '.join(sorted(missing))}"
            raise LogError(file, 1, found, "an exchange that completed")

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that IKE fragmented its messages as the tunnel sets it: if it may, none is left to
        IP; if not, each is one datagram. Check also that the request filled `request_packets`."""
        assert isinstance(tunnel, IpsecTunnel)
        found = {o.metric: int(o.value) for o in observed}
        checks = [
            equal(
                "messages",
                f"{name}: fragments of the IKE_AUTH {message}",
                found.get(f"auth_{message}_fragments"),
                found.get(f"auth_{message}_packets", 1) if tunnel.fragmentation else 1,
            )
            for message in ("request", "response")
        ]
        if self.request_packets is not None:
            packets = found.get("auth_request_packets")
            what = f"{name}: IP packets of the IKE_AUTH request"
            checks.append(equal("messages", what, packets, self.request_packets))
        return checks
