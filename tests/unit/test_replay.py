"""The prediction for the anti-replay window, against packets that are sent one by one."""

import numpy as np
import pytest

from remeasure.analysis.replay import accepted_share, smallest_window


def simulated_share(window: int, rate: float, jitter: float, loss: float, count: int) -> float:
    """The same by a receiver that keeps the highest number seen."""
    random = np.random.default_rng(1)
    numbers = np.flatnonzero(random.random(count) >= loss)
    arrivals = numbers / rate + random.normal(0, jitter, len(numbers))
    order = numbers[np.argsort(arrivals)]
    highest = np.maximum.accumulate(np.concatenate([[-1], order[:-1]]))
    return float((highest - order < window).mean())


@pytest.mark.parametrize("rate", [900, 9000])
@pytest.mark.parametrize("window", [32, 64, 128, 256, 1024])
@pytest.mark.parametrize("loss", [0, 0.01])
def test_prediction_is_what_happens(window, rate, loss):
    happens = simulated_share(window, rate, 0.02, loss, 200_000)
    assert accepted_share(window, rate, 0.02, loss) == pytest.approx(happens, abs=0.005)


def test_no_window_and_no_jitter_drop_nothing():
    assert accepted_share(0, 9000, 0.02) == 1
    assert accepted_share(32, 9000, 0) == 1


def test_a_wider_window_never_drops_more():
    shares = [accepted_share(2**n, 9000, 0.02) for n in range(5, 13)]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_smallest_window():
    window = smallest_window(0.999, 9000, 0.02)
    assert accepted_share(window, 9000, 0.02) >= 0.999 > accepted_share(window // 2, 9000, 0.02)
