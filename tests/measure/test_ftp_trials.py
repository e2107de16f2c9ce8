"""Real transfers by FTP: what is proven of them, and what is said of those that went wrong."""

from pathlib import Path

import pytest
from real_guests import run_inside

pytestmark = [pytest.mark.lab, pytest.mark.slow]

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def trials(shared_project):
    """Trials of ftp.yaml: three that are left alone, three that something is done to."""
    logs = shared_project.folder / "trials"
    return run_inside(shared_project, HERE / "inside_ftp.py", logs)


@pytest.mark.parametrize(
    ("name", "proofs"),
    [
        (
            "none",
            {
                "left: SAs and policies",
                "right: SAs and policies",
                "files: left: packets received on wire",
            },
        ),
        (
            "ah",
            {
                "left: CHILD_SA protocol",
                "right: CHILD_SA mode",
                "left: CHILD_SA integ-alg",
                "files: left: packets of the inbound SA",
            },
        ),
        ("lossy", {"right.wire: netem", "right.wire: rate (bit/s)", "left.wire: GRO"}),
    ],
)
def test_transfers_prove_their_treatment(trials, name, proofs):
    record = trials[name]
    assert record["verdict"] != "rejected", record["reasons"]
    assert proofs <= {check["name"] for check in record["checks"]}
    found = {check["name"]: check["found"] for check in record["checks"]}
    if name == "ah":
        assert (found["left: CHILD_SA protocol"], found["right: CHILD_SA mode"]) == (
            "AH",
            "TRANSPORT",
        )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        # Which file the server is taken from depends on how fast the machine is.
        ("cut-short", ": found 'exit code "),
        (
            "altered",
            "files-01.sha256.txt:2: found '0002.jpg: FAILED', expected file 2 as it was sent",
        ),
        ("barred", "establishing CHILD_SA 's2s' failed"),
    ],
)
def test_a_trial_that_went_wrong_is_rejected_for_that_reason(trials, name, reason):
    assert trials[name]["verdict"] == "rejected"
    assert reason in trials[name]["reasons"][0]
    assert len(trials[name]["reasons"]) == 1
