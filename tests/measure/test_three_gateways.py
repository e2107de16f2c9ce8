"""Three gateways in a row, in virtual time: a tunnel over two links."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.analysis.summaries import gateways_in
from remeasure.paper.tidy.rows import counter_rows, observation_rows

pytestmark = [pytest.mark.lab, pytest.mark.slow]

HERE = Path(__file__).parent
MEASURE = ["remeasure", "measure", "row", "three-gateways", "1", "--profile", "smoke"]


@pytest.fixture(scope="module")
def archive(shared_project):
    """A block of two trials: without a tunnel, and with one from the first gateway to the last."""
    shutil.copy(HERE / "three-gateways.yaml", shared_project.scenario("three-gateways"))
    topologies = shared_project.folder / "config/topologies"
    shutil.copy(HERE / "three-gateways-topology.yaml", topologies / "three-gateways.yaml")
    status, output = shared_project.run(*MEASURE, "--testbed", "virtual")
    assert status == 0, output
    return BlockArchive(shared_project.folder / "data/raw/row/three-gateways/block-01.zip")


def test_traffic_of_the_tunnel_passes_the_gateway_between(archive):
    records = {trial.record["cell"]["suite"]: trial.record for trial in archive.trials}
    assert [(r["verdict"], r["reasons"]) for r in records.values()] == [("accepted", [])] * 2
    proven = {check["name"]: check["found"] for check in records["esp"]["checks"]}
    assert [proven[f"{end}: IKE_SAs established"] for end in ("gw1", "gw3")] == ["1", "1"]
    assert [proven[f"{end}: packets in the clear"] for end in ("gw1", "gw3")] == ["0", "0"]
    found = {
        (row["suite"], row["metric"]): row["value"]
        for row in observation_rows(archive)
        if row["metric"] in ("received", "hops", "ike_exchanges", "lost")
    }
    assert found["esp", "received"] == found["none", "received"] == 5
    assert found["esp", "ike_exchanges"] == 2 and found["esp", "lost"] == 0
    assert found["none", "hops"] == 4
    assert found["esp", "hops"] == 3, "the gateway between sees no packet of the clients"


def test_no_gateway_is_left_out_of_costs(archive):
    assert gateways_in(pd.DataFrame(counter_rows(archive))) == ["gw1", "gw2", "gw3"]
