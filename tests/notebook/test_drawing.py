"""Charts as pictures."""

import re

import pytest

from remeasure.paper.notebook.pictures import svg_of


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


def test_what_is_no_chart_is_refused():
    with pytest.raises(ValueError):
        svg_of({"mark": "no such mark"})
    assert svg_of(chart(1)).startswith("<svg")
