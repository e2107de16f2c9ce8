"""Figures of the paper: their contents, and their printed size."""

import re

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
from remeasure.paper.notebook.charts.theme import COLUMN, PAGE, use_theme
from remeasure.paper.notebook.charts.window_charts import window_lines
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.trace.origins_record import chart_and_marks

ORIGIN = Origin("made up", 0.5, 0.4, 0.6, 5)
VALUES = {"value": [0.5, 0.9], "low": [0.4, 0.8], "high": [0.6, 1.0], "origin": ORIGIN}
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
WINDOWS = pd.DataFrame({"window": [32, 0], "rate": "10"} | VALUES)
PREDICTED = pd.DataFrame({"window": [32, 64], "rate": "10", "value": [0.5, 1]})
SET_UPS = {"method": list(METHODS), "rtt": [0.0, 50], "exchanges": [2.0, 12], "virtual": 1.0}
SUITES = {"level": "all", "suite": ["3des-sha1", "aes128-sha256"]}
COSTS = pd.DataFrame(SUITES | VALUES)
LEAKS = {"row": ["trap", "clear"], "column": "peer stops", "value": [0.0, 438.0]}
LEAKS = pd.DataFrame(LEAKS | {"end": [False, True], "origin": ORIGIN})
CHARTS = {
    "mechanisms": (by_mechanism(EFFECTS), PAGE),
    "ratios": (ratio_panels(RATIOS, "RSA / PSK"), COLUMN),
    "window": (window_lines(WINDOWS, PREDICTED, 32), COLUMN),
    "set-up": (set_up_lines(pd.DataFrame(SET_UPS | VALUES), METHODS, "ms"), COLUMN),
    "cost": (suite_slopes(COSTS), COLUMN),
    "leaks": (seconds_grid(LEAKS), COLUMN),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_figure_is_as_wide_as_it_is_printed_with_type_of_seven_points(tmp_path, name):
    use_theme()
    chart, width = CHARTS[name]
    Results(tmp_path / "handed/demo").figure("it", "It.", chart)
    svg = (tmp_path / "handed/demo/figures/demo-it.svg").read_text()
    found = float(re.match(r'<svg[^>]* width="([\d.]+)"', svg)[1])
    assert 0.97 * width <= found <= width
    assert min(map(float, re.findall(r'font-size="([\d.]+)px"', svg))) >= 7


@pytest.mark.parametrize("name", CHARTS)
def test_an_estimate_has_one_mark(name):
    """`explain` finds it by its fields, and would take a second one for another estimate."""
    _, marks = chart_and_marks(CHARTS[name][0])
    assert len(marks) == (len(RATIOS) if name == "ratios" else 2)


def test_the_picture_of_the_testbed_fits_the_page(tmp_path):
    results = Results(tmp_path / "handed/demo")
    shown = results.picture("testbed", "A bench.", "notebooks/calibration/testbed.svg")
    assert "data-chart" not in shown.data
    svg = (results.folder / "figures/demo-testbed.svg").read_text()
    assert f'width="{PAGE}"' in svg and 'font-size="7.5"' in svg


def test_statements_of_the_first_figure_are_claims_and_others_are_left_out():
    claims = {claim.id for study in studies() for claim in load_published(study).claims}
    assert {claim for rows in ROWS.values() for claim, _ in rows} <= claims
    assert list(chosen(EFFECTS)["row"]) == ["ike-normal", "udp-up-normal"]


@pytest.mark.parametrize(
    "chart",
    [
        by_mechanism(EFFECTS[:0]),
        ratio_panels(RATIOS[:0], ""),
        window_lines(pd.DataFrame({"window": []}), pd.DataFrame(), 32),
        set_up_lines(pd.DataFrame({"method": []}), METHODS, "ms"),
        suite_slopes(pd.DataFrame({"suite": []})),
        seconds_grid(LEAKS[:0]),
    ],
)
def test_without_measurements_a_sentence_stands_in_place_of_a_chart(chart):
    assert '"says"' in chart.to_json()
