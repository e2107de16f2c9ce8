"""The comparison of placements, on the trials that are kept."""

import pandas as pd
import pytest

from remeasure.paper.analysis.coverage.placements import (
    CAPTURED,
    PLACEMENTS,
    compared_placements,
    half_widths,
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
    trials = pd.read_csv(CAPTURED).query("machine != 'A'")
    counted = trials[~trials["metric"].str.endswith("_at_pace")]
    copied = counted.assign(metric=counted["metric"] + "_at_pace")
    pd.concat([counted, copied]).to_csv(tmp_path / "same.csv", index=False)
    found, same = half_widths(), half_widths(tmp_path / "same.csv")
    for machine in trials["machine"].unique():
        assert same[machine, "at pace"].equals(same[machine, "as counted"])
        assert same[machine, "as counted"].equals(found[machine, "as counted"])


def test_half_widths_are_those_of_the_comparison():
    found = half_widths()
    assert found.index.is_unique
    of_variant = found.groupby("variant").size()
    assert dict(of_variant) == {"usual": 2 * 2 * 2 * 3, "nodelay": 2 * 3, "gigabit": 2 * 3}
    assert ("A", "at pace") not in found
    compared = compared_placements("A")["pinned", "half"]
    for (suite, transport, payload, metric), half in compared.items():
        cell = (metric, suite, transport, payload, "usual")
        assert found.loc[cell, ("A", "as counted")] == half


def test_without_nagles_algorithm_each_write_is_a_packet():
    """A megabyte is 1e6 / 64 packets; with the algorithm it is fewer."""
    trials = pd.read_csv(CAPTURED).query("machine == 'D' and transport == 'tcp' and payload == 64")
    costs = trials.pivot(
        index=["suite", "variant", "block", "twin"], columns="metric", values="value"
    )
    packets = costs["cpu_per_megabyte"] / costs["cpu_per_packet"] * 1e3
    packets = packets.groupby(["suite", "variant"]).mean().unstack()
    assert packets["nodelay"].tolist() == pytest.approx([1e6 / 64] * 2, rel=0.01)
    assert (packets["usual"] < 1e6 / 64 / 2).all()
