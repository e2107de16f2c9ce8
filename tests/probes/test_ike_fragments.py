"""In how many pieces an IKE_AUTH message went, from captures; and whether they are those that the
cell asked for."""

import re
from io import BytesIO

import dpkt
import pytest
import zstandard

from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.ike_setup import IkeSetup
from remeasure.bench.probes.readers.ike_messages import IKE_AUTH, IkeMessage, read_auth

CAPTURE = "strongswan-6.1.0/{}.pcap.zst"


def tunnel(fragmentation: bool) -> Tunnel:
    return Tunnel(
        initiator="gw1",
        responder="gw2",
        link="wan",
        ike="aes256-sha256-modp2048",
        esp="aes256-sha256",
        auth="rsa",
        fragmentation=fragmentation,
    )


def piece(number: int, at: float, fragment: int, fragments: int, length: int = 1236) -> IkeMessage:
    return IkeMessage(number, at, bytes(8), IKE_AUTH, False, 1, length, fragment, fragments)


def values(*pieces: IkeMessage) -> dict[str, float]:
    return {one.metric: one.value for one in read_auth(pieces)}


def read(fixture, name: str) -> list:
    return list(IkeSetup.parse("x.pcap.zst", fixture(CAPTURE.format(name))))


@pytest.mark.parametrize(
    ("name", "fragments", "packets"),
    [("psk", 1, 1), ("rsa", 2, 2), ("rsa-impaired", 2, 2), ("rsa-ip-fragments", 1, 2)],
)
def test_pieces_of_real_requests_are_counted(fixture, name, fragments, packets):
    found = {o.metric: o.value for o in read(fixture, name)}
    assert found["auth_request_fragments"] == fragments
    assert found["auth_request_packets"] == packets


def test_fragments_are_those_that_the_daemon_says(fixture):
    log = fixture("strongswan-6.1.0/rsa.log").decode()
    (said,) = re.findall(r"splitting IKE message \(\d+ bytes\) into (\d) fragments", log)
    found = {o.metric: o.value for o in read(fixture, "rsa")}
    assert found["auth_request_fragments"] == int(said)


def test_only_what_netem_delays_waits_for_its_last_fragment(fixture):
    """It delays requests by 100 ms with a deviation of 20, and no response."""
    found = {o.metric: o.value for o in read(fixture, "rsa-impaired")}
    assert found["auth_response_wait"] < 0.3 < found["auth_request_wait"] < 50


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


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda frame: frame.replace(b"\x04\xb8\0\1\0\2", b"\x04\xb8\0\3\0\2"), "3 of 2"),
        (lambda frame: frame[:76], "0 of 0"),  # Ethernet, IP, UDP, marker and IKE header: 74 bytes
    ],
)
def test_a_fragment_without_its_place_is_refused(fixture, change, found):
    frames = dpkt.pcap.Reader(BytesIO(zstandard.decompress(fixture(CAPTURE.format("rsa")))))
    damaged = BytesIO()
    writer = dpkt.pcap.Writer(damaged)
    for at, frame in frames:
        writer.writepkt(change(frame), at)
    with pytest.raises(LogError, match=rf"x\.zst:3: found 'fragment {found}'"):
        list(IkeSetup.parse("x.zst", zstandard.compress(damaged.getvalue())))


@pytest.mark.parametrize(
    ("name", "fragmentation", "request_packets", "failed"),
    [
        ("rsa", True, 2, []),
        ("rsa", True, None, []),
        ("rsa", True, 1, ["IP packets of the IKE_AUTH request: found 2, expected 1"]),
        ("rsa-ip-fragments", False, 2, []),
        ("rsa-ip-fragments", True, 2, ["fragments of the IKE_AUTH request: found 1, expected 2"]),
        (
            "rsa",
            False,
            None,
            [
                f"fragments of the IKE_AUTH {message}: found 2, expected 1"
                for message in ("request", "response")
            ],
        ),
    ],
)
def test_a_trial_proves_how_messages_were_cut(
    fixture, name, fragmentation, request_packets, failed
):
    probe = IkeSetup(daemon="warm", request_packets=request_packets)
    checks = probe.agree("ike", read(fixture, name), tunnel(fragmentation))
    assert [str(check) for check in checks if not check.passed] == [f"ike: {one}" for one in failed]
    assert {check.kind for check in checks} == {"messages"}


def test_a_capture_without_ike_auth_proves_nothing():
    checks = IkeSetup(daemon="warm", request_packets=1).agree("ike", [], tunnel(True))
    assert [check.passed for check in checks] == [False] * 3
