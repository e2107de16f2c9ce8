"""Files that a reader can take away from under a chart."""

import csv
import json

import pytest

from remeasure.paper.publish.paper_macros import figure_source
from remeasure.paper.publish.site.notebook_pages import write_chart_files

ROWS = [{"x": 1, "y": 2.5, "_line": 3}, {"x": 2, "y": 3.5, "low": 3.1, "_line": 4}]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><path d="M0 0h8"/></svg>'


@pytest.fixture
def site(tmp_path):
    """A site with one chart of notebook psk_rsa."""
    figures = tmp_path / "psk_rsa/figures"
    figures.mkdir(parents=True)
    (figures / "pskrsa-one.svg").write_text(SVG)
    # Two layers that draw the same table.
    (figures / "pskrsa-one.json").write_text(json.dumps({"datasets": {"a": ROWS, "b": ROWS[:1]}}))
    write_chart_files(tmp_path / "site", {"psk_rsa": figures.parent})
    return tmp_path / "site"


def test_the_data_of_a_chart_are_each_row_that_it_draws(site):
    with (site / "charts/pskrsa-one.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows == [{"x": "1", "y": "2.5", "low": ""}, {"x": "2", "y": "3.5", "low": "3.1"}]


def test_a_figure_has_its_notebook_section_and_tables_as_source():
    says = 'notebook psk_rsa, "Throughput"; data/tidy/psk-rsa'
    assert figure_source("psk_rsa", "pskrsa-throughput") == says
    assert figure_source("claims", "claims-forest").endswith("; data/tidy/claims.parquet")
    assert "data/tidy" not in figure_source("calibration", "calibration-testbed"), "a drawing"
