"""SAs of each processor: the kernel's listing, their proof and their configuration."""

import re

import pytest
from cases import cases
from tunnels import failed

from remeasure.bench.base.config import validate
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.ipsec.agreement import Carried, check_by_sas
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.proof import check_sas
from remeasure.bench.ipsec.swanctl import swanctl_conf

STATE = "iproute2-7.2.0/xfrm-state-per-cpu.txt"

LISTED = "strongswan-6.1.0/per-cpu-list-sas.txt"


@pytest.fixture(scope="module")
def scenario():
    return load_scenario("per-cpu-sas", "paper")


@pytest.fixture
def tunnel(scenario):
    return scenario.settings_where(condition="per-cpu", cpus="2").tunnel


@pytest.mark.parametrize(("change", "reason"), cases(__file__, "proof_fails"))
def test_proof_fails(fixture, tunnel, change, reason):
    state = fixture(STATE).decode().replace(*change)
    found = failed(check_sas(tunnel, "left", fixture(LISTED).decode(), state, cpus=2))
    assert any(re.search(reason, one) for one in found), found


def test_proof_holds_for_this_suite_alone(fixture, scenario, tunnel):
    listings = fixture(LISTED).decode(), fixture(STATE).decode()
    assert failed(check_sas(tunnel, "left", *listings, cpus=2)) == []
    other = scenario.settings_where(condition="per-cpu-gcm", cpus="2").tunnel
    found = failed(check_sas(other, "left", *listings, cpus=2))
    assert any("CHILD_SA encr-alg" in one for one in found)


def test_agreement_is_of_all_sas(fixture):
    before = fixture(STATE).decode()
    after = before.replace("113900(bytes), 3298(packets)", "1113900(bytes), 4298(packets)")
    after = after.replace("seq 0xce2,", "seq 0x10ca,")
    for carried, said in (
        (Carried("left", 900, 1100, 900_000), ""),
        (Carried("left", 1100, 1200), "packets of the inbound SAs: found 1000"),
        (Carried("left", 900, 1100, 1_100_000), "found 1000000, expected at least 1100000"),
    ):
        found = failed(check_by_sas("x", carried, before, after, more=True))
        assert said in found[0] if said else not found
    assert failed(check_by_sas("x", Carried("left", 900, 1100), before, after)), "more than one"


def test_configuration_asks_for_them_by_packets(scenario, tunnel):
    text = swanctl_conf(tunnel, scenario.topology, "left", "secret")
    assert "per_cpu_sas = yes" in text and "start_action = trap" in text
    with pytest.raises(UserError, match="per_cpu yes needs on_demand"):
        validate(IpsecTunnel, tunnel.model_dump() | {"on_demand": False}, "x")
