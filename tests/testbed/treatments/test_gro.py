"""Receive offload: what a cell asks for is set, and proven from what ethtool says."""

import pytest

from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.testbed.treatments.gro import (
    check_gro,
    gro_provers,
    gro_setters,
    state_of_gro,
)
from remeasure.bench.testbed.treatments.shaping import Place

WIRE = Place("left", "wire", "eth1")


@pytest.mark.parametrize("on", [True, False])
def test_what_ethtool_says_is_compared_with_the_cell(fixture, on):
    features = fixture("ethtool-7.2/uml-gro-off.txt").decode()
    assert state_of_gro(features) == "off"
    (check,) = check_gro("left.wire", on, features)
    assert check.passed is not on


def test_a_host_that_says_nothing_of_it_does_not_pass():
    for on in (True, False):
        (check,) = check_gro("left.wire", on, "")
        assert not check.passed


def test_hosts_are_left_alone_where_a_cell_says_nothing():
    assert gro_setters(None, [WIRE]) == list(gro_provers(None, [WIRE])) == []


def test_each_interface_is_switched():
    (setter,) = gro_setters(False, [WIRE])
    assert (setter.host, setter.command) == ("left", "ethtool -K eth1 gro off")


def test_every_cell_of_the_scenario_sets_it():
    scenario = load_scenario("receive-offload", "paper")
    for cell in scenario.all_cells:
        assert scenario.settings(cell).gro is (cell["gro"] == "on")
