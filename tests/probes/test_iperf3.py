"""When a run of iperf3 is asked for once more: if it did not begin, and in no other case."""

import pytest

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.iperf3 import Iperf3, _did_not_begin


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
