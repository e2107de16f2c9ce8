"""How received packets are spread over processors: what is set is proven."""

import pytest

from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.testbed.treatments.steering import Steering, check_steering


@pytest.fixture(scope="module")
def scenario():
    return load_scenario("per-cpu-sas", "paper")


@pytest.mark.parametrize(
    ("by_flow", "text", "passed"),
    [
        (True, "2\n/sys/class/net/wire/queues/rx-0/rps_cpus:3\n", True),
        (True, "2\n/sys/class/net/wire/queues/rx-0/rps_cpus:0\n", False),
        (False, "2\n/sys/class/net/wire/queues/rx-0/rps_cpus:0\n", True),
        (True, "queues 2\nqueues 2\n2\na/rx-0/rps_cpus:0\na/rx-1/rps_cpus:0\n", True),
        (False, "queues 2\nqueues 1\n2\na/rx-0/rps_cpus:0\n", True),
        (False, "queues 2\nqueues 2\n2\na/rx-0/rps_cpus:0\na/rx-1/rps_cpus:0\n", False),
        (True, "queues 0\nqueues 0\n2\na/rx-0/rps_cpus:3\n", True),
        (True, "queues 0\nqueues 0\n2\na/rx-0/rps_cpus:0\n", False),
        (True, "queues n/a\nqueues n/a\n4\na/rx-0/rps_cpus:0,0000000f\n", True),
    ],
)
def test_steering_is_proven(by_flow, text, passed):
    (check,) = check_steering("left", Steering(by_flow=by_flow), text)
    assert check.passed is passed


def test_every_cell_is_steered_and_has_processors(scenario):
    for cell in scenario.all_cells:
        settings = scenario.settings(cell)
        assert settings.steering.by_flow is (cell["steering"] == "by-flow")
        assert settings.cpus == int(cell["cpus"])
        assert (settings.tunnel is None) is (cell["condition"] == "none")
