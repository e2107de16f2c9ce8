"""The comparison of placements, on the trials that are kept."""

import pandas as pd
import pytest

from remeasure.analysis.models.placements import (
    CAPTURED,
    OF_PACE,
    PLACEMENTS,
    at_usual_pace,
    compared_placements,
)


def test_each_flow_of_each_suite_is_one_row():
    found = compared_placements()
    assert found.index.is_unique and len(found) == 2 * 2 * 2 * 2
    trials = pd.read_csv(CAPTURED).query("suite == 'none' and transport == 'udp'")
    trials = trials.query("payload == 1344 and metric == 'goodput'").groupby("placement")["value"]
    for placement in PLACEMENTS:
        row = found.loc[("none", "udp", "1344", "goodput"), placement]
        assert row["mean"] == pytest.approx(trials.mean()[placement])
        assert row["rounds"] == trials.size()[placement] / 2


def test_costs_of_trials_at_one_pace_have_the_same_intervals(tmp_path):
    found = at_usual_pace()
    assert found.index.tolist() == [
        levels for levels in ("tcp 1344", "tcp 64", "udp 1344", "udp 64") for _ in range(2)
    ]
    trials = pd.read_csv(OF_PACE)
    counted = trials[~trials["metric"].str.endswith("_at_pace")]
    copied = counted.assign(metric=counted["metric"] + "_at_pace")
    pd.concat([counted, copied]).to_csv(tmp_path / "same.csv", index=False)
    same = at_usual_pace(tmp_path / "same.csv")
    assert same["at pace"].tolist() == same["counted"].tolist() == found["counted"].tolist()
