"""Paper and notebooks fit together."""

import altair as alt
import pandas as pd
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.paper.notebook import opening_answer
from remeasure.paper.notebook.results import Results
from remeasure.paper.publish.included import check_all_printed, printed_in_paper
from remeasure.paper.publish.paper_macros import read_numbers

CHART = alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(x="x")
TABLE = pd.DataFrame({"a": ["1"]})
WHOLE = r"""
Text \demoRate{} and \demoDay.
\includegraphics[width=\columnwidth]{demo-chart.pdf}
\tablerows{demo-sides}
% \demoOld, \includegraphics{demo-old.pdf} and \tablerows{demo-old} are only in a comment
"""


@pytest.fixture
def printed(tmp_path):
    """Contents of a paper of a text, with a notebook that hands over the parts of WHOLE, and a
    number, a figure and a table named `web`."""
    results = Results(tmp_path / "handed/demo")
    results.words("Day", "2026-11-21", "made up")
    for number in ("Rate", "Web"):
        results.number(number, 1.0, source="made up")
    for figure in ("chart", "web"):
        results.figure(figure, "A chart.", CHART)
    for table in ("sides", "web"):
        results.table(table, TABLE)
    results.close()

    def of(text):
        (tmp_path / "main.tex").write_text(text)
        numbers = read_numbers([results.folder])
        return printed_in_paper([results.folder], numbers, [tmp_path / "main.tex"])

    return of


def test_only_what_the_paper_includes_is_printed(printed):
    found = printed(WHOLE)
    assert sorted(found.numbers) == ["demoDay", "demoRate"]
    assert [figure.name for figure in found.figures] == ["demo-chart.svg"]
    nothing = printed("A paper on something else. \\otherRate")
    assert not nothing.numbers and not nothing.figures


@pytest.mark.parametrize(
    ("included", "written"),
    [
        (r"\demoOld", r"\\demoOld"),
        (r"\includegraphics{demo-old.pdf}", r"\\includegraphics\{demo-old.pdf\}"),
        (r"\tablerows{demo-old}", r"\\tablerows\{demo-old\}"),
    ],
)
def test_what_no_notebook_hands_over_is_named_with_its_line(printed, included, written):
    message = rf"^no notebook hands over results that the paper includes: \S*main.tex:5: {written}$"
    with pytest.raises(UserError, match=message):
        printed(WHOLE.replace("% \\demoOld", f"{included}\n%"))


def test_a_number_that_nothing_prints_is_refused(tmp_path, monkeypatch):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/answer.md").touch()
    monkeypatch.setattr(opening_answer, "NOTEBOOKS", tmp_path)
    numbers = {name: {"text": "1", "source": "made up"} for name in ("demoWeb", "otherRate")}
    check_all_printed(["demo", "other"], numbers, {"demoWeb"})
    with pytest.raises(UserError, match="neither the paper, .* prints demoWeb; hand over only"):
        check_all_printed(["demo", "other"], numbers, {"demoRate"})
