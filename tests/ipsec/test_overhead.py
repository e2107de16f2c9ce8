"""Sizes on the wire, against packets worked out by hand from the RFCs."""

import pytest
from cases import cases

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
    ("mode", "proposal", "packet", "expected", "version"), cases(__file__, "packet_on_wire")
)
def test_packet_on_wire(mode, proposal, packet, expected, version):
    family = {4: IPV4, 6: IPV6}[version]
    assert packet_on_wire(tunnel(mode, **proposal), packet, family) == expected


@pytest.mark.parametrize(("esp", "measured"), cases(__file__, "largest_payload"))
def test_the_largest_payload_is_what_gateways_sent(esp, measured):
    ways = [(mode, encap) for mode in ("tunnel", "transport") for encap in (False, True)]
    found = [largest_udp_payload(tunnel(mode, esp=esp, encap=encap)) for mode, encap in ways]
    assert found == measured
    for mode, encap in ways:
        suite = tunnel(mode, esp=esp, encap=encap)
        most = largest_packet(suite)
        assert packet_on_wire(suite, most) <= 1500 < packet_on_wire(suite, most + 1)


@pytest.mark.parametrize(("ah", "measured"), cases(__file__, "largest_payload_in_ah"))
def test_the_largest_payload_in_ah_is_what_gateways_sent(ah, measured):
    found = [largest_udp_payload(tunnel(mode, ah=ah)) for mode in ("tunnel", "transport")]
    assert found == measured
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
