"""Counts in sentences: none and one in words."""

import pytest

from remeasure.paper.notebook.numerals import in_words


@pytest.mark.parametrize(
    ("count", "says"),
    [(0, "no trial was left out"), (1, "one trial was left out"), (12, "12 trials were left out")],
)
def test_none_and_one_are_words(count, says):
    found = in_words(
        count,
        none="no trial was left out",
        one="one trial was left out",
        many="{} trials were left out",
    )
    assert found == says


def test_a_text_for_none_may_be_empty():
    assert in_words(0, none="", one="one", many="{}") == ""
