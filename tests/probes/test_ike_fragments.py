"""Pieces of IKE_AUTH messages, from captures; and whether they are the cell's."""

import pytest
from cases import cases
from tunnels import site_tunnel

from remeasure.bench.probes.ike_setup import IkeSetup
from remeasure.bench.probes.readers.ike_messages import IKE_AUTH, IkeMessage, read_auth

CAPTURE = "strongswan-6.1.0/{}.pcap.zst"


def piece(number: int, at: float, fragment: int, fragments: int, length: int = 1236) -> IkeMessage:
    return IkeMessage(number, at, bytes(8), IKE_AUTH, False, 1, length, fragment, fragments)


def read(fixture, name: str) -> list:
    return list(IkeSetup.parse("x.pcap.zst", fixture(CAPTURE.format(name))))


@pytest.mark.parametrize(
    ("pieces", "packets", "wait_ms"), cases(__file__, "pieces_of_a_message_are_put_together")
)
def test_pieces_of_a_message_are_put_together(pieces, packets, wait_ms):
    read = read_auth([piece(number, *of) for number, of in enumerate(pieces, 1)])
    found = {one.metric: one.value for one in read}
    assert found.get("auth_request_packets") == packets
    assert found.get("auth_request_wait") == (wait_ms and pytest.approx(wait_ms))


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
    tunnel = site_tunnel(auth="rsa", fragmentation=fragmentation)
    checks = probe.agree("ike", read(fixture, name), tunnel)
    assert [str(check) for check in checks if not check.passed] == [f"ike: {one}" for one in failed]
    assert {check.kind for check in checks} == {"messages"}


def test_a_capture_without_ike_auth_proves_nothing():
    checks = IkeSetup(daemon="warm", request_packets=1).agree("ike", [], site_tunnel())
    assert [check.passed for check in checks] == [False] * 3
