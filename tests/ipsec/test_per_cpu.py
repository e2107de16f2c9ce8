"""SAs of each processor: their proof, how received packets are spread, and what counts as
performance."""

import re

import numpy as np
import pandas as pd
import pytest

from remeasure.analysis.models.performance_or_function import PERFORMANCE, standing
from remeasure.analysis.models.processors import busy_metrics
from remeasure.analysis.models.scaling import Law, fit_amdahl, fit_universal, serial_share
from remeasure.campaign.scenario import load_scenario
from remeasure.config import validate
from remeasure.errors import UserError
from remeasure.ipsec.agreement import Carried, check_by_sas
from remeasure.ipsec.per_cpu import check_per_cpu
from remeasure.ipsec.sas import read_xfrm_state
from remeasure.ipsec.swanctl import swanctl_conf
from remeasure.ipsec.tunnel import Tunnel
from remeasure.testbed.steering import Steering, check_steering
from remeasure.tidy.counters import _queues, _sa_counters, _softnet

STATE = "iproute2-7.2.0/xfrm-state-per-cpu.txt"
LISTED = "strongswan-6.1.0/per-cpu-list-sas.txt"


@pytest.fixture(scope="module")
def scenario():
    return load_scenario("per-cpu-sas", "paper")


@pytest.fixture
def tunnel(scenario):
    return scenario.settings_where(condition="per-cpu", cpus="2").tunnel


def test_kernel_says_whose_an_sa_is(fixture):
    out = {
        sa.cpu: sa.packets
        for sa in read_xfrm_state(fixture(STATE).decode())
        if sa.direction == "out"
    }
    assert out == {1: 13842, 0: 13700, None: 0}


def test_counters_by_processor(fixture):
    counters = _sa_counters(fixture(STATE).decode())
    assert counters["sa_out_cpu0_packets"] == 13700
    assert counters["sa_out_packets"] == 13842 + 13700
    assert counters["sa_in_packets"] == 3298 + 1 + 1


def failed(checks) -> list[str]:
    return [str(check) for check in checks if not check.passed]


def test_proof_holds(fixture, tunnel):
    assert (
        failed(check_per_cpu(tunnel, "left", fixture(LISTED).decode(), fixture(STATE).decode(), 2))
        == []
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("pcpu-num 1", "pcpu-num 0"), r"processors with an SA: found \[0\], expected \[0, 1\]"),
        (("13842(packets)", "0(packets)"), r"carried packets: found \[0\], expected at least 2"),
        (("replay-window 32", "replay-window 64"), r"replay window: found \[64\], expected \[32\]"),
    ],
)
def test_proof_fails(fixture, tunnel, change, reason):
    state = fixture(STATE).decode().replace(*change)
    found = failed(check_per_cpu(tunnel, "left", fixture(LISTED).decode(), state, 2))
    assert any(re.search(reason, one) for one in found), found


def test_proof_needs_the_suite(fixture, scenario):
    other = scenario.settings_where(condition="per-cpu-gcm", cpus="2").tunnel
    found = failed(
        check_per_cpu(other, "left", fixture(LISTED).decode(), fixture(STATE).decode(), 2)
    )
    assert any("CHILD_SA encr-alg" in one for one in found)


def test_agreement_is_of_all_sas(fixture):
    before = fixture(STATE).decode()
    after = before.replace("113900(bytes), 3298(packets)", "1113900(bytes), 4298(packets)")
    assert failed(check_by_sas("x", Carried("left", 900, 1100, 900_000), before, after)) == []
    assert (
        "packets of the inbound SAs: found 1000"
        in failed(check_by_sas("x", Carried("left", 1100, 1200), before, after))[0]
    )
    assert (
        "bytes of the inbound SAs: found 1000000, expected at least 1100000"
        in failed(check_by_sas("x", Carried("left", 900, 1100, 1_100_000), before, after))[0]
    )


def test_configuration_asks_for_them(scenario, tunnel):
    text = swanctl_conf(tunnel, scenario.topology, "left", "secret")
    assert "per_cpu_sas = yes" in text
    assert "start_action = trap" in text


