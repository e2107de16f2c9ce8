"""What notebooks hand over; the lock and the conda form are the same set."""

import json
import re

import pandas as pd
import pytest
import yaml

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.lineage import forget_all, remember
from remeasure.analysis.texts import interval_text, number_text, p_text
from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.publish.latex import macros, read_numbers, table_rows
from remeasure.publish.pdf import pdf_of
from remeasure.publish.results import Results


def demo(tmp_path, **values) -> Results:
    """A notebook `demo` that hands these numbers and words over."""
    results = Results(tmp_path / "demo")
    for name, value in values.items():
        if isinstance(value, str):
            results.words(name, value)
        else:
            results.number(name, value, 1, r"\mega\bit\per\second")
    results.close()
    return results


def test_macros_are_what_the_notebook_said(tmp_path):
    text = macros(read_numbers([demo(tmp_path, Rate=91.55, Day="2026-11-21").folder]))
    assert r"\newcommand{\demoRate}{\qty{91.5}{\mega\bit\per\second}}" in text
    assert r"\newcommand{\demoDay}{2026-11-21}" in text


def test_a_number_that_is_an_estimate_knows_where_it_is_from(tmp_path):
    forget_all()  # another test of this process may have an estimate of the same value
    estimate = Estimate(1.25, 1.0, 1.5, 3)
    remember(estimate, "ratio of goodput", "goodput", [{"auth": "psk"}], [1, 2, 3])
    results = demo(tmp_path, Ratio=1.25, Interval=interval_text(1.25, 1.0, 1.5))
    results.number("Count", 7, 0, source="counted")
    results.close()
    sources = {name: one["source"] for name, one in read_numbers([results.folder]).items()}
    assert sources == {
        "demoRatio": "ratio of goodput",
        "demoInterval": "ratio of goodput",
        "demoCount": "counted",
    }


def test_names_are_checked(tmp_path):
    results = Results(tmp_path / "demo")
    results.number("Rate", 1.0)
    with pytest.raises(UserError, match="set twice"):
        results.number("Rate", 2.0)
    with pytest.raises(UserError, match="letters only"):
        results.number("Rate2", 2.0)
    with pytest.raises(UserError, match="in another notebook"):
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "numbers.json").write_text(json.dumps({"demoX": {}}))
        read_numbers([tmp_path / "a", tmp_path / "b"])


def test_no_number_is_minus_zero(tmp_path):
    assert Results(tmp_path / "demo").number("Zero", -0.001, 1) == "0.0"
    assert Results(tmp_path / "demo").number("None", float("nan"), 1) == "n/a"


def test_text_of_numbers():
    assert number_text(0.1234) == "0.123"
    assert number_text(1234.5) == "1234"
    assert interval_text(1.0, 0.9, float("nan")) == "1.00"
    assert interval_text(12.34, 11.9, 12.81) == "12.3 [11.9, 12.8]"
    assert p_text(0.0004) == "<0.001"


def test_table_rows_are_escaped():
    rows = table_rows(pd.DataFrame({"a": ["x_1 & 5 %"], "b": ["−1"]}))
    assert rows == "x\\_1 \\& 5 \\% & $-$1 \\\\\n"


CONDA_NAMED = [
    "jupyterlab",
    "papermill",
    "pandas",
    "pingouin",
    "statsmodels",
    "altair",
    "fabric",
    "snakemake",
]


def test_conda_form_equals_the_lock():
    text = (ROOT / "env/requirements.lock").read_text()
    lock = dict(re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", text, flags=re.M))
    document = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = dict(entry.split("=") for entry in document["dependencies"] if "=" in entry)
    for package in CONDA_NAMED:
        assert conda[package] == lock[package], package


def test_no_notebook_has_outputs():
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None, path


def test_a_chart_is_always_the_same_bytes(tmp_path):
    import altair as alt

    chart = (
        alt.Chart(pd.DataFrame({"x": range(9), "c": list("abcabcabc")}))
        .mark_point(opacity=0.4)
        .encode(x="x", color="c")
        .facet("c")
    )
    Results(tmp_path / "demo").figure("chart", "A chart.", chart)
    pdf = (tmp_path / "demo/figures/demo-chart.pdf").read_bytes()
    svg = (tmp_path / "demo/figures/demo-chart.svg").read_text()
    assert {pdf_of(svg) for _ in range(8)} == {pdf}
