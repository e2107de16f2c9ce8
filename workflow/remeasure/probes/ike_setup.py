"""Time to set up an IKE_SA and its CHILD_SA: from charon's log, and from a capture on the wire.

The log gives the study's definition (pratama, section 3.1): from "initiating IKE_SA" to "IKE_SA
established", both written by the initiator. The capture, on the initiator's interface, gives the
time from the first IKE_SA_INIT request to the last IKE_AUTH response. tcpdump sees a packet after
the queueing discipline let it go, so a netem delay on that egress is not in the wire time of the
first request.
"""

import re
import struct
import time
from collections.abc import Iterable
from datetime import datetime
from io import BytesIO
from typing import ClassVar, Literal

import dpkt
import zstandard

from remeasure.probes.base import Bench, LogError, Observation, Probe, text_lines
from remeasure.testbed.remote import CommandFailed

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}) \d\d"
    r"\[(DMN|MGR|IKE|CHD|JOB|CFG|KNL|NET|ASN|ENC|TNC|IMC|IMV|PTS|TLS|APP|ESP|LIB)\] (.*)")
_EVENTS = {
    "initiating": re.compile(r"initiating IKE_SA \S+ to [\d.]+"),
    "ike_established": re.compile(r"IKE_SA \S+ established between .*"),
    "child_established": re.compile(r"CHILD_SA \S+ established with SPIs .*"),
    "rekeying": re.compile(r"establishing CHILD_SA \S+ reqid \d+"),
    "rekeyed": re.compile(r"outbound CHILD_SA \S+ established with SPIs .*"),
}
_RETRANSMIT = re.compile(r"retransmit \d+ of request with message ID \d+")

IKE_SA_INIT, IKE_AUTH, CREATE_CHILD_SA = 34, 35, 36  # RFC 7296, section 3.1
_IKE_HEADER = struct.Struct("!8s8sBBBBII")
_RESPONSE = 0x20
CAPTURE = "/run/ike.pcap"


class IkeSetup(Probe):
    """One negotiation: IKE_SA with its first CHILD_SA, then that CHILD_SA rekeyed with a key
    exchange of its own (the first CHILD_SA has none: RFC 7296, section 1.2)."""

    kind: ClassVar = "ike_setup"
    tools: ClassVar = {
        "charon-systemd": ["which", "charon-systemd"],
        "swanctl": ["swanctl", "--help"],
        "tcpdump": ["tcpdump", "--version"],
    }

    controls_tunnel: ClassVar = True

    daemon: Literal["restarted", "warm"]
    """whether the initiator's daemon is started anew before each sample"""

    def seconds(self) -> float:
        return 3 if self.daemon == "restarted" else 1.5

    def measure(self, bench: Bench, stem: str) -> None:
        control = bench.tunnel
        gateway = control.initiator
        interface = gateway.host.interfaces[control.tunnel.link]
        control.terminate()
        if self.daemon == "restarted":
            control.restart_initiator()
        before = len(control.read_log())
        capture = gateway.start(
            ["tcpdump", "-i", interface, "-w", CAPTURE, "-U", "--immediate-mode", "-s", "200",
             "udp port 500 or udp port 4500"], "/run/tcpdump.out")
        gateway.run("n=0; until grep -q 'listening on' /run/tcpdump.out; do n=$((n+1)); "
                    "[ $n -gt 200 ] && { cat /run/tcpdump.out >&2; exit 1; }; sleep 0.02; done")
        try:
            try:
                control.initiate()
                control.rekey_child()
                time.sleep(0.3)  # the response to the rekeying, one impaired round trip
            except CommandFailed:
                pass  # the log says what happened; `check` judges
        finally:
            gateway.run(f"kill {capture}; while kill -0 {capture} 2>/dev/null; do sleep 0.02; done")
        bench.save(f"{stem}.log", control.read_log()[before:])
        bench.save(f"{stem}.pcap.zst", zstandard.compress(gateway.read(CAPTURE), 19))

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """From the log: ike_sa (ms), child_sa (ms, from IKE_SA established to CHILD_SA
        established, as the study counts), child_rekey (ms), ike_retransmits (requests). From the
        capture: ike_wire, child_rekey_wire (ms), ike_messages, ike_bytes (UDP payload) of the
        IKE_SA_INIT and IKE_AUTH exchanges. A time is absent if its exchange did not complete."""
        return _parse_capture(file, content) if file.endswith(".zst") else _parse_log(file, content)

    def check(self, file: str, content: bytes) -> None:
        metrics = {o.metric for o in self.parse(file, content)}
        needed = {"ike_wire"} if file.endswith(".zst") else {"ike_sa", "child_sa"}
        if missing := needed - metrics:
            found = f"no {', '.join(sorted(missing))}"
            raise LogError(file, 1, found, "an exchange that completed")


