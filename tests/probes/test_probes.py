"""Parsers on what the tools really wrote: what they read, and what they refuse."""

import json

import pytest

from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.iperf3 import Iperf3
from remeasure.bench.probes.ping import Ping


def read(kind: str, content: bytes, name: str = "x.log") -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for observation in PROBES[kind].parse(name, content):
        values.setdefault(observation.metric, []).append(observation.value)
    return values


LOGS = [  # probe, text file
    ("ping", "iputils-20250605/normal.log"),
    ("ping", "iputils-20250605/impaired.log"),
    ("traceroute", "traceroute-2.1.6/normal.log"),
    ("traceroute", "traceroute-2.1.6/unanswered.log"),
    ("iperf3", "iperf-3.22/tcp_up-normal.json"),
    ("iperf3", "iperf-3.22/udp_up-impaired.json"),
    ("iperf3", "iperf-3.9/udp_up-impaired.json"),
    ("by_hand", "iperf-3.22/by-hand.txt"),
    ("clock", "bash-5.3.15/clock.log"),
    ("ike_setup", "strongswan-6.1.0/psk.log"),
]


@pytest.mark.parametrize(("kind", "file"), LOGS)
def test_a_log_cut_within_a_line_is_refused(fixture, kind, file):
    content = fixture(file)
    with pytest.raises(LogError, match=rf"{file}:\d+: "):
        read(kind, content[: len(content) * 2 // 3 - 1].rstrip(b"\n"), file)


@pytest.mark.parametrize("kind", ["ping", "traceroute", "ike_setup", "clock"])
def test_a_foreign_line_is_named(fixture, kind):
    file = next(f for k, f in LOGS if k == kind)
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


def test_ping_counts_what_was_lost(fixture):
    values = read("ping", fixture("iputils-20250605/lost.log"))
    assert values["received"][0] == len(values["rtt"]) <= values["sent"][0] == 150
    assert values["rtt_mean"][0] == pytest.approx(sum(values["rtt"]) / len(values["rtt"]))


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


def test_iperf3_reports_the_receiver(fixture):
    content = fixture("iperf-3.22/udp_up-impaired.json")
    received = json.loads(content)["end"]["sum_received"]
    values = read("iperf3", content)
    assert values["goodput"] == [received["bits_per_second"] / 1e6]
    assert values["lost"] == [received["lost_packets"]]
    assert values["goodput"][0] < values["goodput_interval"][0], "intervals are the sender's"


def test_iperf3_lines_lead_to_the_value(fixture):
    content = fixture("iperf-3.22/tcp_up-normal.json")
    goodput = next(o for o in Iperf3.parse("x", content) if o.metric == "goodput")
    assert '"sum_received"' in content.decode().splitlines()[goodput.line - 1]


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


def test_ike_times_are_differences_of_the_log(fixture):
    lines = fixture("strongswan-6.1.0/psk.log").decode().splitlines()

    def at(text):
        stamp = next(line for line in lines if text in line).split()[0]
        return float(stamp.rsplit(":", 1)[1]) * 1e3

    values = read("ike_setup", fixture("strongswan-6.1.0/psk.log"))
    initiating, ike, child = map(at, ("initiating IKE_SA", "] established", "} established with"))
    assert values["ike_sa"][0] == pytest.approx(ike - initiating, abs=0.01)
    assert values["child_sa"][0] == pytest.approx(child - ike, abs=0.01)


def test_ike_wire_time_is_within_log_time(fixture):
    for auth in ("psk", "rsa"):
        log = read("ike_setup", fixture(f"strongswan-6.1.0/{auth}.log"))
        wire = read("ike_setup", fixture(f"strongswan-6.1.0/{auth}.pcap.zst"), "x.pcap.zst")
        assert 0 < wire["ike_wire"][0] < log["ike_sa"][0]


def test_ike_retransmission_is_counted(fixture):
    values = read("ike_setup", fixture("strongswan-6.1.0/retransmit.log"))
    assert values["ike_retransmits"][0] >= 1
    assert values["ike_sa"][0] > 3900, "strongSwan's first timeout is 4 s"


def test_ike_certificates_make_messages_longer(fixture):
    psk, rsa = (
        read("ike_setup", fixture(f"strongswan-6.1.0/{auth}.pcap.zst"), "x.zst")
        for auth in ("psk", "rsa")
    )
    assert rsa["ike_bytes"][0] > 2 * psk["ike_bytes"][0]


def test_a_capture_that_is_not_one_is_refused():
    with pytest.raises(LogError, match="zstd-compressed pcap"):
        read("ike_setup", b"not a capture", "x.pcap.zst")


def test_iperf3_bounds_what_passed_by_what_was_offered(fixture):
    """The receiver of a delayed download stops counting before the last datagrams arrive."""
    content = fixture("iperf-3.22/udp_up-impaired.json")
    probe = Iperf3(
        client="a",
        server="b",
        protocol="udp",
        direction="up",
        rate="100M",
        length=1400,
        duration=10,
    )
    offered = json.loads(content)["end"]["sum_sent"]["packets"]
    assert probe.carried(list(Iperf3.parse("x", content))).most_packets == offered


def iperf3_udp(direction: str) -> Iperf3:
    return Iperf3(
        client="a", server="b", protocol="udp", direction=direction, length=1400, duration=2
    )


@pytest.mark.parametrize("direction", ["up", "down"])
def test_iperf3_3_9_says_who_counted_what_arrived(fixture, direction):
    """It has one object for both ends, whose bytes are the sender's."""
    content = fixture(f"iperf-3.9/udp_{direction}-normal.json")
    end = json.loads(content)["end"]
    assert "sum_received" not in end
    found = {o.metric: o for o in Iperf3.parse("x", content)}
    assert found["offered"].value == end["sum"]["packets"] and found["offered"].side == "sender"
    assert found["lost"].side == found["jitter"].side == "receiver"
    assert found["received_bytes"].side == {"up": "both", "down": "receiver"}[direction]
    assert found["received_bytes"].value <= end["sum"]["bytes"]


def test_iperf3_allows_for_what_3_9_does_not_tell(fixture):
    """Datagrams that were lost behind the last that arrived are in nobody's count."""
    up, down = (
        iperf3_udp(direction).carried(
            list(Iperf3.parse("x", fixture(f"iperf-3.9/udp_{direction}-normal.json")))
        )
        for direction in ("up", "down")
    )
    assert (up.receiver, up.least_packets, up.most_packets) == ("b", 3568 * 2 // 3, 3568)
    assert (down.receiver, down.least_packets, down.most_packets) == ("a", 3147, 3167)


def test_a_step_of_a_clock_is_seen(fixture):
    """A clock that was set 20 ms forward, and back."""
    values = read("clock", fixture("bash-5.3.15/clock.log"))
    before, stepped, restored = values["clock_offset"]
    assert max(values["clock_bound"]) < 1
    assert values["clock_step"] == [stepped - before]
    assert stepped - before == pytest.approx(20, abs=2 * max(values["clock_bound"]))
    assert restored - before == pytest.approx(0, abs=2 * max(values["clock_bound"]))


def test_a_clock_that_was_asked_too_seldom_is_refused(fixture):
    lines = fixture("bash-5.3.15/clock.log").splitlines(keepends=True)
    with pytest.raises(LogError, match=r"clock.log:59: found '19 lines restored', expected 20"):
        read("clock", b"".join(lines[:-1]), "clock.log")


def test_a_run_by_hand_without_its_receiver_is_refused(fixture):
    content = fixture("iperf-3.22/by-hand.txt").replace(b"receiver", b"")
    with pytest.raises(LogError, match="no line of sender and receiver"):
        read("by_hand", content)


def test_the_size_of_an_echo_is_asked_for_where_it_is_given():
    """Without it the command is what it was before there was a size."""
    plain, large = (
        Ping(source="a", target="b", count=5, interval=0.2, size=size).command("10.0.0.1")
        for size in (None, 1400)
    )
    assert plain == ["ping", "-n", "-D", "-O", "-c", "5", "-i", "0.2", "-W", "2", "10.0.0.1"]
    assert large == [*plain[:-1], "-s", "1400", "10.0.0.1"]
