"""A suite that no scenario had is measured like any other."""

import pytest

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.notebook.shared_tables import provenance
from remeasure.paper.tidy.rows import observation_rows

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def test_a_further_suite_is_one_line(project):
    """A line in the scenario of the sweep, and the suite is measured and in the tables. The other
    suites and most flows are left out here to save time."""
    path = project.folder / "notebooks/algorithm_sweep/scenario.yaml"
    text = path.read_text()
    before = "    aes128gcm16: {tunnel: {esp: aes128gcm16}}"
    assert before in text
    text = text.replace(before, "    new: {tunnel: {esp: aes256gcm16}}\n" + before)
    text = text.replace("suite: [3des-sha1]", "suite: [new]")
    path.write_text(text.replace("smoke: [1344]", "smoke: [512]"))
    status, output = project.run(
        "remeasure", "measure", "t", "algorithm-sweep", "1", "--profile", "smoke"
    )
    assert status == 0, output
    archive = BlockArchive(project.folder / "data/raw/t/algorithm-sweep/block-01.zip")
    records = {t.record["cell"]["suite"]: t.record for t in archive.trials}
    assert set(records) == {"new"}
    assert records["new"]["verdict"] != "rejected", records["new"]["reasons"]
    proof = {check["name"]: check["found"] for check in records["new"]["checks"]}
    assert (proof["gw1: CHILD_SA encr-alg"], proof["gw1: CHILD_SA encr-keysize"]) == (
        "AES_GCM_16",
        "256",
    )
    assert "rfc4106(gcm(aes)): rfc4106(" in provenance([archive.path])["crypto drivers"]
    flows = {
        (row["suite"], row["transport"], row["load"])
        for row in observation_rows(archive)
        if row["metric"] == "goodput" and row["probe"] == "flow"
    }
    assert len(flows) == 4
