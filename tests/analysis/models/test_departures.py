"""Packets that leave unevenly, against captures behind a network that reorders."""

import numpy as np
import pytest

from remeasure.paper.analysis.models.departures import (
    CapturedRun,
    captured_runs,
    passed_share,
    places_behind,
    predicted_share,
    widening,
)

JITTER_S = 0.02


@pytest.fixture(scope="module")
def runs() -> list[CapturedRun]:
    return captured_runs()


def even(rate: float, count: int = 30_000) -> CapturedRun:
    return CapturedRun(1, "", np.arange(count) / rate, np.arange(count))


def test_a_receiver_counts_from_the_highest_number():
    order = np.array([0, 3, 1, 2, 5, 4])
    assert places_behind(order).tolist() == [-1, -3, 2, 1, -2, 1]
    assert passed_share(order, 2) == pytest.approx(5 / 6)
    assert passed_share(order, 3) == 1


@pytest.mark.parametrize("window", [32, 128, 256, 512, 1024])
def test_departures_that_were_captured_predict_what_passes(runs, window):
    """Within 3 points in every run, and 1 on average; also for dropped packets, at any width."""
    passes = np.array([passed_share(run.arrived, window) for run in runs])
    predicted = np.array([predicted_share(run, window, JITTER_S) for run in runs])
    assert predicted == pytest.approx(passes, abs=0.03)
    assert predicted.mean() == pytest.approx(passes.mean(), abs=0.01)
    assert (1 - predicted).mean() == pytest.approx((1 - passes).mean(), rel=0.15)


def test_bursts_need_a_wider_one():
    """Of packets of 50 ms that leave at once, a jitter of 1 ms can mix only one burst: its number
    decides."""
    run = even(9000)
    bursts = CapturedRun(1, "", np.floor(run.sent / 0.05) * 0.05, run.arrived)
    assert widening(bursts, 0.999, 0.001) * 45 == pytest.approx(450, rel=0.1)
    assert predicted_share(bursts, 1024, JITTER_S) < predicted_share(run, 1024, JITTER_S)
