"""Scenario files: their meaning, and refused contents."""

from pathlib import Path

import pytest
import yaml
from small_scenario import PING, TUNNEL, scenario

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import key_of, load_scenario

_, *WRONG = yaml.safe_load(Path(__file__).with_name("wrong_scenarios.yaml").read_text())
"""change of a scenario, and the error"""


@pytest.mark.parametrize("profile", profile_names())
@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_of_ours_loads_under_every_profile(name, profile):
    assert load_scenario(name, profile).cells


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_a_wrong_scenario_is_one_clear_message(changes, message):
    with pytest.raises(UserError, match=message) as error:
        scenario(**changes)
    assert "\n" not in str(error.value)


def test_levels_overlay_settings():
    small = scenario(
        shaping={"gw1.wan": {"rate": "100mbit"}},
        factors={
            "network": {"plain": {}, "slow": {"shaping": {"gw1.wan": {"netem": "delay 9ms"}}}}
        },
    )
    slow = small.settings({"network": "slow"}).shaping["gw1.wan"]
    assert (slow.rate, slow.netem) == ("100mbit", "delay 9ms")
    assert small.settings({"network": "plain"}).shaping["gw1.wan"].netem is None


def test_a_level_may_leave_a_probe_out():
    """Whatever a later factor says of it."""
    factors = {
        "a": {"all": {}, "few": {"probes": {"p": None}}},
        "b": {"u": {}, "long": {"probes": {"p": {"count": 9}}}},
    }
    small = scenario(factors=factors, probes={"p": PING, "q": PING})
    found = {key_of(cell): list(small.settings(cell).probes) for cell in small.cells}
    assert found == {
        "a=all b=u": ["p", "q"],
        "a=all b=long": ["p", "q"],
        "a=few b=u": ["q"],
        "a=few b=long": ["q"],
    }


def test_a_profile_may_leave_levels_out():
    small = scenario(only={"b": ["w"]})
    assert [key_of(cell) for cell in small.cells] == ["a=x b=w", "a=y b=w"]


def test_a_level_may_be_measured_with_some_levels_of_others_only():
    few = {"cpus": 2, "only": {"b": ["v"]}}
    small = scenario(factors={"a": {"x": {}, "few": few}, "b": {"u": {}, "v": {"gro": True}}})
    assert [key_of(cell) for cell in small.cells] == ["a=x b=u", "a=x b=v", "a=few b=v"]
    assert small.settings({"a": "few", "b": "u"}).cpus == 2, "of unmeasured cells, too"


def test_settings_of_a_tunnel_mean_nothing_without_one():
    factors = {
        "suite": {"none": {"tunnel": None}, "ah": {"tunnel": {"ah": "sha1"}}},
        "mode": {"transport": {"tunnel": {"mode": "transport"}}},
    }
    small = scenario(tunnel=TUNNEL, factors=factors)
    bare, ah = (small.settings(cell).tunnel for cell in small.cells)
    assert bare is None
    assert (ah.protocol, ah.mode) == ("AH", "transport")


def test_cells_of_old_and_new_campaigns_tell_what_their_links_took():
    """Rates of formats 1 and 2 were token buckets, which their files do not name."""
    frozen = folder.read_frozen("lab-2026-11-22")
    path = RAW / "lab-2026-11-22/campaign.yaml"
    for name in ("psk-rsa", "algorithm-sweep"):
        old, new = frozen.scenario(name, path), load_scenario(name, "paper")
        assert not any(old.settings(cell).links_take_time for cell in old.all_cells)
        assert all(new.settings(cell).links_take_time for cell in new.all_cells)
    calibration = load_scenario("calibration", "paper")
    assert calibration.settings_where(network="rate-24").links_take_time
    assert not calibration.settings_where(network="delay-10").links_take_time
