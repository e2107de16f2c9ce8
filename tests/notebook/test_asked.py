"""Questions as data: where levels go, and which fields of a table are empty."""

import pandas as pd
import pytest

from remeasure.paper.analysis import texts
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Origin, Quoted
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import at, each
from remeasure.paper.notebook.opening_answer import read_answer
from remeasure.paper.publish.findings import filled

RATE = {"metric": "goodput"}
OVER_PLAIN = {**RATE, "quantity": "ratio", "to": {"suite": "none"}}


@pytest.mark.parametrize(
    ("question", "placed"),
    [
        (at(RATE, suite="aes"), {**RATE, "where": {"suite": "aes"}}),
        (at(OVER_PLAIN, suite="aes"), {**OVER_PLAIN, "of": {"suite": "aes"}}),
        (
            at(at(OVER_PLAIN, suite="aes"), load="full"),
            {**OVER_PLAIN, "of": {"suite": "aes"}, "where": {"load": "full"}},
        ),
    ],
)
def test_a_level_goes_where_the_question_compares_it(question, placed):
    assert asked.placed(question) == placed


class Answers:
    """Trials of which every estimate is 2."""

    summaries = pd.DataFrame(
        {"metric": "goodput", "suite": ["aes", "none", "aes"], "value": [2.0, 3.0, 4.0]}
    )

    def estimate(self, *parts, **fields):
        return Estimate(2.0, 1.0, 3.0, 5)


def test_a_field_that_compares_cells_with_themselves_is_empty():
    suites = each("suite", ["none", "aes"])
    columns = {"rate": RATE, "over none": OVER_PLAIN, "suite's name": str.upper}
    table = asked.table(Answers(), "suite", suites, columns)
    assert table.to_numpy().tolist() == [
        ["none", "2.0 [1.0, 3.0]", "", "NONE"],
        ["aes", "2.0 [1.0, 3.0]", "2.0 [1.0, 3.0]", "AES"],
    ]


def test_faint_marks_are_the_trials_of_each_question():
    suites = each("suite", ["aes", "none"])
    found = asked.values(Answers(), suites, {"rate": {}}, **RATE, scale=10)
    assert found.to_numpy().tolist() == [
        ["aes", "rate", 20.0], ["none", "rate", 30.0], ["aes", "rate", 40.0],
    ]  # fmt: skip


def test_counts_are_whole_numbers():
    texts = "73.0", "0.100", "12.5", "8753", "n/a"
    assert [asked.whole(Quoted(text)) for text in texts] == ["73", "0.100", "12.5", "8753", "n/a"]


class Costs:
    """Trials in which suites cost so much, and ratios have so wide intervals."""

    def __init__(self, half: float, **costs: float):
        self._half, self._costs = half, costs

    def estimate(self, question):
        value = self._costs[question["at"]["suite"]]
        if "to" in question:
            ratio = value / self._costs[question["to"]["suite"]]
            return Estimate(ratio, ratio - self._half, ratio + self._half, 5)
        return Estimate(value, value, value, 5)


@pytest.mark.parametrize(
    ("half", "expected"), [(0.05, ["gcm"]), (0.15, ["gcm", "cbc"]), (float("nan"), [])]
)
def test_the_cheapest_are_those_that_are_not_shown_to_cost_more(half, expected):
    trials = Costs(half, cbc=1.1, gcm=1.0, des=9.0)
    assert asked.cheapest(trials, RATE, "suite", ["cbc", "gcm", "des"]) == expected


class Rates(Answers):
    """Trials in which one suite has a rate above 1000 Mbit/s."""

    summaries = Answers.summaries.assign(value=[187.0, 2762.0, 187.0])
    origin = Origin("goodput", 2762, 2700, 2800, 5)

    def estimate(self, *parts, **fields):
        slow = parts[-1]["where"]["suite"] == "aes" if "where" in parts[-1] else False
        return Estimate(187, 180, 190, 5) if slow else Estimate(2762, 2700, 2800, 5, self.origin)

    def unit(self, metric):
        return "Mbit/s"


@pytest.mark.parametrize("larger", [{}, {"Mbit/s": (3, "Gbit/s")}])
def test_one_line_chooses_the_unit_of_tables_charts_answers_and_pages(
    monkeypatch, tmp_path, larger
):
    monkeypatch.setattr(texts, "LARGER", larger)
    suites, unit = each("suite", ["none", "aes"]), "Gbit/s" if larger else "Mbit/s"
    table = asked.table(Rates(), "suite", suites, {"goodput, Mbit/s": RATE})
    fast, slow = "2762 [2700, 2800]", "187 [180, 190]"
    if larger:
        fast, slow = "2.762 [2.700, 2.800]", "0.187 [0.180, 0.190]"
    assert table.to_dict("list") == {"suite": ["none", "aes"], f"goodput, {unit}": [fast, slow]}
    assert table.iloc[0, 1].origins == (Rates.origin,)
    chart = asked.chart(
        Rates(), {"goodput": RATE}, suites, legend="suite", x_title="goodput ({unit})"
    ).to_dict()
    axis = chart["layer"][-1]["encoding"]["x"]
    assert axis["title"] == f"goodput ({unit})" and ("1e3" in str(axis)) == bool(larger)
    head = "question: q\nvalid_for: v\nnot_for: n\ngroup: cipher\n"
    (tmp_path / "answer.md").write_text(f"---\n{head}---\n{{Gcm}} Mbit/s, not 187 Mbit/s.\n")
    said = f"{fast} {unit}, not 187 Mbit/s."
    words = {"Gcm": "2762 [2700, 2800]"}
    assert read_answer(tmp_path / "answer.md", words).short == said
    assert filled("page.md", "{{ Gcm }} Mbit/s, not 187 Mbit/s.", words) == said
