"""Events that happen to a tunnel in virtual time, and what its daemons say of their settings."""

from pathlib import Path

import pytest
from real_guests import run_inside

pytestmark = [pytest.mark.lab, pytest.mark.slow]


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    script = Path(__file__).with_name("inside_events.py")
    return run_inside(shared_project, script, tmp_path_factory.mktemp("events"))


def test_daemons_have_every_setting_and_refuse_what_they_do_not_know(found):
    assert found["listings"]["fails"] == []
    assert "proof.gw2.charon-options.txt" in found["listings"]["asked"]
    for section in ("connection", "child"):
        assert found["unknown"][section] == "gw1: strongSwan has an unknown option: no_such_option"
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


def test_what_is_left_of_a_tunnel_that_one_end_lost(found):
    killed, stopped, away, quick = (found[n] for n in ("killed", "stopped", "away", "quick"))
    assert killed["reached"] and killed["ike_sas"] == [1, 0], "the kernel keeps its SAs"
    # A peer that is stopped in order, and quick retransmits in a short outage, leave all in clear.
    for one in (stopped, quick):
        assert one["reached"] and one["ike_sas"] == [0, 0] and min(one["clear"]) > 0
    assert any("policies: found none" in fail for fail in stopped["fails"])
    # A host that was away has its routes again, and knows nothing.
    assert not away["reached"] and away["ike_sas"] == [1, 0]
    assert away["routes"] == found["child"]["routes"]


def test_what_brings_a_stopped_tunnel_back(found):
    for setting in ("trap", "restart"):
        one = found[setting]
        assert one["reached"] and min(one["ike_sas"]) > 0 and one["clear"] == [0, 0]
