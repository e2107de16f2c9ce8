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


@pytest.fixture(scope="module")
def block(found, shared_project):
    """The last that was measured."""
    campaign = f"mine-{len(found['measured'])}"
    return BlockArchive(shared_project.folder / f"data/raw/{campaign}/psk-rsa/block-01.zip")


def test_check_finds_all_that_the_scenario_needs(found):
    status, output = found["check"]
    assert "MISSING" not in output, output
    assert status == 0 or "WRONG offset" in output, output


def test_the_trial_is_accepted_with_all_proofs(found, block):
    (trial,) = block.trials
    assert trial.record["verdict"] == "accepted", found["measured"]
    checks = trial.record["checks"]
    assert all(check["passed"] for check in checks)
    assert {"ike-sa", "child-sa", "sa-packets", "policy", "link", "settled", "changes"} <= {
        check["kind"] for check in checks
    }


def test_it_was_measured_on_full_systems(block):
    (session,) = block.block["sessions"]
    gateway, client = session["hosts"]["gw2"], session["hosts"]["client1"]
    assert gateway["os"].startswith("Debian GNU/Linux 13")
    assert "cloud-amd64" in gateway["kernel"] and "cloud" not in client["kernel"]
    assert gateway["tools"]["swanctl"].startswith("strongSwan 6."), "not what AppArmor made it say"


def test_machines_are_as_they_were(found):
    assert found["after"] == []


def test_machines_are_as_they_were_after_the_job_was_killed(found):
    assert found["killed"] == []


@pytest.mark.parametrize("what", FAULTS)
def test_what_is_wrong_is_one_clear_line(found, what):
    said = found["refused"][what]
    assert re.search(FAULTS[what]["says"], said) and "\n" not in said, said


def test_nothing_is_changed_where_nothing_is_measured(found, shared_project):
    assert found["refused and left"] == []
    assert not (shared_project.folder / "data/raw/refused").exists()