def _parse_log(file: str, content: bytes) -> Iterable[Observation]:
    seen: dict[str, tuple[int, datetime]] = {}
    retransmits = 0
    for number, line in enumerate(text_lines(file, content), 1):
        match = _LINE.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "a line of charon's log")
        for event, pattern in _EVENTS.items():
            if event not in seen and pattern.fullmatch(match[3]):
                seen[event] = number, datetime.fromisoformat(match[1])
        retransmits += bool(_RETRANSMIT.fullmatch(match[3]))
    for metric, start, end in (("ike_sa", "initiating", "ike_established"),
                               ("child_sa", "ike_established", "child_established"),
                               ("child_rekey", "rekeying", "rekeyed")):
        if start in seen and end in seen:
            elapsed = (seen[end][1] - seen[start][1]).total_seconds() * 1e3
            yield Observation(metric, elapsed, "ms", seen[end][0])
    if "initiating" in seen:
        yield Observation("ike_retransmits", retransmits, "requests", seen["initiating"][0])


def _parse_capture(file: str, content: bytes) -> Iterable[Observation]:
    first: dict[tuple[int, bool], float] = {}
    last: dict[tuple[int, bool], tuple[int, float]] = {}
    messages = size = 0
    for number, at, exchange, response, length in _ike_messages(file, content):
        first.setdefault((exchange, response), at)
        if (exchange, response) not in last or exchange == IKE_AUTH:
            last[exchange, response] = number, at
        if exchange in (IKE_SA_INIT, IKE_AUTH):
            messages, size = messages + 1, size + length
    for metric, start, end in (("ike_wire", IKE_SA_INIT, IKE_AUTH),
                               ("child_rekey_wire", CREATE_CHILD_SA, CREATE_CHILD_SA)):
        if (start, False) in first and (end, True) in last:
            number, at = last[end, True]
            yield Observation(metric, (at - first[start, False]) * 1e3, "ms", number)
    if (IKE_AUTH, True) in last:
        number = last[IKE_AUTH, True][0]
        yield Observation("ike_messages", messages, "messages", number)
        yield Observation("ike_bytes", size, "B", number)


def _ike_messages(file: str, content: bytes) -> Iterable[tuple[int, float, int, bool, int]]:
    """Packet number, time (s), exchange type, whether a response, bytes of UDP payload."""
    try:
        raw = zstandard.ZstdDecompressor().stream_reader(BytesIO(content)).read()
        packets = list(dpkt.pcap.Reader(BytesIO(raw)))
    except (zstandard.ZstdError, ValueError, dpkt.dpkt.Error) as error:
        raise LogError(file, 1, str(error) or type(error).__name__, "a zstd-compressed pcap") \
            from None
    for number, (at, frame) in enumerate(packets, 1):
        # The capture keeps 200 bytes of a packet; lengths are read from headers.
        datagram = dpkt.ethernet.Ethernet(frame).data
        udp = getattr(datagram, "data", None)
        if not isinstance(udp, dpkt.udp.UDP):
            raise LogError(file, number, type(udp).__name__, "UDP")
        payload, length = bytes(udp.data), udp.ulen - 8
        if 4500 in (udp.sport, udp.dport):
            if payload[:4] != bytes(4):  # RFC 3948: keepalive, or ESP in UDP
                continue
            payload, length = payload[4:], length - 4
        if len(payload) < _IKE_HEADER.size:
            raise LogError(file, number, f"{len(payload)} bytes", "an IKE header of 28")
        *_, version, exchange, flags, _, _ = _IKE_HEADER.unpack_from(payload)
        if version >> 4 != 2:
            raise LogError(file, number, f"version {version:#x}", "IKE version 2")
        yield number, at, exchange, bool(flags & _RESPONSE), length
