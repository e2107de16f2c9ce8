"""Settings behind the levels of factors, whatever the factors are called."""

import pytest
from small_scenario import ESP, PING, scenario

from remeasure.bench.campaign.factors import COST, ENDS, SIZE, SUITE, factors_that_set
from remeasure.bench.campaign.scenario import load_scenario

KINDS = (COST, ENDS, SIZE, SUITE)
IKE = {"probe": "ike_setup", "daemon": "warm", "repeats": 1}
FLOW = {"probe": "ditg", "sender": "client1", "receiver": "client2", "transport": "udp"}
FLOW |= {"payload": 100, "rate": "100pps", "duration": 1}


@pytest.mark.parametrize(
    ("levels", "kinds"),
    [
        (
            {"x": {"tunnel": {"esp": "aes128-sha1"}}, "y": {"tunnel": {"esp": "aes256-sha1"}}},
            {COST, ENDS, SUITE},
        ),
        ({"x": {}, "y": {"tunnel": {"esp": None, "ah": "sha1"}}}, {COST, ENDS, SUITE}),
        ({"x": {}, "y": {"tunnel": None}}, {COST, ENDS, SUITE}),
        ({"x": {}, "y": {"tunnel": {"esp": "aes128gcm16", "auth": "rsa"}}}, {COST, ENDS}),
        ({"x": {}, "y": {"tunnel": {"on_demand": True, "per_cpu": "yes"}, "cpus": 2}}, {COST}),
        ({"x": {}, "y": {"gro": False}}, {COST, ENDS}),
        ({"x": {}, "y": {"probes": {"flow": {"transport": "tcp"}}}}, {COST}),
        ({"x": {}, "y": {"probes": {"flow": {"payload": 1000}}}}, {COST, SIZE}),
        ({"x": {}, "y": {"probes": {"flow": {"rate": "200pps"}}}}, set()),
        ({"x": {}, "y": {"tunnel": {"auth": "rsa"}}}, {ENDS}),
        ({"x": {}, "y": {"tunnel": {"auth": "rsa"}, "probes": {"ike": IKE, "flow": None}}}, {ENDS}),
        ({"x": {}, "y": {"tunnel": {"replay_window": 64}}}, set()),
        ({"x": {}, "y": {"shaping": {"gw1.wan": {"rate": "1mbit"}}}}, set()),
        ({"x": {}, "y": {"probes": {"more": PING}}}, set()),
        ({"x": {"tunnel": {"mode": "tunnel"}}, "y": {"tunnel": {"mode": "tunnel"}}}, set()),
    ],
)
def test_kinds_of_a_factor_between_trials(levels, kinds):
    found = scenario(factors={"cipher": levels}, tunnel=ESP, probes={"flow": FLOW})
    assert {kind for kind in KINDS if factors_that_set(found, kind)} == kinds


def test_kinds_of_factors_within_trials():
    each = {
        "bytes": {"small": {"payload": 64}, "large": {"payload": 1408}},
        "over": {"a": {"transport": "udp"}, "b": {"transport": "tcp"}},
        "rate": ["10pps", "20pps"],
    }
    found = scenario(probes={"flow": FLOW | {"each": each}})
    assert [factors_that_set(found, kind) for kind in KINDS] == [
        {"bytes", "over"},
        set(),
        {"bytes"},
        set(),
    ]


def test_a_level_without_effect_beside_one_other_level_has_it_beside_another():
    """Without IPsec the modes do the same."""
    factors = {
        "cipher": {"none": {"tunnel": None}, "aes": {}},
        "how": {"a": {"tunnel": {"mode": "tunnel"}}, "b": {"tunnel": {"mode": "transport"}}},
    }
    found = scenario(factors=factors, tunnel=ESP, probes={"flow": FLOW})
    assert factors_that_set(found, COST) == {"cipher", "how"}
    assert factors_that_set(found, SIZE) == set()


OURS = {
    "algorithm-sweep": ({"suite", "transport", "payload"}, {"payload"}, {"suite"}),
    "suite-cost": ({"suite", "instructions", "transport", "payload"}, {"payload"}, {"suite"}),
    "ah-esp-ciphers": ({"suite", "mode", "instructions", "gro"}, set(), {"suite", "mode"}),
    "per-cpu-sas": ({"condition"}, set(), set()),
    "calibration": ({"size"}, {"size"}, set()),
    "receive-offload": ({"mode", "gro"}, set(), {"mode"}),
    "esp-instructions": ({"suite", "instructions", "payload"}, {"payload"}, {"suite"}),
    "psk-rsa": (set(), set(), set()),
    "many-tunnels": (set(), set(), set()),
}
"""scenario -> its factors that set cost, size and suite"""


@pytest.mark.parametrize("name", OURS)
def test_factors_of_our_scenarios(name):
    found = load_scenario(name, "paper")
    assert tuple(factors_that_set(found, kind) for kind in (COST, SIZE, SUITE)) == OURS[name]
