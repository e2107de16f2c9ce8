"""No duration of a leak is printed that its flow cannot tell: a packet is its grain."""

import re

from notebooks.outage.asks import LEAKS, OutageTrials
from notebooks.renewal.asks import RenewalTrials
from notebooks.tunnel_network import asks as tunnels
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SECONDS = re.compile(r"(?<!at most )(?<![0-9.])([0-9.]+)(?: \\[\S+ \S+\\])? s")


def notebook(tmp_path, scenario: str) -> ScenarioNotebook:
    return ScenarioNotebook(f"data/tidy/{scenario}", [], tmp_path / scenario.replace("-", "_"))


def handed(made: ScenarioNotebook) -> dict[str, str]:
    return {name: number["text"] for name, number in made.results._numbers.items()}


def test_leaks_of_outages(tmp_path):
    trials = OutageTrials(notebook(tmp_path, "outage"), "mean")
    trials.hand_over()
    numbers = handed(trials.notebook)
    packets = [
        (name, float(one) * trials.rate(*LEAKS[name]))
        for name in LEAKS
        for one in SECONDS.findall(numbers[f"outage{name}"])
    ]
    assert len(packets) > 5 and [one for one in packets if one[1] < 2] == []
    assert "at most 0.1 s" in numbers["outageAwayTrap"]


def test_leaks_of_renewals_and_restarts(tmp_path):
    renewals = RenewalTrials(notebook(tmp_path, "renewal"), "mean")
    renewals.hand_over()
    made = notebook(tmp_path, "tunnel-network")
    made.summarise("mean")
    tunnels.hand_over(made)
    told = [
        (name, float(text.split()[0]) * rate)
        for numbers, rate in ((handed(renewals.notebook), renewals.rate / 1e3), (handed(made), 100))
        for name, text in numbers.items()
        if re.search("(Near|Middle|Far|Oldest|Restart)Clear$", name) and text != "n/a"
    ]
    assert len(told) > 5 and [one for one in told if one[1] < 2] == []
