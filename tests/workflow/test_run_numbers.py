"""No number in print is a count of packets, or a share of a run's packets, without the duration or
the rate of that run in its sentence."""

import json

import yaml
from run_numbers import faults, printed, read_numbers, sentences_of

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.findings import FINDINGS


def test_no_number_in_print_belongs_to_a_run(built_project):
    numbers = read_numbers(built_project.folder / "results/handed")
    found = list(sentences_of(ROOT, FINDINGS))
    assert sum("«" in sentence for _, sentence in found) > 300
    assert {
        f"{file}: {printed(sentence, numbers)}": wrong
        for file, sentence in found
        if (wrong := faults(sentence, numbers))
    } == {}


def test_the_chart_of_outages_has_every_cause(built_project):
    chart = (built_project.folder / "results/handed/outage/figures/outage-clear.json").read_text()
    drawn = {row["column"] for rows in json.loads(chart)["datasets"].values() for row in rows}
    causes = yaml.safe_load((ROOT / "notebooks/outage/scenario.yaml").read_text())["factors"][
        "cause"
    ]
    assert len(drawn) == len(causes)
