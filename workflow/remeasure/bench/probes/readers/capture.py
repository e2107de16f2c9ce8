"""Capturing control traffic on a host with tcpdump(8), and reading the captures."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import NamedTuple

import zstandard

from remeasure.bench.probes.base import LogError
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import Tool, fail_showing, wait_until

TOOL = {"tcpdump": Tool(["tcpdump", "--version"], "tcpdump")}
IKE = "udp port 500 or udp port 4500"


@contextmanager
def capture(
    remote: Remote, interface: str, expression: str, length: int, path: str, more: str = ""
) -> Iterator[None]:
    """Capture into file `path` on the host until the context ends. `expression` selects packets
    (pcap-filter(7)); `length` is the kept part of each [bytes]; `more`: more options."""
    output = f"{path}.out"
    options = f"-i {interface} -w {path} -U --immediate-mode -s {length} {more}".split()
    process = remote.start(["tcpdump", *options, expression], output)
    try:
        listening = f"grep -q 'listening on' {output}"
        remote.run(wait_until(listening, fail_showing(output), steps=200, pause_s=0.02))
        yield
    finally:
        remote.run(f"kill {process}; while kill -0 {process} 2>/dev/null; do sleep 0.02; done")


def fetch(remote: Remote, path: str) -> bytes:
    """The capture in file `path` on the host, compressed by zstd."""
    return zstandard.compress(remote.read(path), 19)


class CapturedDatagram(NamedTuple):
    """One UDP datagram; if IP fragmented it, the part in the first fragment."""

    number: int
    """place of the packet in the capture, from 1"""
    at: float
    """time of capture [s since the epoch]"""
    source_port: int
    target_port: int
    payload: bytes
    """the captured part of the payload"""
    length: int
    """length of the whole payload [bytes]"""


def datagrams(file: str, content: bytes) -> list[CapturedDatagram]:
    """The datagrams in a compressed capture. Raises LogError if it contains anything but UDP."""
    import dpkt  # a quarter of a second, only for captures

    found = list[CapturedDatagram]()
    try:
        unpacked = zstandard.ZstdDecompressor().stream_reader(BytesIO(content)).read()
        for number, (at, frame) in enumerate(dpkt.pcap.Reader(BytesIO(unpacked)), 1):
            udp = getattr(dpkt.ethernet.Ethernet(frame).data, "data", None)
            if not isinstance(udp, dpkt.udp.UDP):
                raise LogError(file, number, type(udp).__name__, "UDP")
            whole = udp.ulen - 8
            found.append(CapturedDatagram(number, at, udp.sport, udp.dport, bytes(udp.data), whole))
    except (zstandard.ZstdError, ValueError, ArithmeticError, struct.error, dpkt.Error) as error:
        wrong = str(error) or type(error).__name__
        raise LogError(file, len(found) + 1, wrong, "a zstd-compressed pcap") from None
    return found
