"""Paper and notebooks fit together, for every scenario that the paper has."""

import altair as alt
import pandas as pd
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.paper.notebook import opening_answer
from remeasure.paper.notebook.results import Results
from remeasure.paper.publish.fit import check_paper, check_site
from remeasure.paper.publish.latex import read_numbers
from remeasure.paper.publish.site.sources import names_printed

CHART = alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(x="x")
TABLE = pd.DataFrame({"a": ["1"]})
WHOLE = r"""
Text \demoRate{} and \demoDay.
\includegraphics[width=\columnwidth]{demo-chart.pdf}
\tablerows{demo-sides}
% \demoOld, \includegraphics{demo-old.pdf} and \tablerows{demo-old} are only in a comment
"""


def check(tmp_path, text, **more) -> None:
    """A paper of this text beside a notebook that hands over what WHOLE includes, and `more`:
    name -> number, figure or table."""
    results = Results(tmp_path / "handed/demo")
    results.number("Rate", 1.0, source="made up")
    results.words("Day", "2026-11-21", "made up")
    results.figure("chart", "A chart.", CHART)
    results.table("sides", TABLE)
    results.campaign(TABLE)
    # What is for web and notebook alone is not asked of the paper.
    results.figure("web", "A chart.", CHART, paper=False)
    results.table("web", TABLE, paper=False)
    results.number("Web", 1.0, source="made up", paper=False)
    for name, kind in more.items():
        {
            "number": lambda n: results.number(n, 1.0, source="made up"),
            "figure": lambda n: results.figure(n, "A chart.", CHART),
        }.get(kind, lambda n: results.table(n, TABLE))(name)
    results.close()
    (tmp_path / "main.tex").write_text(text)
    check_paper([results.folder], read_numbers([results.folder]), [tmp_path / "main.tex"])


def test_what_fits_passes(tmp_path):
    check(tmp_path, WHOLE)


@pytest.mark.parametrize(
    ("included", "written"),
    [
        (r"\demoOld", r"\\demoOld"),
        (r"\demoWeb", r"\\demoWeb"),
        (r"\includegraphics{demo-old.pdf}", r"\\includegraphics\{demo-old.pdf\}"),
        (r"\includegraphics{demo-web.pdf}", r"\\includegraphics\{demo-web.pdf\}"),
        (r"\tablerows{demo-old}", r"\\tablerows\{demo-old\}"),
    ],
)
def test_what_no_notebook_hands_over_is_named_with_its_line(tmp_path, included, written):
    message = rf"^the paper includes what no notebook hands over: \S*main.tex:5: {written}$"
    with pytest.raises(UserError, match=message):
        check(tmp_path, WHOLE.replace("% \\demoOld", f"{included}\n%"))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("figure", r"does not include figures \S*demo-Old.pdf\} \(hand it over with paper=False\)"),
        (
            "number",
            r"does not include numbers \\demoOld \(drop it, or hand it over",
        ),
        ("table", r"does not include tables \S*demo-Old\} \(hand it over with paper=False\)"),
    ],
)
def test_what_the_paper_leaves_out_is_named(tmp_path, kind, message):
    with pytest.raises(UserError, match=message):
        check(tmp_path, WHOLE, Old=kind)


def test_a_number_for_the_site_alone_is_printed_there(tmp_path, monkeypatch):
    (tmp_path / "demo.md").touch()
    monkeypatch.setattr(opening_answer, "FOLDER", tmp_path)
    check(tmp_path, WHOLE)
    folder = tmp_path / "handed/demo"
    numbers = read_numbers([folder])
    check_site([folder], numbers, {"demoWeb"})
    with pytest.raises(UserError, match="neither an answer, .* prints demoWeb, which notebooks"):
        check_site([folder], numbers, {"demoRate"})


def test_what_answers_pages_and_the_readme_print_is_found():
    macros = {"receiveoffloadChange", "eapmethodsFarRtt", "claimsTestable", "claimsNowhere"}
    assert names_printed(macros) == macros - {"claimsNowhere"}


def test_a_scenario_without_a_section_is_asked_nothing(tmp_path):
    check(tmp_path, "A paper on something else. \\otherRate")
