"""The comparison of placements, on the trials that are kept."""

import pandas as pd
import pytest

from remeasure.analysis.models.placements import (
    CAPTURED,
    PLACEMENTS,
    at_usual_pace,
    compared_placements,
)


@pytest.mark.parametrize("machine", ["A", "C"])
def test_each_flow_of_each_suite_is_one_row(machine):
    found = compared_placements(machine)
    assert found.index.is_unique and len(found) == 2 * 2 * 2 * 2
    trials = pd.read_csv(CAPTURED).query("machine == @machine and suite == 'none'")
    trials = trials.query("transport == 'udp' and payload == 1344 and metric == 'goodput'")
    values = trials.groupby("placement")["value"]
    for placement in PLACEMENTS:
        row = found.loc[("none", "udp", "1344", "goodput"), placement]
        assert row["mean"] == pytest.approx(values.mean()[placement])
        assert row["rounds"] == values.size()[placement] / 2


def test_costs_of_trials_at_one_pace_have_the_same_intervals(tmp_path):
    found = at_usual_pace()
    flows = ("tcp 1344", "tcp 64", "udp 1344", "udp 64")
    cells = [("B", "3des-sha1"), ("C", "none"), ("C", "3des-sha1")]
    levels = [f"{machine} {suite} {flow}" for machine, suite in cells for flow in flows]
    assert sorted(found.index) == sorted(2 * levels)
    trials = pd.read_csv(CAPTURED)
    counted = trials[~trials["metric"].str.endswith("_at_pace") & (trials["machine"] != "A")]
    copied = counted.assign(metric=counted["metric"] + "_at_pace")
    pd.concat([counted, copied]).to_csv(tmp_path / "same.csv", index=False)
    same = at_usual_pace(tmp_path / "same.csv")
    assert same["at pace"].tolist() == same["counted"].tolist() == found["counted"].tolist()
