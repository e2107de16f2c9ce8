"""Logs that are not of the run that was planned: of other settings, or of another host."""

import pytest

from remeasure.bench.base.topology import load_topology
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import LogError

TOPOLOGY = load_topology("site-to-site")
PING = {"source": "client1", "target": "client2", "count": 150, "interval": 0.2}
ENDS = {"client": "client1", "server": "client2"}
STREAM = {**ENDS, "protocol": "tcp", "direction": "up", "duration": 10, "window": "256K"}
UDP = {**STREAM, "protocol": "udp", "window": "1M", "rate": "100M", "length": 1400}
TRACE = {"source": "client1", "target": "client2"}
FLOW = {**ENDS, "direction": "down", "rate": 500, "length": 200, "duration": 1}
LOST = {**ENDS, "event": "stopped", "at": 1.3, "lasts": 1, "rate": 20, "length": 200, "duration": 5}
CIPHER = {"host": "gw1", "suite": "aes128gcm16", "payload": 1408, "instructions": "masked"}
LOGS = {
    "ping": ("iputils-20250605/normal.log", PING),
    "tcp": ("iperf-3.22/tcp_up-normal.json", {"probe": "iperf3", **STREAM}),
    "udp": ("iperf-3.22/udp_up-normal.json", {"probe": "iperf3", **UDP}),
    "traceroute": ("traceroute-2.1.6/normal.log", TRACE),
    "flow": ("flow-1/one-way.down.log", FLOW),
    "gateways": ("strongswan-6.1.0/stopped.gateways.txt", {"probe": "disturbed_flow", **LOST}),
    "up": ("strongswan-6.1.0/stopped.up.log", {"probe": "disturbed_flow", **LOST}),
    "mixed": ("iperf-3.22/beside-calls.json", {**ENDS, "duration": 1, "rate": 200}),
    "calls": ("flow-1/calls.up.log", {"probe": "mixed", **ENDS, "duration": 1, "rate": 200}),
    "cipher": ("openssl-3.6.5/cipher-gcm-masked.log", CIPHER),
}
"""name -> a real log, and the settings of its probe, whose kind is the name if it is not given"""


def check(name: str, content: bytes, changes: dict) -> None:
    fields = {"probe": name, **LOGS[name][1], **changes}
    probe = PROBES[fields.pop("probe")].model_validate(fields)
    probe.require_own(LOGS[name][0], content, TOPOLOGY)
    if name == "ping":
        probe.require_complete(LOGS[name][0], content)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_what_was_planned_is_taken(fixture, name):
    check(name, fixture(LOGS[name][0]), {})


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("ping", {"size": 1300}, "1: found 'PING .* 56.84. bytes of data.', expected 1300, as pla"),
        ("ping", {"count": 50}, "found '150 packets transmitted', expected 50, as planned"),
        ("ping", {"target": "gw2"}, "found 'PING .*', expected 198.51.100.2, the address of gw2"),
        ("tcp", {"direction": "down"}, "'\"reverse\":.+0', expected 1, as planned"),
        ("tcp", {"window": "64K"}, "'\"sock_bufsize\":.+262144', expected 65536, as planned"),
        ("tcp", {"protocol": "udp", "length": 9}, '"protocol":.+"TCP., expected UDP, as planned'),
        ("udp", {"rate": None}, "'\"target_bitrate\":.+100000000', expected 1048576, as planned"),
        ("udp", {"dscp": "ef"}, "'\"tos\":.+0', expected 184, as planned"),
        ("traceroute", {"max_hops": 9}, "8 hops max', expected 9, as planned"),
        ("flow", {"rate": 600}, "3: found 'flow .* rate 500', expected 600, as planned"),
        ("flow", {"dscp": "ef", "every": 10}, "3: found 'flow .* dscp 0', expected 46, as planned"),
        ("gateways", {"event": "killed"}, "2: found 'event stopped ', expected killed, as planned"),
        ("up", {"rate": 21}, "rate 20', expected 21, as planned"),
        ("mixed", {"duration": 2}, "'\"duration\":.+1', expected 2, as planned"),
        ("calls", {"rate": 300}, "rate 200', expected 300, as planned"),
        ("cipher", {"suite": "aes256gcm16"}, "5: found 'suite aes128gcm16', expected aes256gcm16"),
        ("cipher", {"library": "image"}, "3: found .*, expected /run/cipher-cost-image/libcrypto"),
    ],
)
def test_a_log_of_other_settings_is_refused(fixture, name, changes, said):
    with pytest.raises(LogError, match=said):
        check(name, fixture(LOGS[name][0]), changes)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("ping", "[1795233878.625900]", "[1795233879.225900]", "2 sent 0.804 s .* expected 0.2 s"),
        ("tcp", '"tcp_mss_default":', '"tcp_mss":', "'\"tcp_mss\":.+1448', expected none, as plan"),
        ("flow", "port 9400", "port 9401", "2: found 'to .* port 9401', expected 9400, as planned"),
    ],
)
def test_a_log_of_a_tool_that_did_something_else_is_refused(fixture, name, old, new, said):
    content = fixture(LOGS[name][0]).decode()
    assert old in content
    with pytest.raises(LogError, match=said):
        check(name, content.replace(old, new, 1).encode(), {})