def test_per_cpu_needs_packets_to_ask(tunnel):
    with pytest.raises(UserError, match="per_cpu yes needs on_demand"):
        validate(Tunnel, tunnel.model_dump() | {"on_demand": False}, "x")


@pytest.mark.parametrize(
    ("by_flow", "text", "passed"),
    [
        (True, "2\n/sys/class/net/wire/queues/rx-0/rps_cpus:3\n", True),
        (True, "2\n/sys/class/net/wire/queues/rx-0/rps_cpus:0\n", False),
        (False, "2\n/sys/class/net/wire/queues/rx-0/rps_cpus:0\n", True),
        (True, "queues 2\nqueues 2\n2\na/rx-0/rps_cpus:0\na/rx-1/rps_cpus:0\n", True),
        (False, "queues 2\nqueues 1\n2\na/rx-0/rps_cpus:0\n", True),
        (False, "queues 2\nqueues 2\n2\na/rx-0/rps_cpus:0\na/rx-1/rps_cpus:0\n", False),
        (True, "queues n/a\nqueues n/a\n4\na/rx-0/rps_cpus:0,0000000f\n", True),
    ],
)
def test_steering_is_proven(by_flow, text, passed):
    (check,) = check_steering("left", Steering(by_flow=by_flow), text)
    assert check.passed is passed


def test_every_cell_is_steered_and_has_processors(scenario):
    for cell in scenario.all_cells:
        settings = scenario.settings(cell)
        assert settings.steering.by_flow is (cell["steering"] == "by-flow")
        assert settings.cpus == int(cell["cpus"])
        assert (settings.tunnel is None) is (cell["condition"] == "none")


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


def test_standing():
    trials = pd.DataFrame(
        {
            "accelerator": ["none", "none", "tcg", "kvm"],
            "guest_cpus": [2, 4, 2, 16],
            "machine_cpus": [2, 2, 2, 16],
        }
    )
    assert list(standing(trials)) == [
        PERFORMANCE,
        "function only: 4 guest processors on 2",
        "function only: emulated processors",
        PERFORMANCE,
    ]


def test_busy_metrics():
    rows = [
        {
            "block": 1,
            "trial": 1,
            "cpus": "8",
            "probe": "load",
            "metric": metric,
            "unit": "",
            "value": value,
        }
        for metric, value in (
            ("left_busy", 60.0),
            ("right_busy", 40.0),
            ("throughput", 2000.0),
            ("other", 1.0),
        )
    ]
    found = busy_metrics(pd.DataFrame(rows), "left", "right").set_index("metric")["value"]
    assert found.to_dict() == {
        "hosts_busy": 50,
        "receiver_less_sender": -20,
        "sender_receiver_gap": 20,
        "cores_per_gbit": 2,
    }


def test_laws_are_found_again():
    counts = np.array([1, 2, 4, 8, 16])
    amdahl = fit_amdahl(counts, Law(100, 0.2, 0).at(counts))
    assert (amdahl.single, amdahl.serial) == pytest.approx((100, 0.2))
    universal = fit_universal(counts, Law(50, 0.05, 0.01).at(counts))
    assert (universal.single, universal.serial, universal.coherence) == pytest.approx(
        (50, 0.05, 0.01), rel=1e-4
    )
    assert universal.most == pytest.approx((0.95 / 0.01) ** 0.5, rel=1e-4)


def test_serial_share_of_one_speed_up():
    assert serial_share(4, 4) == 0
    assert serial_share(1, 4) == 1
    assert serial_share(Law(1, 0.25, 0).at(8), 8) == pytest.approx(0.25)


@pytest.mark.parametrize(("fit", "counts"), [(fit_amdahl, [2, 2]), (fit_universal, [1, 2, 2])])
def test_too_few_counts(fit, counts):
    with pytest.raises(ValueError, match="counts of processors, expected at least"):
        fit(np.array(counts), np.ones(len(counts)))
