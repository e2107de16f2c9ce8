"""Pages of a campaign leave out values that it did not measure."""

import pytest

from remeasure.paper.notebook.measured_text import LOST, measured
from remeasure.paper.publish.findings import filled

CARD = ":::{grid-item-card} %s ms\n:link: guide\nto set up\n:::\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("One {x}. **Two. Three {x}.** Four.\n", "Two. Four.\n"),
        ("- **Which?** It takes {x} ms.\n- **How?** So.\n", "- **How?** So.\n"),
        ("| a | b |\n|---|---|\n| c | {x} |\n| d | 1 |\n", "| a | b |\n|---|---|\n| d | 1 |\n"),
        ("A.\n\n| a |\n|---|\n| {x} |\n", "A.\n\n"),
        (CARD % "{x}" + CARD % 5, CARD % 5),
        ("```\nwindow = {x}\n```\nA.\n", "A.\n"),
        (":::{dropdown} How\nBy {x}.\n:::\n## B\n\nC.\n", "## B\n\nC.\n"),
        ("## A\n\n### B\n\nC {x}.\n\n## D\n\nE.\n", "## D\n\nE.\n"),
        ("## Empty\n\n## As it is\n", "## Empty\n\n## As it is\n"),
    ],
)
def test_what_needs_a_lost_value_is_left_out_and_nothing_else(text, left):
    assert measured(text.replace("{x}", LOST)) == left


def test_only_pages_of_released_results_need_every_name():
    text = "A {{ known }}. B {{ unknown }}.\n"
    assert filled("a.md", text, {"known": "1"}, whole=False) == "A 1.\n"
    with pytest.raises(Exception, match="unknown"):
        filled("a.md", text, {"known": "1"})
