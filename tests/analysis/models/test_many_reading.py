"""How the memory of many SAs is read."""

import math

import pytest

from notebooks.many_tunnels.reading import (
    LINEAR,
    fit_in_gib,
    kernel_share,
    reading,
    two_digits_down,
)


@pytest.mark.parametrize(
    ("straightness", "says"),
    [
        (0.0, "memory grows in proportion"),
        (LINEAR, "memory grows in proportion"),
        (0.051, "memory does not grow in proportion"),
        (math.nan, "there are too few sizes"),
    ],
)
def test_the_line_is_a_description_or_not(straightness, says):
    assert reading(straightness).startswith(says)


def test_what_fits_in_a_gibibyte():
    assert fit_in_gib(24, 8) == 32768
    assert two_digits_down(32768) == 32000 and two_digits_down(7.9) == 7
    assert math.isnan(two_digits_down(math.nan))
    assert math.isnan(fit_in_gib(0, 0))
    assert math.isnan(fit_in_gib(math.nan, 8))


def test_hosts_in_virtual_time_share_a_kernel():
    assert kernel_share(16) == 8
