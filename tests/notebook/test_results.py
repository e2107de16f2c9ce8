"""Results of notebooks: numbers, tables and charts, with the way back to their estimates."""

import json
import re

import pandas as pd
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import estimate_text
from remeasure.paper.notebook.as_latex import table_rows
from remeasure.paper.notebook.pictures import svg_of
from remeasure.paper.notebook.results import Results
from remeasure.paper.publish.paper_macros import macros, read_numbers


def demo(tmp_path, **values) -> Results:
    """A notebook `demo` that hands these numbers and words over."""
    results = Results(tmp_path / "demo")
    for name, value in values.items():
        if isinstance(value, str):
            results.words(name, value, "made up")
        else:
            results.number(name, value, 1, r"\mega\bit\per\second", "made up")
    results.close()
    return results


def estimate(value: float = 1.25) -> Estimate:
    found = Estimate(value, value - 0.25, value + 0.25, 3)
    return found.measured("ratio of goodput", "goodput", [{"auth": "psk"}], [1, 2, 3])


def test_macros_are_what_the_notebook_said(tmp_path):
    text = macros(read_numbers([demo(tmp_path, Rate=91.55, Day="2026-11-21").folder]))
    assert r"\newcommand{\demoRate}{\qty{91.5}{\mega\bit\per\second}}" in text
    assert r"\newcommand{\demoDay}{2026-11-21}" in text


def test_a_number_without_an_estimate_says_what_it_is(tmp_path):
    results = Results(tmp_path / "demo")
    for hand_over in (
        lambda: results.number("Rate", 1.0),
        lambda: results.number("Rate", Estimate(1.0, 0.9, 1.1, 3)),
        lambda: results.number("Rate", 1.0, made_from=[estimate()]),
        lambda: results.words("Rate", "1.0 [0.9, 1.1]"),
        lambda: results.count("Rate", 1, " "),
    ):
        with pytest.raises(UserError, match="has no source; say in words") as error:
            hand_over()
        assert "\n" not in str(error.value)


def test_a_table_that_has_lost_its_estimates_is_refused(tmp_path):
    results = Results(tmp_path / "demo")
    row = {"suite": "none", "rate": estimate_text(estimate())}
    results.table("kept", pd.DataFrame([row], dtype=object))
    with pytest.raises(UserError, match="column 'rate': the interval .* has lost its estimate"):
        results.table("lost", pd.DataFrame([row]))
    results.table("told", pd.DataFrame([row]), sources={"rate": "the released ledger"})
    with pytest.raises(UserError, match="sources: no column 'n'; known: suite, rate"):
        results.table("other", pd.DataFrame([row], dtype=object), sources={"n": "counted"})


def test_names_are_checked(tmp_path):
    results = Results(tmp_path / "demo")
    results.number("Rate", 1.0, source="made up")
    with pytest.raises(UserError, match="set twice"):
        results.number("Rate", 2.0, source="made up")
    with pytest.raises(UserError, match="letters only"):
        results.number("Rate2", 2.0, source="made up")
    with pytest.raises(UserError, match="in another notebook"):
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "numbers.json").write_text(json.dumps({"demoX": {}}))
        read_numbers([tmp_path / "a", tmp_path / "b"])


def test_table_rows_are_escaped():
    rows = table_rows(pd.DataFrame({"a": ["x_1 & 5 %"], "b": ["−1"]}))
    assert rows == "x\\_1 \\& 5 \\% & $-$1 \\\\\n"


def chart(*values: int) -> dict:
    """A chart whose marks are clipped."""
    return {
        "data": {"values": [{"x": value} for value in values]},
        "mark": {"type": "rule", "clip": True},
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }


def names(svg: str) -> set[str]:
    return set(re.findall(r'(?<=id=")[^"]*', svg))


def test_a_chart_does_not_depend_on_those_before_it():
    """Vega numbers clips from the first chart of a process, and a page with two of one name clips
    both by the first."""
    first, other = svg_of(chart(1, 2)), svg_of(chart(3, 4))
    assert svg_of(chart(1, 2)) == first
    assert names(first) and not names(first) & names(other)
    assert set(re.findall(r"(?<=url\(#)[^)]*", first)) == names(first)


def test_statements_that_no_cell_tests_are_an_error(tmp_path):
    with pytest.raises(UserError, match=r"notebooks/psk_rsa: no cell tests statements of pratama"):
        Results(tmp_path / "psk_rsa").answer()
