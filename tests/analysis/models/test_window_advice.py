"""Which window is advised: what was measured first, and a grid that says what the model says."""

import numpy as np
import pytest

from remeasure.analysis.models import two_paths
from remeasure.analysis.models.departures import captured_runs, places_behind
from remeasure.analysis.models.window_advice import (
    ALLOWED,
    WINDOWS,
    Advice,
    Enough,
    advise,
    bounded,
    highest_rate,
    highest_rates,
)

NEARBY = [Enough(4500, 0.02, 1024)]


def test_what_was_measured_is_advised():
    assert advise(4500, 0.02, NEARBY) == Advice(1024, True)
    assert str(advise(4500, 0.02, NEARBY)) == "1024*"


def test_a_measurement_bounds_the_advice_nearby():
    """The model alone asks for 2048 a little below, and might ask for less above."""
    assert advise(4400, 0.02) == Advice(2048)
    assert advise(4400, 0.02, NEARBY) == advise(4400, 0.015, NEARBY) == Advice(1024)
    assert bounded(256, 4600, 0.02, NEARBY) == 1024
    # Faster behind less jitter: nothing follows.
    assert bounded(256, 9000, 0.001, NEARBY) == 256
    assert bounded(None, 9000, 0.05, NEARBY) is None


@pytest.mark.parametrize(("window", "jitter_s"), [(64, 0.001), (512, 0.005), (4096, 0.02)])
def test_the_advice_changes_at_the_highest_rate(window, jitter_s):
    rate = highest_rate(window, jitter_s)
    assert advise(rate * 0.998, jitter_s).window == window
    wider = advise(rate * 1.002, jitter_s).window
    assert wider == (2 * window if window < WINDOWS[-1] else None)


def test_less_jitter_asks_for_no_wider_window():
    """By the model itself 0.1 ms would ask for more than 1 ms."""
    assert highest_rate(WINDOWS[0], 0.0001) < highest_rate(WINDOWS[0], 0.001)
    rates = highest_rates([0.0001, 0.001, 0.02])
    assert (np.diff(rates, axis=0) <= 0).all() and (np.diff(rates, axis=1) > 0).all()


def test_behind_two_paths_the_advised_window_passes_what_was_captured():
    """Packets of a captured run, each sent on one of two paths at random."""
    skew_s, random = 0.005, np.random.default_rng(1)
    for run in captured_runs():
        arrival = run.sent + skew_s * random.integers(0, 2, len(run.sent))
        behind = places_behind(np.argsort(arrival, kind="stable"))
        advised = two_paths.advise_for_skew(run.packets_per_second, skew_s).window
        assert (behind >= advised).mean() <= ALLOWED
        # A packet on the slower path has all that left within the skew before it, or next to it.
        assert (behind >= run.packets_per_second * skew_s / 4).any()


def test_a_skew_costs_its_share_of_the_rate():
    """Twice the rate asks for twice the window; the default bridges a skew of a few packets."""
    assert two_paths.advise_for_skew(100, 0.001).window == WINDOWS[0]
    rates = two_paths.highest_rates([0.001, 0.02])
    assert rates[:, 1:] / rates[:, :-1] == pytest.approx(2, rel=0.04)
    assert two_paths.advise_for_skew(rates[1, -1] * 1.01, 0.02) == Advice(None)
