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
    """Field 10 of softnet_stat counts packets from other processors; 13 is the processor."""
    rest = "00000000 " * 6
    text = "".join(
        f"{received:08x} 00000000 00000020 {rest}{rps:08x} 00000000 00000000 {cpu:08x} 0 0\n"
        for cpu, (received, rps) in enumerate(((15161, 5), (10743, 5701)))
    )
    assert _softnet(text) == {
        "cpu0_received": 15161,
        "cpu0_received_rps": 5,
        "cpu1_received": 10743,
        "cpu1_received_rps": 5701,
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
