"""A released campaign is verified file by file."""

import json
import shutil
import zipfile

import pytest
import yaml
from projects import ROOT

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.campaign import release
from remeasure.bench.campaign.attempts import keep
from remeasure.bench.campaign.round_plan import Gate, RoundPlan
from remeasure.bench.campaign.rounds import kinds_in_words

BLOCK = ROOT / "data/raw/lab-2026-11-qemu/per-cpu-sas/block-01.zip"


def write_block(path):
    """Write a real block, with a record that names this place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    place = path.parents[1].name, path.parent.name, int(path.stem.removeprefix("block-"))
    with zipfile.ZipFile(BLOCK) as source, zipfile.ZipFile(path, "w") as file:
        for name in source.namelist():
            content = source.read(name)
            if name == "block.json":
                own = zip(("campaign", "scenario", "block"), place, strict=True)
                content = json.dumps(json.loads(content) | dict(own))
            file.writestr(name, content)


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path / "data/raw")
    return tmp_path / "data/raw"


def test_a_release_is_verified_file_by_file(raw):
    block = raw / "mine" / "psk-rsa" / "block-01.zip"
    block.parent.mkdir(parents=True)
    with pytest.raises(UserError, match="no blocks to release"):
        release.write_manifest("mine")
    write_block(block)
    path = release.write_manifest("mine")
    listed = json.loads(path.read_text())["files"]["psk-rsa/block-01.zip"]
    assert listed == {"bytes": block.stat().st_size, "sha256": file_hash(block)}
    assert release.verify_campaign("mine") == 1
    signed = (raw.parent / "manifests.sha256").read_text()
    assert signed == f"{file_hash(path)}  raw/mine/manifest.json\n"
    shutil.rmtree(raw / "mine" / "psk-rsa")
    assert release.released_files("mine") == ["psk-rsa/block-01.zip"]
    assert release.released_files("other") is None


@pytest.fixture
def measured(raw):
    """Gives campaigns so many complete rounds of eight, of which six are needed."""
    rounds = RoundPlan.drawn(Gate(), [[("a", n), ("b", n)] for n in range(1, 9)], 6)
    text = (ROOT / "data/raw/lab-2026-11-qemu/campaign.yaml").read_text()
    document = yaml.safe_load(text) | {"rounds": rounds.model_dump()}

    def measure(**campaigns: int) -> None:
        for name, count in campaigns.items():
            folder = raw / name.replace("_", "-")
            one = document | {"campaign": folder.name}
            # One block of the round after them is measured as well.
            for block in [*(f"{s}/block-0{n + 1}" for s in "ab" for n in range(count))] + [
                f"a/block-0{count + 1}"
            ] * (count < 8):
                path = folder / f"{block}.zip"
                write_block(path)
                keep(path, [])
            (folder / "campaign.yaml").write_text(yaml.safe_dump(one))

    return measure


def test_six_of_eight_rounds_are_released_with_their_count_and_five_are_not(raw, measured):
    measured(six=6, five=5, eight=8)
    listed = json.loads(release.write_manifest("six").read_text())
    assert listed["rounds"] == "6 of 8 rounds" and "a/block-07.zip" in listed["files"]
    assert "rounds" not in json.loads(release.write_manifest("eight").read_text())
    with pytest.raises(UserError, match=r"^five: 5 of 8 rounds measured, expected at least 6; go"):
        release.write_manifest("five")


def test_the_kind_with_most_rounds_is_the_main_one_and_others_are_released_next_to_it(measured):
    measured(lab=3, lab_b=7)
    said = r"^lab: 3 of 8 rounds .* remeasure round lab, or release lab-b first, which has more$"
    with pytest.raises(UserError, match=said):
        release.write_manifest("lab")
    release.write_manifest("lab-b")
    assert json.loads(release.write_manifest("lab").read_text())["rounds"] == "3 of 8 rounds"
    for campaign in ("lab", "lab-b"):
        first, second = kinds_in_words(campaign)
        assert first.startswith("lab-b: ") and first.endswith(": 7 complete rounds, the main one")
        assert second.endswith(": 3 complete rounds, next to the main one")


def test_a_block_that_no_gate_looked_at_is_not_released(raw, measured):
    measured(lab=8)
    (raw / "lab/b/block-02.judged.json").unlink()
    with pytest.raises(UserError, match="b/block-02.zip: the gate has not looked at its record"):
        release.write_manifest("lab")


def test_every_released_campaign_is_in_the_list():
    for path in campaign_folder.RAW.glob("*/manifest.json"):
        assert release.released_files(path.parent.name), path
