"""Pieces of IKE_AUTH messages, from captures; and whether they are the cell's."""

import pytest

from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.probes.ike_setup import IkeSetup
from remeasure.bench.probes.readers.ike_messages import IKE_AUTH, IkeMessage, read_auth

CAPTURE = "strongswan-6.1.0/{}.pcap.zst"


def tunnel(fragmentation: bool) -> IpsecTunnel:
    ends = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
    suites = {"ike": "aes256-sha256-modp2048", "esp": "aes256-sha256", "auth": "rsa"}
    return IpsecTunnel(**ends, **suites, fragmentation=fragmentation)


def piece(number: int, at: float, fragment: int, fragments: int, length: int = 1236) -> IkeMessage:
    return IkeMessage(number, at, bytes(8), IKE_AUTH, False, 1, length, fragment, fragments)


def values(*pieces: IkeMessage) -> dict[str, float]:
    return {one.metric: one.value for one in read_auth(pieces)}


def read(fixture, name: str) -> list:
    return list(IkeSetup.parse("x.pcap.zst", fixture(CAPTURE.format(name))))


def test_the_last_of_all_counts_in_whatever_order_they_pass():
    found = values(piece(1, 10.000, 3, 3), piece(2, 10.010, 1, 3), piece(3, 10.050, 2, 3))
    assert found["auth_request_fragments"] == 3
    assert found["auth_request_wait"] == pytest.approx(30)
    assert values(piece(1, 10, 1, 1))["auth_request_wait"] == 0


def test_a_message_that_was_sent_again_has_no_wait():
    twice = values(piece(1, 10, 1, 2), piece(2, 14, 1, 2), piece(3, 14.01, 2, 2))
    late = values(piece(1, 10, 1, 2), piece(2, 14, 2, 2))
    for found in (twice, late):
        assert found["auth_request_packets"] == 2 and "auth_request_wait" not in found


def test_a_message_that_is_not_whole_has_no_values():
    assert values(piece(1, 10, 1, 2)) == {}
    assert values() == {}


def test_a_datagram_beyond_a_packet_fills_two():
    """The capture has only the first, so when the last passed is not known."""
    whole, cut = (values(piece(1, 10, 1, 1, length)) for length in (1468, 1469))
    assert (whole["auth_request_packets"], whole["auth_request_wait"]) == (1, 0)
    assert cut["auth_request_packets"] == 2 and "auth_request_wait" not in cut


WHOLE = "fragments of the IKE_AUTH {}: found 2, expected 1"


@pytest.mark.parametrize(
    ("name", "fragmentation", "packets", "failed"),
    [
        ("rsa", True, 2, []),
        ("rsa", True, None, []),
        ("rsa", True, 1, ["IP packets of the IKE_AUTH request: found 2, expected 1"]),
        ("rsa-ip-fragments", False, 2, []),
        ("rsa-ip-fragments", True, 2, ["fragments of the IKE_AUTH request: found 1, expected 2"]),
        ("rsa", False, None, [WHOLE.format("request"), WHOLE.format("response")]),
    ],
)
def test_a_trial_proves_how_messages_were_cut(fixture, name, fragmentation, packets, failed):
    probe = IkeSetup(daemon="warm", request_packets=packets)
    checks = probe.agree("ike", read(fixture, name), tunnel(fragmentation))
    assert [str(check) for check in checks if not check.passed] == [f"ike: {one}" for one in failed]
    assert {check.kind for check in checks} == {"messages"}


def test_a_capture_without_ike_auth_proves_nothing():
    checks = IkeSetup(daemon="warm", request_packets=1).agree("ike", [], tunnel(True))
    assert [check.passed for check in checks] == [False] * 3
