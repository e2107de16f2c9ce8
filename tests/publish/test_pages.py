"""A notebook as a page: its contents, its folds, and its order."""

import re
from pathlib import Path

import pandas as pd
import pytest
from cases import cases
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from remeasure.bench.base.errors import UserError
from remeasure.paper.notebook.opening_answer import read_answer
from remeasure.paper.notebook.pictures import figure_html, table_html
from remeasure.paper.publish.execution.executed import arranged
from remeasure.paper.publish.notebook_files import _kept
from remeasure.paper.publish.page.render import page_html

NAN = float("nan")
SVG = '<svg width="80" height="40" viewBox="0 0 80 40"><path d="M0 0"/></svg>'


def output(kind: str, html: str):
    return new_output(kind, data={"text/html": html, "text/plain": "plain"})


@pytest.fixture
def executed():
    cells = [
        new_markdown_cell("# A question"),
        new_code_cell("out = 'x'", metadata={"tags": ["parameters"]}),
        new_code_cell("plumbing = 1"),
        new_code_cell("a_table", outputs=[output("execute_result", '<table id="t"></table>')]),
        new_code_cell("a_chart(\n1,\n2\n)", outputs=[output("display_data", '<p id="f"></p>')]),
    ]
    place = new_output("display_data", data={"text/markdown": ""})
    answer = new_code_cell(
        "answer_here()",
        metadata={"tags": ["answer"], "papermill": {"start_time": "now"}},
        outputs=[output("display_data", '<p id="a">Yes.</p>'), place],
    )
    cells.insert(1, answer)
    return arranged(new_notebook(cells=cells, metadata={"papermill": {"duration": 1}}))


def test_the_answer_stands_first_without_its_code(executed):
    page = page_html(executed)
    assert "<title>A question</title>" in page
    places = [page.index(part) for part in ("<h1", 'id="a"', "Show all", 'id="t"', 'id="f"')]
    assert places == sorted(places)
    assert "answer_here" not in page and len(executed.cells[1].outputs) == 1


def test_long_code_is_folded_and_plumbing_left_out_and_nobody_is_asked(executed):
    page = page_html(executed)
    assert re.findall(r'<div class="code(.*?)">', page) == ["", " folded"] and "a_table" in page
    assert "plumbing" not in page and "out = " not in page
    assert "http" not in page and "<script" not in page
    assert "papermill" not in str(executed), "when it ran"


def test_a_figure_has_the_first_sentence_of_its_caption_as_title():
    assert figure_html("one", "pskrsa-ratios", SVG, "A is 1.5 & B. More.") == (
        '<figure class="chart" id="one" data-chart="pskrsa-ratios">\n'
        '<p class="title" id="one-title">A is 1.5 &amp; B.</p>\n'
        '<svg width="130" height="65" viewBox="0 0 80 40" role="img" '
        'aria-labelledby="one-title one-says"><path d="M0 0"/></svg>\n'
        '<figcaption id="one-says">More.</figcaption>\n</figure>'
    )


def test_a_figure_in_the_repository_is_a_picture_between_title_and_caption(tmp_path):
    svg = SVG.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"')
    shown = output("display_data", figure_html("one", "", svg, "A & B. More."))
    title, picture, caption = _kept(shown, tmp_path, interactive=True)
    assert title.data == {"text/markdown": "**A & B.**"}
    assert list(picture.data) == ["image/png"]
    assert caption.data == {"text/markdown": "More."}


def test_a_table_has_no_column_of_row_numbers():
    table = pd.DataFrame({"a": [1.5, None]})
    assert "<th>0</th>" not in table_html(table) and "NaN" not in table_html(table)
    assert "<th>x</th>" in table_html(table.set_axis(["x", "y"]))
    assert "<th>5</th>" not in table_html(pd.DataFrame({"a": [1, 2]}, index=[3, 5]))
    parts = pd.concat({"part": pd.DataFrame({"a": [1, 2]}, index=[3, 5])}, names=["of"])
    assert "part" in table_html(parts) and "<th>5</th>" not in table_html(parts)
    assert table_html(table[:0]) == "<p>(none)</p>"


def test_a_table_has_names_and_digits_for_people():
    table = pd.DataFrame(
        {"p_t": [0.00012345], "count": [3.0], "IKE_SA": [1234.567], "held_back": [True]},
        index=pd.Index(["psk"], name="auth"),
    )
    fields = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table_html(table))
    assert list(filter(None, fields)) == [
        *("p, t test", "count", "IKE_SA", "held back", "authentication"),
        *("psk", "&lt;0.001", "3", "1235", "yes"),
    ]


def test_an_estimate_in_a_table_is_one_text():
    names = ["diff", "diff_low", "diff_high", "low", "value", "high", "low_price"]
    rows = [[4.31, 2.087, 6.533, 0.99998, 1.00002, 1.00007, 2], [1, 1, 1, NAN, 0.5, NAN, 3]]
    table = pd.DataFrame(rows, columns=names, dtype=float)
    fields = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table_html(table))
    assert fields == [
        *("difference [95 % interval]", "value [95 % interval]", "low price"),
        *("4.3 [2.1, 6.5]", "1.00002 ± 0.00005", "2"),
        *("1", "0.500", "3"),
    ]


ANSWER = Path(__file__).with_name("made-up-answer.md").read_text()


def test_an_answer_has_its_numbers(tmp_path):
    path = tmp_path / "answer.md"
    path.write_text(ANSWER)
    answer = read_answer(path, {"Time": "4.3"})
    assert (answer.short, answer.more, answer.figure) == ("It takes 4.3 ms.", "More.", "ratios")
    shown = answer.markdown()
    assert shown.startswith("**Does it?**\n\nIt takes 4.3 ms.\n\nMore.\n\n**Valid for** here.")
    assert "> Security comes first" in shown


@pytest.mark.parametrize(("change", "says"), cases(__file__, "a_wrong_answer_is_one_line"))
def test_a_wrong_answer_is_one_line(tmp_path, change, says):
    path = tmp_path / "answer.md"
    path.write_text(ANSWER.replace(*change))
    with pytest.raises(UserError) as error:
        read_answer(path, {"Time": "4.3"})
    assert str(path) in str(error.value) and says in str(error.value)
