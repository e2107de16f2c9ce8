"""Predictions for packets that wait, and their counterparts."""

import pytest

from remeasure.bench.campaign.scenario import load_scenario
from remeasure.paper.analysis.models.queue_reordering import (
    Queue,
    Sent,
    law_of,
    needed_window,
    refused_behind_paths,
    refused_behind_queue,
)

QUEUE = Queue(rate_bytes=12.5e6, queue_s=0.01, burst_bytes=3200, frame_bytes=1346, favoured=0.1)
FLOW = Sent(packets=9751, per_second=9751)


def test_a_packet_that_waits_for_fewer_than_a_window_passes():
    assert refused_behind_paths(Sent(1000, 1000), 0.0319, 32).refused == 0
    assert refused_behind_paths(Sent(1000, 1000), 0.032, 32).refused == (1000 - 32) / 2


def test_a_queue_is_a_cliff():
    waits = QUEUE.wait_s(FLOW)
    assert waits == pytest.approx(0.01 / (1 - 1.05 * 0.1), rel=1e-3)
    behind = waits * FLOW.per_second
    refused = {w: refused_behind_queue(FLOW, QUEUE, w).refused for w in (32, 64, 108, 109, 1024)}
    assert refused[108] > 0.6 * FLOW.packets and behind == pytest.approx(109, abs=0.1)
    assert refused[1024] == refused[109] == 0
    assert list(refused.values()) == sorted(refused.values(), reverse=True)


@pytest.mark.parametrize(
    "queue", [QUEUE._replace(favoured=0), QUEUE._replace(rate_bytes=12.5e6 * 1.06)]
)
def test_without_a_favoured_class_or_a_full_link_nobody_is_overtaken(queue):
    assert refused_behind_queue(FLOW, queue, 32).refused == 0


def test_a_needed_window_is_a_power_of_two_above_what_overtakes():
    assert needed_window(0.01, 3100) == 32
    assert needed_window(0.01, 3200) == 64
    assert needed_window(0.011, 95_000) == 2048
    assert needed_window(0.1, 95_000) is None


@pytest.mark.parametrize(
    ("rate", "cause", "probe", "behind"),
    [
        ("100", "paths-10ms", "large", 92.87),
        ("100", "priority", "small", 492.1),
        ("1000", "priority", "large", 1089.5),
        ("10", "priority-90", "small", 0),
        ("100", "none", "large", 0),
    ],
)
def test_the_law_reads_the_scenario(rate, cause, probe, behind):
    scenario = load_scenario("reordering-causes", "quick")
    law = law_of(scenario.settings_where(rate=rate, cause=cause), probe, 32)
    assert law.predicted.behind == pytest.approx(behind, abs=0.1)


@pytest.mark.parametrize("rate", ["10", "100", "1000"])
@pytest.mark.parametrize(("probe", "frame"), [("large", 1346), ("small", 298)])
def test_rates_of_the_scenario_fill_its_links(rate, probe, frame):
    """The scenario's datagrams per second, times the frame of its suite, are the link's rate."""
    scenario = load_scenario("reordering-causes", "quick")
    settings = scenario.settings_where(rate=rate, cause="none")
    if probe in settings.probes:
        bits = law_of(settings, probe, 32).sent.per_second * frame * 8
        assert bits == pytest.approx(1.05 * float(rate) * 1e6, rel=1e-3)
