"""Scenario suite-cost on real guests: which packets its costs are asked of."""

import pytest

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import measured_scenario
from remeasure.paper.analysis.limits.rate_limits import limits
from remeasure.paper.analysis.summaries import read_tables
from remeasure.paper.tidy.tables import write_tables

pytestmark = [pytest.mark.lab, pytest.mark.slow]

MEASURE = ["remeasure", "measure", "test", "suite-cost", "1", "--profile", "smoke"]


def test_counters_of_a_flow_hold_its_own_packets(shared_project, tmp_path):
    """Each write is a packet, next to a few by which D-ITG agrees on a flow; by TCP, too, on a
    machine however busy."""
    status, output = shared_project.run(*MEASURE)
    assert status == 0, output
    block = shared_project.folder / "data/raw/test/suite-cost/block-01.zip"
    trials = [trial.record for trial in BlockArchive(block).trials]
    assert "rejected" not in {trial["verdict"] for trial in trials}
    for trial in trials:
        # Counters are read again after ITGDec, whose work belongs to no flow.
        assert [one["repeat"] for one in trial["counters"] if one["host"] == "gw1"] == [
            0,
            *[1, 0] * 5,
        ]
    write_tables([block], tmp_path)
    found = limits(read_tables(tmp_path), measured_scenario(block)).query("probe == 'flow'")
    assert set(found["transport"]) == {"tcp", "udp"} and found["suite"].nunique() == 3
    ratios = found["in_packet"] / found["payload"].astype(int)
    assert ratios.between(0.5, 1.03).all(), sorted(ratios)
