"""The comparison of placements, on the trials that are kept."""

import pandas as pd
import pytest

from remeasure.analysis.models.placements import CAPTURED, PLACEMENTS, compared_placements


def test_each_flow_of_each_suite_is_one_row():
    found = compared_placements()
    assert found.index.is_unique and len(found) == 2 * 2 * 2 * 2
    trials = pd.read_csv(CAPTURED).query("suite == 'none' and transport == 'udp'")
    trials = trials.query("payload == 1344 and metric == 'goodput'").groupby("placement")["value"]
    for placement in PLACEMENTS:
        row = found.loc[("none", "udp", "1344", "goodput"), placement]
        assert row["mean"] == pytest.approx(trials.mean()[placement])
        assert row["rounds"] == trials.size()[placement] / 2
