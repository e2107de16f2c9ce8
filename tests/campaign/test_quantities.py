"""Levels as numbers, whatever factors and levels are called."""

import pytest
from small_scenario import ESP, PING, scenario

from remeasure.bench.campaign.quantities import levels_of, quantities_of
from remeasure.bench.campaign.scenario import load_scenario

FLOW = {"probe": "iperf3", "client": "client1", "server": "client2", "protocol": "udp"}
FLOW |= {"direction": "up", "length": 1000, "rate": "1M", "duration": 1}


def both_ways(delay: str) -> dict:
    return {"shaping": {f"{gw}.wan": {"netem": f"delay {delay}"} for gw in ("gw1", "gw2")}}


@pytest.mark.parametrize(
    ("levels", "unit", "values"),
    [
        ({"x": {}, "y": {"tunnel": {"replay_window": 64}}}, "packets", {"x": 32, "y": 64}),
        ({"far": both_ways("25ms"), "near": {}}, "ms", {"far": 50, "near": 0}),
        ({"x": {}, "y": {"probes": {"flow": {"rate": "2.5G"}}}}, "Mbit/s", {"x": 1, "y": 2500}),
        ({"x": {}, "y": {"probes": {"flow": {"rate": "500K"}}}}, "Mbit/s", {"x": 1, "y": 0.5}),
        ({"x": {}, "y": {"probes": {"flow": {"length": 64}}}}, "bytes", {"x": 1000, "y": 64}),
        ({"x": {"cpus": 1}, "y": {"cpus": 2}}, "processors", {"x": 1, "y": 2}),
    ],
)
def test_levels_that_differ_in_one_number_are_a_quantity(levels, unit, values):
    found = quantities_of(scenario(factors={"f": levels}, tunnel=ESP, probes={"flow": FLOW}))
    assert (found["f"].unit, found["f"].values) == (unit, values)


@pytest.mark.parametrize(
    "levels",
    [
        {"x": {}, "y": {"tunnel": {"esp": "aes256-sha1"}}},
        {"x": {}, "y": {"tunnel": {"replay_window": 64, "auth": "rsa"}}},
        {"x": {}, "y": {"tunnel": {"replay_window": 64}, "probes": {"flow": {"length": 64}}}},
        {"x": {}, "y": {"shaping": {"gw1.wan": {"netem": "delay 10ms loss random 1%"}}}},
        {"x": {}, "y": {"shaping": {"gw1.wan": {"rate": "1mbit"}}}},
        {"x": {}, "y": {"tunnel": {"replay_window": 64}}, "z": {}},
        {"x": {}, "y": {"tunnel": None}},
        {"x": {}, "y": {}},
        {"x": {}, "y": {"probes": {"more": PING}}},
    ],
)
def test_levels_that_differ_in_anything_else_are_none(levels):
    assert not quantities_of(scenario(factors={"f": levels}, tunnel=ESP, probes={"flow": FLOW}))


def test_quantities_within_trials():
    each = {
        "bytes": {"small": {"length": 64}, "large": {"length": 1408}},
        "way": {"there": {"direction": "up"}, "back": {"direction": "down"}},
        "rate": ["10M", "20M"],
    }
    found = quantities_of(scenario(probes={"flow": FLOW | {"each": each}}))
    assert {f: (q.unit, q.values) for f, q in found.items()} == {
        "bytes": ("bytes", {"small": 64, "large": 1408}),
        "rate": ("Mbit/s", {"10M": 10, "20M": 20}),
    }


def test_a_level_says_what_it_sets():
    levels = levels_of(load_scenario("psk-rsa", "quick"))["network"]
    assert levels["normal"].says == "shaping.gw1.wan.netem: none"
    assert levels["impaired"].says == (
        "shaping.gw1.wan.netem: delay 100ms 20ms distribution normal loss random 1%"
    )
    assert [(n.name, n.value, n.unit) for n in levels["impaired"].numbers] == [
        ("delay", 100, "ms"),
        ("jitter", 20, "ms"),
        ("loss", 1, "%"),
    ]
