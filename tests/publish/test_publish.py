"""Numbers and paper fit together; the lock and the conda form are the same set."""

import json
import re

import pandas as pd
import pytest
import yaml

from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.publish.latex import check_macros, macros, read_numbers, table_rows
from remeasure.publish.pdf import pdf_of
from remeasure.publish.results import Results
from remeasure.publish.tables import interval_text, number_text, p_text


@pytest.fixture
def paper(tmp_path):
    source = tmp_path / "main.tex"
    source.write_text("Text \\demoRate{} and \\demoDay.\n% \\demoOld is only in a comment\n")
    return source


def numbers(tmp_path, **values):
    results = Results(tmp_path / "handed", "demo")
    for name, value in values.items():
        if isinstance(value, str):
            results.words(name, value)
        else:
            results.number(name, value, 1, r"\mega\bit\per\second")
    results.close()
    return read_numbers([tmp_path / "handed" / "numbers.json"])


def test_macros_are_what_the_notebook_said(tmp_path, paper):
    found = numbers(tmp_path, Rate=91.55, Day="2026-11-21")
    check_macros(found, ["demo"], [paper])
    text = macros(found)
    assert r"\newcommand{\demoRate}{\qty{91.5}{\mega\bit\per\second}}" in text
    assert r"\newcommand{\demoDay}{2026-11-21}" in text


def test_an_undefined_number_fails(tmp_path, paper):
    with pytest.raises(UserError, match=r"main.tex:1: \\demoDay"):
        check_macros(numbers(tmp_path, Rate=1.0), ["demo"], [paper])


def test_an_unused_number_fails(tmp_path, paper):
    with pytest.raises(UserError, match=r"does not use: \\demoOld"):
        check_macros(numbers(tmp_path, Rate=1.0, Day="x", Old=2.0), ["demo"], [paper])


def test_names_are_checked(tmp_path):
    results = Results(tmp_path, "demo")
    results.number("Rate", 1.0)
    with pytest.raises(UserError, match="set twice"):
        results.number("Rate", 2.0)
    with pytest.raises(UserError, match="letters only"):
        results.number("Rate2", 2.0)
    with pytest.raises(UserError, match="in another notebook"):
        for name in ("a", "b"):
            (tmp_path / name).write_text(json.dumps({"demoX": {}}))
        read_numbers([tmp_path / "a", tmp_path / "b"])


def test_no_number_is_minus_zero(tmp_path):
    assert Results(tmp_path, "demo").number("Zero", -0.001, 1) == "0.0"
    assert Results(tmp_path, "demo").number("None", float("nan"), 1) == "n/a"


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
    Results(tmp_path, "demo").figure("chart", chart)
    pdf = (tmp_path / "figures/demo-chart.pdf").read_bytes()
    svg = (tmp_path / "figures/demo-chart.svg").read_text()
    assert {pdf_of(svg) for _ in range(8)} == {pdf}
