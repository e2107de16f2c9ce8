"""The slider of the site says what the notebook's table says."""

import json
import re

import pytest

from remeasure.analysis.models.window_advice import ALLOWED, advise, widened_share
from remeasure.publish.site.window_page import JITTERS, RATES, WINDOWS, window_page

LENGTH = 1400
WORDS = {"RateSlow": "10", "AdvisedSlow": "128", "RateMiddle": "50", "AdvisedMiddle": "n/a"}
WORDS |= {"RateFast": "100", "AdvisedFast": "4096"}


def per_second(rate: float) -> float:
    return rate * 1e6 / 8 / LENGTH


@pytest.fixture(scope="module")
def specification(tmp_path_factory) -> dict:
    """The chart of the page, made from a figure with one measured share."""
    mark = {"rate": "100M", "jitter": 20, "length": LENGTH, "window": "32"}
    mark |= {"value": 0.03, "low": 0.02, "high": 0.04}
    figure = tmp_path_factory.mktemp("figure") / "passing.json"
    figure.write_text(json.dumps({"datasets": {"data": [mark]}}))
    page = window_page(figure, WORDS)
    return json.loads(re.search(r"<script type=.application/json.>(.*?)</script>", page)[1])


def said(specification: dict, rate: float, jitter: float) -> str:
    """What stands above the chart where the sliders have these values."""
    lines, _ = specification["title"]["text"]["expr"].rsplit("[rate][jitter]", 1)
    return json.loads(lines[1:])[RATES.index(rate)][JITTERS.index(jitter)]


def test_the_slider_says_what_the_table_says(specification):
    """The model alone took 64 packets for enough at 100 Mbit/s and 1 ms; the table says 512."""
    assert said(specification, 100, 1) == f"set: {advise(per_second(100), 1e-3)}" == "set: 512"
    assert said(specification, 1000, 20).startswith("set: none is wide enough")
    assert said(specification, 100, 20) == "set: 4096 (measured)"
    # Nothing that was measured was enough, so the model is all there is.
    assert said(specification, 50, 20) == f"set: {advise(per_second(50), 20e-3)}"


def test_bars_agree_with_the_advice(specification):
    """The window to set is the narrowest whose bar is full."""
    rows = [row for table in specification["datasets"].values() for row in table]
    bars = {(r["rate"], r["jitter"], r["window"]): r["passed"] for r in rows if "low" not in r}
    for rate, jitter in ((100, 1), (20, 5), (500, 0.5)):
        place = RATES.index(rate), JITTERS.index(jitter)
        full = [w for w in WINDOWS if bars[(*place, str(w))] >= 100 * (1 - ALLOWED)]
        assert f"set: {min(full)}" == said(specification, rate, jitter)


def test_a_wider_window_passes_no_less():
    shares = [widened_share(window, per_second(100), 20e-3) for window in WINDOWS]
    assert shares == sorted(shares)
