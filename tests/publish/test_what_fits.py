"""Packet sizes that My tunnel says, against the formulas that measurements were compared with."""

import itertools

import pytest

from remeasure.ipsec.overhead import IPV4_HEADER, MTU, UDP, largest_udp_payload, packet_on_wire
from remeasure.ipsec.tunnel import Tunnel
from remeasure.notebook.tunnel.size_part import MODES, NAT_T, Measured, sizes_part
from remeasure.notebook.tunnel.suite_part import NAMES
from remeasure.publish.tunnel.answer import Parts, Values
from remeasure.publish.tunnel.what_fits import sizes

MTUS = (576, 1280, *range(1483, 1501), 9000)
"""a whole block of 16 bytes below the MTU of Ethernet, and other links"""


def parts(measured) -> Parts:
    return Parts({}, {}, {}, {}, sizes_part(measured), {}, {})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("natt", NAT_T)
@pytest.mark.parametrize("suite", ["aes128gcm16", "aes128-sha256"])
def test_sizes_are_those_of_the_formulas(mode, natt, suite):
    tunnel = Tunnel(
        initiator="a",
        responder="b",
        link="l",
        ike="aes256-sha256-x25519",
        esp=suite,
        mode=mode,
        encap=NAT_T[natt],
    )
    known = parts(lambda *_: None)
    for mtu in MTUS:
        found = sizes(known, Values(mode=mode, natt=natt, mtu=mtu), suite)
        assert found.payload == largest_udp_payload(tunnel, mtu) and not found.measured
        assert (found.packet, found.segment) == (found.payload + 28, found.payload - 12)
    for size in range(1380, 1420):
        found = sizes(known, Values(mode=mode, natt=natt, size=size), suite)
        assert found.wire == packet_on_wire(tunnel, size + UDP + IPV4_HEADER) and not found.seen


def test_what_was_measured_is_said_where_it_was_measured():
    known = parts(lambda suite, mode, udp: Measured(1410, 1350) if udp else None)

    def at(suite="aes128gcm16", **values):
        found = sizes(known, Values(**values), suite)
        return found.measured, found.seen

    assert at(natt="yes") == (True, True)
    assert at(natt="yes", mtu=MTU - 8, size=1349) == (False, False)
    assert at(natt="yes", size=1411) == (True, False)
    assert at() == (False, False)


def test_a_cell_with_a_size_that_was_not_as_computed_has_none_measured():
    known = parts(lambda *_: Measured(1410, None))
    for mode, natt, suite in itertools.product(MODES, NAT_T, NAMES):
        found = sizes(known, Values(mode=mode, natt=natt), suite)
        assert (found.payload, found.measured, found.seen) == (1410, True, False)
