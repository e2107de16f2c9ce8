"""The size of a packet on the wire, computed from the RFCs.

ESP (RFC 4303, section 2): outer header in tunnel mode, SPI and sequence number (8 bytes), IV,
payload, padding to the cipher's block (at least to 4 bytes) with pad length and next header inside
it, ICV. In UDP (RFC 3948) a header of 8 bytes comes before it. AH (RFC 4302, section 2): a header
of 12 bytes and the ICV, in IPv6 filled up to a multiple of 8 bytes. IP headers have 20 bytes (IPv4)
or 40 bytes (IPv6), without options and extensions. No extended sequence numbers on the wire, no
traffic flow confidentiality padding.
"""

from dataclasses import dataclass

from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.ipsec.algorithms import CIPHERS, DIGESTS, algorithms
from remeasure.bench.ipsec.tunnel import Tunnel

IPV4_HEADER = IPV4.header
ESP_HEADER = 8
ESP_TRAILER = 2
"""pad length and next header"""
AH_HEADER = 12
ETHERNET = 14
"""header of a frame; its check sequence is not counted by an interface"""
UDP = 8
MTU = 1500
"""largest packet of Ethernet [bytes]"""
TCP_WITH_TIMESTAMPS = 32
"""Linux sends timestamps in every segment (RFC 7323)"""


@dataclass(frozen=True)
class Growth:
    """How packets grow by IPsec: a part that is protected is padded, and all else is fixed."""

    fixed: int
    """length of every packet without the padded part, its header in front included [bytes]"""
    block: int
    """the padded part is a multiple of this [bytes]"""
    added: int
    """length of the padded part, before it is padded, over the packet; below zero in transport
    mode, which leaves the packet's own header in front [bytes]"""

    def on_wire(self, packet: int) -> int:
        """Size of the packet that carries one of `packet` bytes [bytes]."""
        return self.fixed - -(packet + self.added) // self.block * self.block


def growth(tunnel: Tunnel, family: Family = IPV4) -> Growth:
    """Growth of packets of a tunnel, if all addresses are of one family."""
    outer = family.header if tunnel.mode == "tunnel" else 0
    encryption, integrity = algorithms(tunnel.proposal)
    if tunnel.protocol == "AH":
        ah = AH_HEADER + DIGESTS[integrity].icv
        return Growth(outer - -ah // family.ah_unit * family.ah_unit, 1, 0)
    cipher = CIPHERS[encryption]
    icv = cipher.icv if cipher.icv is not None else DIGESTS[integrity].icv
    own = family.header - outer  # transport mode keeps the packet's own in front
    udp = UDP if tunnel.in_udp else 0
    fixed = outer + own + udp + ESP_HEADER + cipher.iv + icv
    return Growth(fixed, cipher.block, ESP_TRAILER - own)


def packet_on_wire(tunnel: Tunnel | None, packet: int, family: Family = IPV4) -> int:
    """Size, headers included, of the packet that carries one of `packet` bytes [bytes]."""
    return packet if tunnel is None else growth(tunnel, family).on_wire(packet)


def largest_packet(tunnel: Tunnel | None, mtu: int = MTU, family: Family = IPV4) -> int:
    """Size of the largest packet that fits in one packet of `mtu` bytes [bytes]."""
    if tunnel is None:
        return mtu
    grown = growth(tunnel, family)
    return max(size for size in range(family.header, mtu + 1) if grown.on_wire(size) <= mtu)


def largest_udp_payload(tunnel: Tunnel | None, mtu: int = MTU, family: Family = IPV4) -> int:
    """Size of the largest UDP payload that needs no fragmentation [bytes]."""
    return largest_packet(tunnel, mtu, family) - family.header - UDP


def segment_packet(segment: int, family: Family = IPV4) -> int:
    """Size of the packet of a TCP segment with `segment` bytes of payload [bytes]."""
    return family.header + TCP_WITH_TIMESTAMPS + segment


def largest_tcp_segment(tunnel: Tunnel | None, mtu: int = MTU, family: Family = IPV4) -> int:
    """TCP payload of a full segment with timestamps [bytes]."""
    return largest_packet(tunnel, mtu, family) - family.header - TCP_WITH_TIMESTAMPS


def full_tcp_segment(tunnel: Tunnel | None, family: Family = IPV4) -> tuple[int, int]:
    """Bytes of payload of a full TCP segment, and of the Ethernet frame that carries it."""
    segment = largest_tcp_segment(tunnel, family=family)
    return segment, packet_on_wire(tunnel, segment_packet(segment, family), family) + ETHERNET
