"""Files that a reader can take away from under a chart."""

import csv
import json

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.site.notebook_pages import write_chart_files

ROWS = [{"x": 1, "y": 2.5, "_line": 3}, {"x": 2, "y": 3.5, "low": 3.1, "_line": 4}]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><path d="M0 0h8"/></svg>'


@pytest.fixture
def site(tmp_path):
    """A site with one chart of notebook psk_rsa, and one of the notebook of all studies."""
    handed = {}
    for notebook, chart in (("psk_rsa", "pskrsa-one"), ("claims", "claims-forest")):
        figures = tmp_path / notebook / "figures"
        figures.mkdir(parents=True)
        (figures / f"{chart}.svg").write_text(SVG)
        # Two layers that draw the same table.
        (figures / f"{chart}.json").write_text(json.dumps({"datasets": {"a": ROWS, "b": ROWS[:1]}}))
        handed[notebook] = figures.parent
    write_chart_files(tmp_path / "site", handed)
    return tmp_path / "site"


def test_the_data_of_a_chart_are_each_row_that_it_draws(site):
    with (site / "charts/pskrsa-one.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows == [{"x": "1", "y": "2.5", "low": ""}, {"x": "2", "y": "3.5", "low": "3.1"}]


def test_pictures_notebooks_and_scenarios_lie_beside(site):
    assert (site / "charts/pskrsa-one.svg").read_text() == SVG
    assert (site / "charts/pskrsa-one.png").read_bytes().startswith(b"\x89PNG")
    original = ROOT / "notebooks/psk_rsa/scenario.yaml"
    assert (site / "scenarios/psk-rsa.yaml").read_bytes() == original.read_bytes()
    for name in ("psk_rsa", "claims"):
        text = (site / f"notebooks/{name}.ipynb").read_text()
        assert "answer_here()" in text and '"output_type"' not in text
