"""Parsers on real output of tools: their values, and their refusals."""

import json
from contextlib import nullcontext

import pytest
from cases import cases
from reading import values_of
from test_expected import FIXTURES

from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.iperf3 import Iperf3, _did_not_begin
from remeasure.bench.probes.ping import Ping


def read(kind: str, content: bytes, name: str = "x.log") -> dict[str, list[float]]:
    return values_of(PROBES[kind], name, content)


LOGS = cases(__file__, "logs")


@pytest.mark.parametrize(("kind", "file"), LOGS)
def test_a_log_cut_within_a_line_is_refused(fixture, kind, file):
    content = fixture(file)
    with pytest.raises(LogError, match=rf"{file}:\d+: "):
        read(kind, content[: len(content) * 2 // 3 - 1].rstrip(b"\n"), file)


@pytest.mark.parametrize(
    ("kind", "file"),
    [one for one in LOGS if one[0] in ("ping", "traceroute", "ike_setup", "clock", "ditg")],
)
def test_a_foreign_line_is_named(fixture, kind, file):
    lines = fixture(file).splitlines(keepends=True)
    lines.insert(2, b"Segmentation fault\n")
    with pytest.raises(LogError, match=rf"{file}:3: found 'Segmentation fault'"):
        read(kind, b"".join(lines), file)


@pytest.mark.parametrize("kind", PROBES)
@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\n", b"{}\n", b"hello\n", b"[1]\n", b'{"start": {}, "end": {}}\n']
)
def test_foreign_files_are_refused(kind, content):
    with pytest.raises(LogError):
        read(kind, content)


def test_ping_jitter_skips_pairs_with_a_lost_packet():
    text = (
        b"PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n"
        b"[1.0] 64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=10.0 ms\n"
        b"[2.0] 64 bytes from 10.0.0.1: icmp_seq=2 ttl=64 time=14.0 ms\n"
        b"[3.0] no answer yet for icmp_seq=3\n"
        b"[4.0] 64 bytes from 10.0.0.1: icmp_seq=4 ttl=64 time=90.0 ms\n"
        b"\n--- 10.0.0.1 ping statistics ---\n"
        b"4 packets transmitted, 3 received, 25% packet loss, time 3000ms\n"
        b"rtt min/avg/max/mdev = 10.000/38.000/90.000/36.806 ms\n"
    )
    values = read("ping", text)
    assert values["jitter"] == [4.0]
    assert values["loss"] == [25.0]


def test_ping_refuses_a_summary_that_contradicts_the_replies(fixture):
    content = fixture("iputils-20250605/normal.log").replace(b"150 received", b"149 received")
    with pytest.raises(LogError, match="149 received"):
        read("ping", content)


@pytest.mark.parametrize("late", [0, 64, 65])
def test_a_receiving_iperf3_may_have_read_a_little_after_its_last_interval(fixture, late):
    log = json.loads(fixture("iperf-3.22/tcp_down-normal.json"))
    end, more = log["end"], late * log["start"]["test_start"]["blksize"]
    for total in (end["sum_received"], end["sum_sent"], *end["streams"][0].values()):
        total["bytes"] += more
        total["bits_per_second"] = 8 * total["bytes"] / total["seconds"]
    content = json.dumps(log, indent=1).encode()
    if late <= 64:
        assert list(Iperf3.parse("x", content))
    else:
        with pytest.raises(LogError, match="the bytes of the intervals"):
            list(Iperf3.parse("x", content))


def test_a_capture_that_is_not_one_is_refused():
    with pytest.raises(LogError, match="zstd-compressed pcap"):
        read("ike_setup", b"not a capture", "x.pcap.zst")


def test_a_clock_that_was_asked_too_seldom_is_refused(fixture):
    lines = fixture("bash-5.3.15/clock.log").splitlines(keepends=True)
    with pytest.raises(LogError, match=r"clock.log:59: found '19 lines restored', expected 20"):
        read("clock", b"".join(lines[:-1]), "clock.log")


def test_a_run_by_hand_without_its_receiver_is_refused(fixture):
    content = fixture("iperf-3.22/by-hand.txt").replace(b"receiver", b"")
    with pytest.raises(LogError, match="no line of sender and receiver"):
        read("by_hand", content)


def test_the_size_of_an_echo_is_asked_for_where_it_is_given():
    """Without it the command is the old one."""
    plain, large = (
        Ping(source="a", target="b", count=5, interval=0.2, size=size).command("10.0.0.1")
        for size in (None, 1400)
    )
    assert plain == ["ping", "-n", "-D", "-O", "-c", "5", "-i", "0.2", "-W", "2", "10.0.0.1"]
    assert large == [*plain[:-1], "-s", "1400", "10.0.0.1"]


def test_a_run_that_found_no_server_did_not_begin(fixture):
    content = fixture("iperf-3.22/refused.json")
    assert _did_not_begin(content.decode())
    with pytest.raises(LogError, match="unable to connect to server"):
        list(Iperf3.parse("tcp-01.json", content))


def test_a_run_that_carried_something_began(fixture):
    text = fixture("iperf-3.22/tcp_up-normal.json").decode()
    assert not _did_not_begin(text)
    assert not _did_not_begin(text.replace('"end"', '"error": "interrupted", "end"')), "cut later"
    assert not _did_not_begin("iperf3: no such option"), "not of JSON"


BROKEN = [
    ("iperf3", "iperf-3.22/udp_up-impaired.json", "end.sum_received.lost_packets", 10**6, "more"),
    ("iperf3", "iperf-3.22/udp_up-impaired.json", "end.sum_received.packets", 0, "that counted"),
    ("iperf3", "iperf-3.22/tcp_up-normal.json", "end.sum_sent.bytes", 1, "bytes of the intervals"),
    ("iperf3", "iperf-3.22/tcp_up-normal.json", "intervals", [], "one at least"),
    ("flow", "flow-1/priority.up.log", "received 803", "received 4803", "at most the 3964 sent"),
]  # fmt: skip
"""probe, log, changed field, new value, and expected error"""


@pytest.mark.parametrize(("probe", "log", "old", "new", "expected"), BROKEN)
def test_what_a_real_log_has_broken_is_refused(probe, log, old, new, expected):
    path = FIXTURES / log
    if path.suffix == ".json":
        document = json.loads(path.read_text())
        *parents, last = old.split(".")
        place = document
        for parent in parents:
            place = place[parent]
        place[last] = new
        content = json.dumps(document, indent=1)
    else:
        content = path.read_text()
        assert old in content
        content = content.replace(old, new)
    with pytest.raises(LogError, match=expected):
        list(PROBES[probe].parse(path.name, content.encode()))


UP = Iperf3(client="a", server="b", protocol="tcp", direction="up", duration=10, window="256K")
"""the run of iperf-3.22/tcp_up-normal.json"""


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        ({}, None),
        ({"duration": 9}, "duration 10', expected 9, as planned"),
        ({"window": None}, "sock_bufsize 262144', expected 0"),
        ({"direction": "down"}, "reverse 0', expected 1"),
        ({"rate": "5M"}, "target_bitrate 0', expected 5000000"),
        ({"dscp": "ef"}, "tos 0', expected 184"),
        ({"length": 1400}, "blksize 131072', expected 1400"),
        ({"protocol": "udp"}, "protocol TCP', expected UDP"),
    ],
)
def test_iperf3_says_with_which_settings_it_ran(fixture, planned, message):
    probe, log = UP.model_copy(update=planned), fixture("iperf-3.22/tcp_up-normal.json")
    with pytest.raises(LogError, match=message) if message else nullcontext():
        probe.require_complete("x.json", log)


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        ({}, None),
        ({"count": 149}, "found '150 requests', expected 149, as planned"),
        ({"interval": 0.1}, r"found 'requests 0.2\d\d s apart', expected 0.1 s"),
        ({"interval": 0.4}, r"found 'requests 0.2\d\d s apart', expected 0.4 s"),
        ({"size": 1400}, "found '56 bytes', expected 1400"),
    ],
)
def test_ping_sends_as_planned(fixture, planned, message):
    probe = Ping(source="a", target="b", count=150, interval=0.2).model_copy(update=planned)
    with pytest.raises(LogError, match=message) if message else nullcontext():
        probe.require_complete("x.log", fixture("iputils-20250605/normal.log"))
