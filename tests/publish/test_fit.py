"""Paper and notebooks fit together in both directions, for every scenario that the paper has."""

import altair as alt
import pandas as pd
import pytest

from remeasure.errors import UserError
from remeasure.publish.fit import check_paper
from remeasure.publish.latex import read_numbers
from remeasure.publish.results import Results

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
        ("number", r"does not include numbers \\Old \(drop it from the notebook\)"),
        ("figure", r"does not include figures \S*demo-Old.pdf\} \(hand it over with paper=False\)"),
        ("table", r"does not include tables \S*demo-Old\} \(hand it over with paper=False\)"),
    ],
)
def test_what_the_paper_leaves_out_is_named(tmp_path, kind, message):
    with pytest.raises(UserError, match=message.replace(r"\\Old", r"\\demoOld")):
        check(tmp_path, WHOLE, Old=kind)


def test_a_scenario_without_a_section_is_asked_nothing(tmp_path):
    check(tmp_path, "A paper on something else. \\otherRate")
