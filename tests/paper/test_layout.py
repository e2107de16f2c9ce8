"""The paper's pages: few, full, with floats close to their text and type that can be read."""

import layout
import pytest
from paper_pages import Paper


@pytest.fixture(scope="module")
def paper(built_project) -> Paper:
    results = built_project.folder / "results"
    return Paper(results / "paper.pdf", results / "paper/main.log")


@pytest.mark.parametrize("check", layout.CHECKS)
def test_the_paper(paper, check):
    assert check(paper) == []


def test_parts_and_floats_of_the_paper_are_found(paper):
    """If they were not, most checks would pass on any paper."""
    assert 1 < layout.body_end(paper) < len(paper.pages)
    assert paper.heading(layout.REFERENCES)
    assert {name.partition(".")[0] for name in paper.floats} == {"figure", "table"}
    assert max(share for _, share in layout.shares_of_white(paper)) > 0
    assert any(page.drawn for page in paper.pages) and paper.body_size > layout.LEAST_TYPE
