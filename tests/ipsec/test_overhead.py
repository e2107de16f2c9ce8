"""Sizes on the wire, against packets worked out by hand from the RFCs."""

import pytest

from remeasure.bench.base.family import IPV4, IPV6
from remeasure.bench.ipsec.agreement import FRAGMENT, FRAGMENT_OF_IPV6
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.overhead import (
    full_tcp_segment,
    largest_packet,
    largest_tcp_segment,
    largest_udp_payload,
    packet_on_wire,
)


def tunnel(mode="tunnel", **proposal) -> IpsecTunnel:
    return IpsecTunnel(
        initiator="a", responder="b", link="l", ike="aes128-sha1-modp2048", mode=mode, **proposal
    )


@pytest.mark.parametrize(
    ("mode", "proposal", "packet", "expected", "family"),
    [
        # outer 20 + SPI, sequence 8 + IV 16 + (84 + 2 padded to 96) + ICV 12
        ("tunnel", {"esp": "aes128-sha1"}, 84, 152, IPV4),
        # own 20 + 8 + IV 16 + (64 + 2 padded to 80) + 12
        ("transport", {"esp": "aes128-sha1"}, 84, 136, IPV4),
        ("tunnel", {"esp": "aes128gcm16"}, 84, 140, IPV4),  # 20 + 8 + 8 + 88 + 16
        ("transport", {"esp": "chacha20poly1305"}, 84, 120, IPV4),  # 20 + 8 + 8 + 68 + 16
        ("tunnel", {"esp": "null-sha256"}, 84, 132, IPV4),  # 20 + 8 + (84 + 2, to 4: 88) + 16
        # 20 + UDP 8 + 8 + 8 + 88 + 16
        ("tunnel", {"esp": "aes128gcm16", "encap": True}, 84, 148, IPV4),
        # own 20 + UDP 8 + 8 + IV 16 + (64 + 2 padded to 80) + 16
        ("transport", {"esp": "aes128-sha256", "encap": True}, 84, 148, IPV4),
        ("tunnel", {"ah": "sha1"}, 84, 128, IPV4),  # 20 + 24 + 84
        ("transport", {"ah": "md5"}, 84, 108, IPV4),
        # IPv6: outer 40 + SPI, sequence 8 + IV 8 + (148 + 2 padded to 152) + ICV 16
        ("tunnel", {"esp": "aes128gcm16"}, 148, 224, IPV6),
        ("tunnel", {"esp": "aes128-sha256"}, 148, 240, IPV6),  # 40 + 8 + 16 + 160 + 16
        ("tunnel", {"esp": "aes128-sha256", "encap": True}, 148, 248, IPV6),
        # own 40 + 8 + IV 8 + (108 + 2 padded to 112) + 16
        ("transport", {"esp": "aes128gcm16"}, 148, 184, IPV6),
        ("tunnel", {"ah": "sha1"}, 148, 212, IPV6),  # 40 + 24 + 148
        ("tunnel", {"ah": "sha256"}, 148, 220, IPV6),  # 40 + (12 + 16, to 8: 32) + 148
        ("transport", {"ah": "sha512"}, 148, 196, IPV6),  # (12 + 32, to 8: 48) + 148
    ],
)
def test_packet_on_wire(mode, proposal, packet, expected, family):
    assert packet_on_wire(tunnel(mode, **proposal), packet, family) == expected


MEASURED = {
    "aes128gcm16": (1418, 1410, 1438, 1430),
    "aes256gcm16": (1418, 1410, 1438, 1430),
    "aes128ccm16": (1418, 1410, 1438, 1430),
    "chacha20poly1305": (1418, 1410, 1438, 1430),
    "aes128-sha1": (1410, 1394, 1430, 1414),
    "aes128-sha256": (1410, 1394, 1430, 1414),
    "aes256-sha384": (1394, 1394, 1414, 1414),
    "aes256-sha512": (1394, 1378, 1414, 1398),
    "3des-sha1": (1418, 1410, 1438, 1430),
    "null-sha256": (1426, 1418, 1446, 1438),
}
"""suite -> largest payload in tunnel mode, there in UDP, in transport mode, there in UDP [bytes]:
scenario packet-sizes, by a capture of the gateways' packets"""
MEASURED_AH = {
    "sha1": (1428, 1448),
    "sha256": (1424, 1444),
    "sha384": (1416, 1436),
    "sha512": (1408, 1428),
}
"""AH suite -> largest payload in tunnel and in transport mode [bytes]"""


@pytest.mark.parametrize("esp", MEASURED)
def test_the_largest_payload_is_what_gateways_sent(esp):
    ways = [(mode, encap) for mode in ("tunnel", "transport") for encap in (False, True)]
    found = [largest_udp_payload(tunnel(mode, esp=esp, encap=encap)) for mode, encap in ways]
    assert tuple(found) == MEASURED[esp]
    for mode, encap in ways:
        suite = tunnel(mode, esp=esp, encap=encap)
        most = largest_packet(suite)
        assert packet_on_wire(suite, most) <= 1500 < packet_on_wire(suite, most + 1)


@pytest.mark.parametrize("ah", MEASURED_AH)
def test_the_largest_payload_in_ah_is_what_gateways_sent(ah):
    found = [largest_udp_payload(tunnel(mode, ah=ah)) for mode in ("tunnel", "transport")]
    assert tuple(found) == MEASURED_AH[ah]
    with pytest.raises(ValueError, match="AH cannot go in UDP"):
        tunnel(ah=ah, encap=True)


def test_without_ipsec_nothing_is_added():
    assert packet_on_wire(None, 84) == 84
    assert (largest_udp_payload(None), largest_tcp_segment(None)) == (1472, 1448)


def test_largest_payloads_of_ipv6():
    none = largest_udp_payload(None, family=IPV6), largest_tcp_segment(None, family=IPV6)
    assert none == (1500 - 48, 1500 - 72)
    # 1500 = outer 40 + 8 + IV 8 + (1426 + 2) + ICV 16
    gcm = tunnel(esp="aes128gcm16")
    assert largest_packet(gcm, family=IPV6) == 1426
    assert largest_udp_payload(gcm, family=IPV6) == 1426 - 48
    assert full_tcp_segment(gcm, IPV6) == (1426 - 72, 1514)
    assert largest_udp_payload(gcm, family=IPV6, inner=IPV4) == 1426 - 28


@pytest.mark.parametrize(
    ("family", "extra", "shortest"), [(IPV4, 0, FRAGMENT), (IPV6, 8, FRAGMENT_OF_IPV6)]
)
def test_no_fragment_in_esp_is_shorter_than_agreement_assumes(family, extra, shortest):
    """The cipher that adds most, in UDP; a fragment is a multiple of 8 bytes."""
    most = largest_packet(tunnel(esp="aes256-sha512", encap=True), family=family)
    assert (most - family.header - extra) // 8 * 8 >= shortest
