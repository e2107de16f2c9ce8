"""A trial of psk-rsa on full systems, reached as a reader's own machines are.

    env/run pytest tests/systems --full-systems

boots them (systems.py), which takes a minute where nothing else runs, and the disk is made first if
it is missing.
"""

import re
from pathlib import Path

import pytest
import yaml
from real_guests import run_inside

from remeasure.bench.campaign.archive import BlockArchive

HERE = Path(__file__).parent
FAULTS = yaml.safe_load((HERE / "faults.yaml").read_text())
pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def found(shared_project, request):
    if not request.config.getoption("--full-systems"):
        pytest.skip("boots full systems: --full-systems")
    return run_inside(shared_project, HERE / "inside_systems.py", shared_project.folder)


def test_check_finds_all_that_the_scenario_needs(found):
    status, output = found["check"]
    assert "MISSING" not in output, output
    assert status == 0 or "WRONG offset" in output, output


def test_the_trial_is_accepted_with_all_proofs_on_full_systems(found, shared_project):
    campaign = f"mine-{len(found['measured'])}"
    block = BlockArchive(shared_project.folder / f"data/raw/{campaign}/psk-rsa/block-01.zip")
    (trial,) = block.trials
    assert trial.record["verdict"] == "accepted", found["measured"]
    checks = trial.record["checks"]
    assert all(check["passed"] for check in checks)
    kinds = {"ike-sa", "child-sa", "sa-packets", "policy", "link", "settled", "changes"}
    assert kinds <= {check["kind"] for check in checks}
    (session,) = block.block["sessions"]
    gateway, client = session["hosts"]["gw2"], session["hosts"]["client1"]
    assert gateway["os"].startswith("Debian GNU/Linux 13")
    assert "cloud-amd64" in gateway["kernel"] and "cloud" not in client["kernel"]
    assert gateway["tools"]["swanctl"].startswith("strongSwan 6."), "not what AppArmor made it say"


def test_machines_are_as_they_were(found, shared_project):
    """Behind a trial, a job that was killed, and faults by which nothing is measured."""
    assert found["after"] == found["killed"] == found["refused and left"] == []
    assert not (shared_project.folder / "data/raw/refused").exists()


@pytest.mark.parametrize("what", FAULTS)
def test_what_is_wrong_is_one_clear_line(found, what):
    said = found["refused"][what]
    assert re.search(FAULTS[what]["says"], said) and "\n" not in said, said
