"""What real logs have broken is refused where it is read."""

import json

import pytest
from test_expected import FIXTURES

from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import LogError

BROKEN = [
    ("iperf3", "iperf-3.22/udp_up-impaired.json", "end.sum_received.lost_packets", 10**6, "more"),
    ("iperf3", "iperf-3.22/udp_up-impaired.json", "end.sum_received.packets", 0, "that counted"),
    ("iperf3", "iperf-3.22/tcp_up-normal.json", "end.sum_sent.bytes", 1, "bytes of the intervals"),
    ("iperf3", "iperf-3.22/tcp_up-normal.json", "intervals", [], "one at least"),
    ("flow", "flow-1/priority.up.log", "received 803", "received 4803", "at most the 3964 sent"),
    ("ditg", "d-itg-2.8.1/udp-loss.txt", " 441", "   0", "two packets at least"),
]  # fmt: skip
"""probe, log, what is changed in it, into what, and what the error expects"""


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
