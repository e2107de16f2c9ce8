"""Figures of the paper: their contents. tests/paper looks at their printed size and type."""

import pandas as pd
import pytest
from frames import frame

from notebooks.esp_instructions.asks import suite_slopes
from notebooks.outage.asks import seconds_grid
from remeasure.bench.claims.published import load_published, studies
from remeasure.paper.analysis.decisions import CONFIRMED
from remeasure.paper.analysis.lineage import Origin
from remeasure.paper.notebook.charts.mechanisms import ROWS, by_mechanism, chosen
from remeasure.paper.notebook.charts.ratio_panels import ratio_panels
from remeasure.paper.notebook.charts.set_ups import set_up_lines
from remeasure.paper.notebook.charts.theme import PAGE
from remeasure.paper.notebook.charts.window_charts import window_lines
from remeasure.paper.notebook.results import Results

ORIGIN = Origin("made up", 0.5, 0.4, 0.6, 5)
EFFECTS = frame(
    "row published",
    *(("udp-up-normal", 0.4), ("ike-normal", 2.0), ("nobody-asked", 1.0)),
    study="pratama",
    brief="",
    verdict=CONFIRMED,
    size="outside",
    origin=ORIGIN,
    ratio=1.0,
    ratio_low=0.9,
    ratio_high=1.1,
)
RATIOS = EFFECTS.assign(panel=["one", "two", "two"])
METHODS = {"psk": "PSK", "eap-tls-4-4": "EAP-TLS"}
LEAKS = pd.DataFrame(columns=["row", "column", "value", "end", "origin"])


def test_the_picture_of_the_testbed_fits_the_page(tmp_path):
    results = Results(tmp_path / "handed/demo")
    shown = results.picture("testbed", "A bench.", "notebooks/calibration/testbed.svg")
    assert "data-chart" not in shown.data
    svg = (results.folder / "figures/demo-testbed.svg").read_text()
    assert f'width="{PAGE}"' in svg and 'font-size="8"' in svg


def test_statements_of_the_first_figure_are_claims_and_others_are_left_out():
    claims = {claim.id for study in studies() for claim in load_published(study).claims}
    shown = {claim for rows in ROWS.values() for claim, _ in rows}
    assert shown - claims == {"ours-default-window"}
    assert list(chosen(EFFECTS)["row"]) == ["ike-normal", "udp-up-normal"]


@pytest.mark.parametrize(
    "chart",
    [
        by_mechanism(EFFECTS[:0]),
        ratio_panels(RATIOS[:0], ""),
        window_lines(pd.DataFrame({"window": []}), pd.DataFrame(), 32),
        set_up_lines(pd.DataFrame({"method": []}), METHODS, "ms"),
        suite_slopes(pd.DataFrame({"suite": []})),
        seconds_grid(LEAKS),
    ],
)
def test_without_measurements_a_sentence_stands_in_place_of_a_chart(chart):
    assert '"says"' in chart.to_json()
