"""The prediction for the anti-replay window, against packets that are sent one by one."""

import numpy as np
import pytest

from notebooks.replay_window.model import Extent, too_narrow
from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.bench.testbed.treatments.shaping import Netem, parse_netem
from remeasure.paper.analysis.models.window_acceptance import (
    accepted_share,
    needed_window,
    predicted_share,
    settable_window,
)


def simulated_share(window: int, rate: float, jitter: float, loss: float, count: int) -> float:
    """The share by a receiver that keeps the highest number seen."""
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


@pytest.mark.parametrize("rate", [900, 9000])
def test_needed_window_is_the_smallest_that_is_enough(rate):
    window = needed_window(0.999, rate, 0.02)
    assert accepted_share(window, rate, 0.02) >= 0.999 > accepted_share(window - 1, rate, 0.02)


@pytest.mark.parametrize(
    ("needed", "window"),
    [
        (1, 32),
        (32, 32),
        (33, 64),
        (2048.5, LARGEST_WINDOW),
        (LARGEST_WINDOW, LARGEST_WINDOW),
        (LARGEST_WINDOW + 1, None),
    ],
)
def test_no_window_is_advised_that_linux_does_not_take(needed, window):
    assert settable_window(needed) == window


def test_behind_netem_jitter_and_loss_are_those_it_was_told():
    told = parse_netem("delay 100ms 20ms distribution normal loss random 1%")
    assert predicted_share(32, 9000, told) == accepted_share(32, 9000, 0.02, 0.01)
    assert predicted_share(32, 9000, parse_netem("delay 100ms 20ms rate 1gbit")) == 1
    assert predicted_share(32, 9000, Netem()) == 1


def test_a_late_packet_is_dropped_by_windows_that_it_fell_out_of():
    late = Extent(source="a", path="b", url="c", packets=23, per_second=500, says="d")
    assert late.at(5000) == 230 and too_narrow(late.at(5000), (32, 1024)) == "32"
    unknown = late.model_copy(update={"per_second": None, "packets": 32})
    assert unknown.at(5000) == 32 and too_narrow(32, (32, 33)) == "32"
    assert too_narrow(31, (32,)) == "none"
