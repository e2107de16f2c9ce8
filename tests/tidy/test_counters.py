"""Counters as hosts print them."""

import json

from remeasure.paper.tidy.counter_parsers import _queues, _sa_counters, _softnet, read_counters

STATE = "iproute2-7.2.0/xfrm-state-per-cpu.txt"


def test_counters_by_processor(fixture):
    counters = _sa_counters(fixture(STATE).decode())
    assert counters["sa_out_cpu0_packets"] == 13700
    assert counters["sa_out_packets"] == 13842 + 13700
    assert counters["sa_in_packets"] == 3298 + 1 + 1


def test_softnet_and_queues():
    text = (
        "00003b39 00000000 00000020 "
        + "00000000 " * 6
        + "00000005 "
        + "00000000 " * 2
        + "00000000 0 0\n000029f7 00000000 0000000a "
        + "00000000 " * 6
        + "00001645 "
        + "00000000 " * 2
        + "00000001 0 0\n"
    )
    assert _softnet(text) == {
        "cpu0_received": 0x3B39,
        "cpu0_received_rps": 5,
        "cpu1_received": 0x29F7,
        "cpu1_received_rps": 0x1645,
    }
    assert _queues("wire rx_queue_1_packets: 7\n") == {"wire_rx_queue_1_packets": 7}


def test_a_netem_that_has_the_rate_is_a_wire(fixture):
    """Beside one that delays."""
    told = fixture("iproute2-7.2.0/qdisc-delayed-wire.json").decode()
    qdiscs = [{"dev": "wan"} | qdisc for qdisc in json.loads(told)]
    counters = read_counters({"qdisc.json": json.dumps(qdiscs)})["qdisc.json"]
    assert counters["wan_netem_dropped"] == counters["wan_tbf_dropped"] == 15
    assert counters["wan_wire_dropped"] == 0
    assert counters["wan_wire_packets"] == 2052
