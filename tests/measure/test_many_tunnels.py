"""Many IKE_SAs in virtual time, by real daemons."""

import shutil
from pathlib import Path

import pytest

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.tidy.rows import observation_rows

pytestmark = [pytest.mark.lab, pytest.mark.slow]

SCENARIO = Path(__file__).with_name("many.yaml")
MEASURE = ["remeasure", "measure", "few", "many", "1", "--profile", "smoke", "--testbed", "virtual"]


@pytest.fixture(scope="module")
def archive(shared_project):
    """A block of two trials."""
    shutil.copy(SCENARIO, shared_project.scenario("many"))
    status, output = shared_project.run(*MEASURE)
    assert status == 0, output
    return BlockArchive(shared_project.folder / "data/raw/few/many/block-01.zip")


def test_every_trial_proves_all_of_its_sas(archive):
    records = [trial.record for trial in archive.trials]
    assert [(r["verdict"], r["reasons"]) for r in records] == [("accepted", [])] * 2
    checks = {check["name"]: check["found"] for r in records for check in r["checks"]}
    for end in ("left", "right"):
        assert checks[f"{end}: IKE_SAs established"] == "5"
        assert checks[f"{end}: SAs of the kernel"] == "10"
        assert checks[f"{end}: packets in the clear"] == "0"


def test_memory_grows_and_computing_takes_no_time(archive):
    rows = list(observation_rows(archive))
    values = {(r["authentication"], r["metric"]): r["value"] for r in rows}
    for method in ("psk", "ecdsa"):
        for host in ("left", "right"):
            assert values[method, f"{host}_heap_up"] > values[method, f"{host}_heap_rest"]
            assert values[method, f"{host}_ike_sas"] == 5
        assert values[method, "up"] < 1, "set-ups wait for nothing here [ms]"
    assert not [metric for _, metric in values if "_cpu_" in metric]
