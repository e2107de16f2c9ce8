"""The size of a packet on the wire, computed from the growth of packets in a tunnel. IP
headers have 20 bytes (IPv4) or 40 bytes (IPv6), without options and extensions."""

from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.ipsec.tunnel import UDP_HEADER, Tunnel

IPV4_HEADER = IPV4.header
ETHERNET = 14
"""header of a frame; its check sequence is not counted by an interface"""
UDP = UDP_HEADER
MTU = 1500
"""largest packet of Ethernet [bytes]"""
TCP_WITH_TIMESTAMPS = 32
"""Linux sends timestamps in every segment (RFC 7323)"""


def packet_on_wire(tunnel: Tunnel | None, packet: int, family: Family = IPV4) -> int:
    """Size, headers included, of the packet that carries one of `packet` bytes [bytes]."""
    return packet if tunnel is None else tunnel.growth(family).on_wire(packet)


def largest_packet(tunnel: Tunnel | None, mtu: int = MTU, family: Family = IPV4) -> int:
    """Size of the largest packet that fits in one packet of `mtu` bytes [bytes]."""
    if tunnel is None:
        return mtu
    grown = tunnel.growth(family)
    most = grown.most or mtu
    return max(size for size in range(family.header, most + 1) if grown.on_wire(size) <= mtu)


def largest_udp_payload(
    tunnel: Tunnel | None, mtu: int = MTU, family: Family = IPV4, inner: Family | None = None
) -> int:
    """Size of the largest UDP payload that needs no fragmentation [bytes]. `inner`: family of the
    packets inside, if it is another."""
    return largest_packet(tunnel, mtu, family) - (inner or family).header - UDP


def largest_tcp_segment(tunnel: Tunnel | None, mtu: int = MTU, family: Family = IPV4) -> int:
    """TCP payload of a full segment with timestamps [bytes]."""
    return largest_packet(tunnel, mtu, family) - family.header - TCP_WITH_TIMESTAMPS


def full_tcp_segment(tunnel: Tunnel | None, family: Family = IPV4) -> tuple[int, int]:
    """Bytes of payload of a full TCP segment, and of the Ethernet frame that carries it."""
    carries = packet_on_wire(tunnel, largest_packet(tunnel, family=family), family)
    return largest_tcp_segment(tunnel, family=family), carries + ETHERNET
