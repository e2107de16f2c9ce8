"""Expected times of links by their settings, and the captured results."""

import pandas as pd
import pytest

from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.folder import read_frozen
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.testbed.treatments.shaping import Shaping
from remeasure.paper.analysis.models.links import (
    full_goodput,
    longer_by,
    settled_echoes,
    wire_ms,
)


@pytest.fixture(scope="module")
def calibration():
    return load_scenario("calibration", "quick")


def test_wires_need_the_bits_over_the_rate_each():
    links = [Shaping(rate="100mbit"), Shaping(rate="10mbit"), Shaping(netem="delay 9ms")]
    assert wire_ms(1250, links) == pytest.approx(0.1 + 1)


def test_what_full_links_and_echoes_should_do(calibration):
    settings = calibration.settings_where(network="rate-100")
    assert longer_by(settings) == pytest.approx(0.10752)
    assert full_goodput("full_tcp", settings) == pytest.approx(100 * 1448 / 1514)
    assert full_goodput("full_udp", settings) == pytest.approx(100 * 1472 / 1514)


def test_links_of_released_campaigns_should_take_no_time():
    path = RAW / "lab-2026-11-22/campaign.yaml"
    old = read_frozen("lab-2026-11-22").scenario("calibration", path)
    assert longer_by(old.settings_where(network="rate-100")) == 0


def test_echoes_that_may_have_waited_for_arp_are_left_out():
    rtts = [200.0, 150, 120, 110, 105, 100, 102]
    observations = pd.DataFrame({"value": rtts, "index": range(1, 8)}).assign(
        block=1, trial=1, network="delay", probe="latency", metric="rtt", unit="ms"
    )
    found = settled_echoes(observations, ["network"]).set_index("metric")["value"]
    assert found["settled_mean"] == 101 and found["settled_sd"] == pytest.approx(2**0.5)
