"""Charts drawn by one process for a whole build, which sees many."""

import os
import re

import pytest

from remeasure.paper.notebook.drawing.svg import svg_of
from remeasure.paper.publish.forked_kernels.server_process import start_servers
from remeasure.paper.servers import CHARTS, FOLDER


def chart(*values: int) -> dict:
    """A chart whose marks are clipped."""
    return {
        "data": {"values": [{"x": value} for value in values]},
        "mark": {"type": "rule", "clip": True},
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }


def names(svg: str) -> set[str]:
    return set(re.findall(r'(?<=id=")[^"]*', svg))


@pytest.fixture
def server(tmp_path):
    """A server that this process started, as Snakemake does."""
    (started,) = start_servers(tmp_path, [CHARTS])
    yield
    del os.environ[FOLDER]
    started.stdin.close()
    assert started.wait(10) == 0


def test_a_server_gives_what_a_notebook_draws_itself(server, monkeypatch):
    drawn = [svg_of(chart(1, 2)), svg_of(chart(3, 4))]
    monkeypatch.delenv(FOLDER)
    assert drawn == [svg_of(chart(1, 2)), svg_of(chart(3, 4))]
    monkeypatch.undo()


def test_a_chart_does_not_depend_on_those_before_it(server):
    """Vega numbers clips from the first chart of a process, and a page with two of one name clips
    both by the first."""
    first, other = svg_of(chart(1, 2)), svg_of(chart(3, 4))
    assert svg_of(chart(1, 2)) == first
    assert names(first) and not names(first) & names(other)
    assert set(re.findall(r"(?<=url\(#)[^)]*", first)) == names(first)


def test_what_is_no_chart_is_refused_and_the_next_one_is_drawn(server):
    with pytest.raises(ValueError):
        svg_of({"mark": "no such mark"})
    assert svg_of(chart(1)).startswith("<svg")
