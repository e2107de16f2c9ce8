"""The size of a packet on the wire, computed from the RFCs.

ESP in IPv4 (RFC 4303, section 2): outer header in tunnel mode, SPI and sequence number (8 bytes),
IV, what is protected, padding to the cipher's block (at least to 4 bytes) with pad length and next
header inside it, ICV. In UDP (RFC 3948) a header of 8 bytes comes before it. AH (RFC 4302, section
2): a header of 12 bytes and the ICV. No extended sequence numbers on the wire, no traffic flow
confidentiality padding.
"""

from remeasure.ipsec.algorithms import CIPHERS, DIGESTS
from remeasure.ipsec.suites import algorithms
from remeasure.ipsec.tunnel import Tunnel

IPV4 = 20
ESP_HEADER = 8
ESP_TRAILER = 2
"""pad length and next header"""
AH_HEADER = 12
ETHERNET = 14
"""header of a frame; its check sequence is not counted by an interface"""
UDP = 8
TCP_WITH_TIMESTAMPS = 32
"""Linux sends timestamps in every segment (RFC 7323)"""


def packet_on_wire(tunnel: Tunnel | None, packet: int) -> int:
    """Size, headers included, of the IPv4 packet that carries one of `packet` bytes [bytes]."""
    if tunnel is None:
        return packet
    outer = IPV4 if tunnel.mode == "tunnel" else 0
    encryption, integrity = algorithms(tunnel.proposal)
    if tunnel.protocol == "AH":
        return outer + packet + AH_HEADER + DIGESTS[integrity].icv
    cipher = CIPHERS[encryption]
    icv = cipher.icv if cipher.icv is not None else DIGESTS[integrity].icv
    header = IPV4 - outer  # transport mode keeps the packet's own in front
    protected = packet - header + ESP_TRAILER
    padded = -(-protected // cipher.block) * cipher.block
    udp = UDP if tunnel.in_udp else 0
    return outer + header + udp + ESP_HEADER + cipher.iv + padded + icv


def largest_packet(tunnel: Tunnel | None, mtu: int = 1500) -> int:
    """Size of the largest IPv4 packet that fits in one packet of `mtu` bytes [bytes]."""
    return max(size for size in range(IPV4, mtu + 1) if packet_on_wire(tunnel, size) <= mtu)


def largest_udp_payload(tunnel: Tunnel | None, mtu: int = 1500) -> int:
    """Size of the largest UDP payload that needs no fragmentation [bytes]."""
    return largest_packet(tunnel, mtu) - IPV4 - UDP


def segment_packet(segment: int) -> int:
    """Size of the IPv4 packet that holds a TCP segment with `segment` bytes of payload [bytes]."""
    return IPV4 + TCP_WITH_TIMESTAMPS + segment


def largest_tcp_segment(tunnel: Tunnel | None, mtu: int = 1500) -> int:
    """TCP payload of a full segment with timestamps [bytes]."""
    return largest_packet(tunnel, mtu) - IPV4 - TCP_WITH_TIMESTAMPS


def full_tcp_segment(tunnel: Tunnel | None) -> tuple[int, int]:
    """Bytes of payload of a full TCP segment, and of the Ethernet frame that carries it."""
    segment = largest_tcp_segment(tunnel)
    return segment, packet_on_wire(tunnel, segment_packet(segment)) + ETHERNET
