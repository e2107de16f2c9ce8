"""Rates of clocks, from two readings of each."""

import pytest

from remeasure.testbed.watching.clock_rate import Reading, check_rates

BEGIN = Reading(0, 0.010, 0.0005)


def rate(gained: float, passed_s: float, error: float = 0.0005):
    end = Reading(round(1e9 * passed_s), BEGIN.offset_s + gained, error)
    (check,) = check_rates({"gw1": BEGIN}, {"gw1": end})
    return check


@pytest.mark.parametrize(
    ("gained", "passed_s", "error", "passes"),
    [
        (0.0, 5, 0.0005, True),
        (0.0059, 5, 0.0005, True),  # 0.1 % of 5 s, and both errors
        (0.0061, 5, 0.0005, False),
        (-0.0061, 5, 0.0005, False),
        (0.09, 1, 0.0005, False),
        (0.030, 3, 0.030, True),  # a host that answers late tells nothing
        (0.5, 600, 0.0005, True),
        (0.7, 600, 0.0005, False),
    ],
)
def test_a_clock_may_gain_a_thousandth_and_the_errors(gained, passed_s, error, passes):
    assert rate(gained, passed_s, error).passed == passes


def test_the_check_has_the_numbers():
    check = rate(0.45, 5)
    assert str(check) == (
        "gw1: its clock against the measuring machine's: found +9.00% (+0.4500 s in 5.0 s, known "
        "to 0.0010 s), expected at most 0.1%"
    )


def test_a_host_that_was_read_once_is_not_judged():
    assert list(check_rates({"gw1": BEGIN}, {})) == []


def test_where_the_machine_slept_nothing_is_said_of_clocks():
    """A guest's clock stands meanwhile; that the machine slept makes the trial suspect."""
    end = Reading(round(607e9), BEGIN.offset_s - 600, 0.0005, 600.0)
    assert not list(check_rates({"gw1": BEGIN}, {"gw1": end}))
