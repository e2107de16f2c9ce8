"""How hosts receive packets: a cell's settings are made and proven."""

import pytest
from cases import cases

from remeasure.bench.testbed.treatments.receiving import (
    Steering,
    check_gro,
    check_reassembly,
    check_steering,
    receiving_provers,
    receiving_setters,
)
from remeasure.bench.testbed.treatments.shaping import Place

WIRE = Place("left", "wire", "eth1")


@pytest.mark.parametrize("on", [True, False])
def test_what_ethtool_says_is_compared_with_the_cell(fixture, on):
    features = fixture("ethtool-7.2/uml-gro-off.txt").decode()
    (check,) = check_gro("left.wire", on, features)
    assert check.passed is not on


def test_a_host_that_says_nothing_of_it_does_not_pass():
    assert not any(check.passed for on in (True, False) for check in check_gro("wire", on, ""))


def test_hosts_are_left_alone_where_a_cell_says_nothing():
    assert receiving_setters(None, None, [WIRE]) == []
    assert list(receiving_provers(None, None, [WIRE])) == []


@pytest.mark.parametrize(("by_flow", "text", "passed"), cases(__file__, "steering_is_proven"))
def test_steering_is_proven(by_flow, text, passed):
    (check,) = check_steering("left", Steering(by_flow=by_flow), text)
    assert check.passed is passed


def test_a_host_forgets_datagrams_that_never_become_whole():
    """Linux forgets them after 30 s."""
    passes, fails = (check_reassembly("client2", said)[0] for said in ("1\n", "30\n"))
    assert passes.passed and passes.kind == "reassembly"
    assert str(fails) == (
        "client2: incomplete datagrams are forgotten after [s]: found 30, expected 1"
    )
