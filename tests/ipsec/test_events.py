"""Events that happen to a tunnel in virtual time, and what its daemons say of their settings."""

from pathlib import Path

import pytest
from real_guests import run_inside

pytestmark = [pytest.mark.lab, pytest.mark.slow]


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    script = Path(__file__).with_name("inside_events.py")
    return run_inside(shared_project, script, tmp_path_factory.mktemp("events"))


def test_daemons_have_every_setting(found):
    assert found["listings"]["fails"] == []
    assert "proof.gw2.charon-options.txt" in found["listings"]["asked"]


@pytest.mark.parametrize("section", ["connection", "child"])
def test_an_option_that_strongswan_does_not_know_is_refused_in_one_line(found, section):
    assert found["unknown"][section] == "gw1: strongSwan has an unknown option: no_such_option"


def test_an_option_that_the_daemon_would_ignore_fails_the_proof(found):
    said = "option charon.no_such_option of strongSwan: found unknown, expected known"
    assert found["unknown"]["charon"] == f"gw1: {said}; gw2: {said}"


@pytest.mark.parametrize("event", ["child", "make", "break", "path"])
def test_a_tunnel_goes_on_behind(found, event):
    one = found[event]
    assert one["before"] == [True, [1, 1]] and one["reached"]
    assert one["ike_sas"] == [1, 1] and one["clear"] == [0, 0] and one["fails"] == []


def test_outages_last_as_long_as_they_should(found):
    for event, lasts_s in (("killed", 2), ("away", 20), ("path", 10)):
        assert found[event]["took"] == pytest.approx(lasts_s, abs=0.2)


def test_a_daemon_that_was_killed_leaves_the_kernel_as_it_is(found):
    assert found["killed"]["ike_sas"] == [1, 0] and found["killed"]["reached"]


def test_a_peer_that_is_stopped_in_order_leaves_all_in_the_clear(found):
    one = found["stopped"]
    assert one["reached"] and one["ike_sas"] == [0, 0] and min(one["clear"]) > 0
    assert any("policies: found none" in fail for fail in one["fails"])


def test_what_brings_a_stopped_tunnel_back(found):
    for setting in ("trap", "restart"):
        one = found[setting]
        assert one["reached"] and min(one["ike_sas"]) > 0 and one["clear"] == [0, 0]


def test_a_host_that_was_away_has_its_routes_again_and_knows_nothing(found):
    one = found["away"]
    assert not one["reached"] and one["ike_sas"] == [1, 0]
    assert one["routes"] == found["child"]["routes"]


def test_quick_retransmits_give_a_tunnel_up_that_a_short_outage_disturbs(found):
    one = found["quick"]
    assert one["reached"] and one["ike_sas"] == [0, 0] and min(one["clear"]) > 0
