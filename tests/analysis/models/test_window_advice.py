"""The advised window, and packets that leave unevenly, against captures behind a network that
reorders."""

from itertools import pairwise

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
from remeasure.paper.analysis.models.window_advice import (
    ALLOWED,
    DELAYS,
    WINDOWS,
    Advice,
    Passed,
    Traffic,
    advise,
    line_rate,
    needed,
)

ENDLESS = 1e9
"""line rate of a port that limits no burst [Mbit/s]"""
PASSED = [
    Passed(Traffic("jitter", 50, 1400, 20), 1024),
    Passed(Traffic("queue", 975, 1250, 11.17), 4096),
    Passed(Traffic("skew", 92.87, 1250, 10), 128),
]
QUEUE = Traffic("queue", 1000, 1400, 11.2)


def advised(path, rate, delay, line=None, passed=(), size=1400):
    return advise(Traffic(path, rate, size, delay, line), passed)


def test_no_burst_is_faster_than_the_port():
    """At 1 Gbit/s a port of 1 Gbit/s sends evenly, and one of 10 Gbit/s in bursts."""
    assert [line_rate(rate) for rate in (1, 100, 100.1, 2e5)] == [100, 100, 1000, 2e5]
    assert needed(QUEUE) == 1001
    assert advise(QUEUE) == Advice(1024)
    assert advised("queue", 1000, 11.2, 1e4) == Advice(WINDOWS[-1], "widest")
    assert advised("jitter", 1000, 5) == Advice(4096) and not advised("jitter", 1000, 5, 1e4).window
    for path in ("jitter", "skew"):
        by_port = [needed(Traffic(path, 100, 1400, 5, line)) for line in (100, 200, 1e3, ENDLESS)]
        assert by_port == sorted(by_port) and by_port[1] == pytest.approx(2 * by_port[0], abs=1)


@pytest.mark.parametrize("passed", PASSED[1:])
@pytest.mark.parametrize("times", [0.81, 1, 1.24])
@pytest.mark.parametrize("line", [None, ENDLESS])
def test_near_a_window_that_passed_no_narrower_one_is_advised(passed, times, line):
    near = passed.traffic
    found = advised(near.path, near.rate * times, near.delay * times, line, PASSED, near.size)
    assert found.window >= passed.window and found.source != "beyond"


def test_what_passed_is_told_from_what_is_modelled():
    assert advise(QUEUE, PASSED) == Advice(4096, "tested")
    assert advised("queue", 1000, 11.2, 1e4, PASSED) == Advice(WINDOWS[-1], "widest")
    assert advised("queue", 1000, 60, 1e4, PASSED) == Advice(None, "beyond")
    assert advised("skew", 92.87, 10, ENDLESS, PASSED, 1250) == Advice(1024)
    assert advised("none", 1000, 11) == advised("queue", 1000, 0) == Advice(WINDOWS[0], "order")


def test_a_measurement_behind_jitter_bounds_the_advice_nearby():
    def at(rate, delay):
        return advised("jitter", rate, delay, ENDLESS, PASSED)

    assert at(50, 20) == Advice(1024, "measured") and str(at(50, 20)) == "1024*"
    assert advised("jitter", 49, 20, ENDLESS) == Advice(2048)
    assert at(49, 20) == at(49, 15) == Advice(1024, "bounded")
    # Faster behind less jitter: nothing follows.
    assert at(100, 1) == advised("jitter", 100, 1, ENDLESS)
    assert at(500, 50) == Advice(None, "beyond")


@pytest.mark.parametrize("path", ["jitter", "skew"])
@pytest.mark.parametrize("line", [None, 1000, ENDLESS])
@pytest.mark.parametrize("rate", [3, 100, 1000])
def test_a_longer_delay_needs_no_narrower_window(path, line, rate):
    delays = np.union1d(DELAYS, np.geomspace(0.001, 200, 50))
    windows = [advised(path, rate, delay, line).window or np.inf for delay in delays]
    assert all(shorter <= longer for shorter, longer in pairwise(windows))
    assert windows[0] < windows[-1]


def test_behind_two_paths_the_advised_window_passes_what_was_captured():
    """Packets of a captured run, each sent on one of two paths at random."""
    skew, random = 5.0, np.random.default_rng(1)
    for run in captured_runs():
        arrival = run.sent + skew / 1e3 * random.integers(0, 2, len(run.sent))
        behind = places_behind(np.argsort(arrival, kind="stable"))
        rate = run.packets_per_second * 8 / 1e6
        window = advised("skew", rate, skew, ENDLESS, size=1).window
        assert (behind >= window).mean() <= ALLOWED
        # A packet on the slower path has everything that left within the skew before it, or next to
        # it.
        assert (behind >= run.packets_per_second * skew / 4e3).any()


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
