"""Costs of suites, measured in a guest and on this machine itself."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.image import get_image
from remeasure.bench.lab.netns import KIND
from remeasure.bench.testbed.watching.readiness import Here, Needs, check_machine
from remeasure.paper.tidy.rows import observation_rows

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def lacks(testbed: str) -> list[str]:
    """What this machine lacks for a testbed."""
    if testbed == "lab":
        return []
    found = check_machine(Here(), Needs(KIND.tools, KIND.modules))
    return [finding.what for finding in found if finding.state != "present"]


def suites_kept(project, *kept: str) -> None:
    """Leave the other suites of profile smoke out, to save time."""
    path = project.folder / "notebooks/cipher_cost/scenario.yaml"
    scenario = yaml.safe_load(path.read_text())
    scenario["only"]["smoke"]["suite"] = list(kept)
    path.write_text(yaml.safe_dump(scenario, sort_keys=False))


@pytest.mark.parametrize(
    ("testbed", "suites"), [("lab", ["3des-sha1", "aes128gcm16"]), ("netns", ["aes128gcm16"])]
)
def test_a_block_has_both_arms_of_every_suite_by_both_libraries(project, testbed, suites):
    if missing := lacks(testbed):
        pytest.skip(f"this machine lacks {', '.join(missing)}")
    suites_kept(project, *suites)
    status, output = project.run(
        "remeasure", "measure", "t", "cipher-cost", "1", "--profile", "smoke", "--testbed", testbed
    )
    assert status == 0, output
    archive = BlockArchive(Path(project.folder) / "data/raw/t/cipher-cost/block-01.zip")
    assert [t.record["reasons"] for t in archive.trials if t.record["verdict"] == "rejected"] == []
    (host,) = archive.block["sessions"][0]["hosts"].values()
    assert host["tools"]["openssl"].startswith("OpenSSL 3.")
    rows = pd.DataFrame(observation_rows(archive))
    aes = rows.query("metric == 'aes_instructions'").groupby("instructions")["value"]
    assert set(aes.get_group("masked")) == {0}
    assert aes.nunique().to_dict() == {"as-they-are": 1, "masked": 1}
    measured = rows.query("metric == 'outbound_cpu'").groupby(
        ["suite", "instructions", "library", "payload"]
    )
    assert len(measured) == len(suites) * 2 * 2 * 2
    assert (rows.query("metric == 'outbound_cpu'")["value"] > 0).all()
    versions = rows.query("metric == 'library_version'").groupby("library")["value"].unique()
    assert {library: list(found) for library, found in versions.items()} == {
        "machine": [number_of(Here().run(["openssl", "version"]).split()[1])],
        "image": [number_of(get_image().packages["openssl"])],
    }


def number_of(version: str) -> int:
    """A version of OpenSSL as the metric library_version has it: 3.6.5-1 is 30605."""
    major, minor, patch = map(int, version.partition("-")[0].split("."))
    return 10_000 * major + 100 * minor + patch
