"""The two families of IP addresses, and the differences of their packets."""

import ipaddress
from typing import NamedTuple

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
"""address of a host on a link, with the length of the link's network"""
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


class Family(NamedTuple):
    """IPv4 or IPv6. Commands and models ask it for all that depends on the family."""

    version: int
    """the number in its name, which is also an option of ip(8)"""
    header: int
    """length of a header without options and extensions [bytes]"""
    prefix: int
    """length of the prefix that one address is [bit]"""
    ah_unit: int
    """the length of an AH header is a multiple of this (RFC 4302, section 3.3.3.2.1) [bytes]"""
    protocol: str
    """its name in tc(8)"""
    match: str
    """its name in a match of tc-u32(8)"""

    def __str__(self) -> str:
        return f"IPv{self.version}"


IPV4 = Family(4, 20, 32, 4, "ip", "ip")
IPV6 = Family(6, 40, 128, 8, "ipv6", "ip6")


def family_of(address: Address | Interface | IPNetwork) -> Family:
    return IPV4 if address.version == IPV4.version else IPV6


class Families(NamedTuple):
    """The families of the packets of a tunnel."""

    inner: Family
    """of packets that it carries"""
    outer: Family
    """of packets that carry them; the same if gateways protect their own packets"""


BOTH_IPV4, BOTH_IPV6 = Families(IPV4, IPV4), Families(IPV6, IPV6)
