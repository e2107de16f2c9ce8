"""Blocks from elsewhere: whole ones of this campaign are taken in, others are one line."""

import lzma
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml
from blocks import smaller

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign import folder as campaigns
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.taken_in import take_in

CAMPAIGN = "lab-2026-11-tunnels"
SCENARIO = "many-tunnels"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """The folder of campaigns here, which is empty."""
    path = tmp_path / "here"
    path.mkdir()
    monkeypatch.setattr(campaigns, "RAW", path)
    return path


@pytest.fixture
def theirs(tmp_path) -> Path:
    """A campaign's folder as a bundle leaves it."""
    path = tmp_path / "elsewhere" / CAMPAIGN
    shutil.copytree(RAW / CAMPAIGN, path, ignore=shutil.ignore_patterns("manifest.json"))
    return path


def blocks(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/block-*.zip"))


def change(theirs: Path, **fields) -> None:
    document = yaml.safe_load((theirs / "campaign.yaml").read_text())
    (theirs / "campaign.yaml").write_text(yaml.safe_dump(document | fields, sort_keys=False))


def refused(theirs: Path, here: Path, message: str) -> None:
    before = sorted(here.rglob("*.*"))
    with pytest.raises(UserError, match=message):
        take_in(theirs)
    assert sorted(here.rglob("block-*")) == [p for p in before if p.name.startswith("block-")]


def test_blocks_are_taken_in_as_they_are(theirs, here):
    new = take_in(theirs)
    assert [path.read_bytes() for path in new] == [p.read_bytes() for p in blocks(theirs)]
    assert new == blocks(here / CAMPAIGN)
    then, now = (
        yaml.safe_load((f / "campaign.yaml").read_text()) for f in (theirs, new[0].parents[1])
    )
    assert {"machine": None} | then == now


def test_what_is_missing_here_is_taken_in_later(theirs, here):
    take_in(theirs)
    last = blocks(here / CAMPAIGN)[-1]
    last.unlink()
    assert take_in(theirs) == [last]


def test_twice(theirs, here):
    take_in(theirs)
    refused(theirs, here, "blocks are here already, with the same bytes")


def test_another_block_of_this_number(theirs, here):
    take_in(theirs)
    first = blocks(here / CAMPAIGN)[0]
    first.write_bytes(first.read_bytes() + b"\0")
    refused(theirs, here, "found other bytes than .* has, expected a block that is not here")


def test_a_block_that_was_cut(theirs, here):
    first = blocks(theirs)[0]
    first.write_bytes(first.read_bytes()[:-100])
    refused(theirs, here, r"block-01\.zip: ")
    assert not (here / CAMPAIGN).exists()


def test_a_block_with_an_altered_log(theirs, here):
    """All of it can be unpacked: one letter of a log is another."""
    first = blocks(theirs)[0]
    with zipfile.ZipFile(first) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    files = lzma.decompress(members["trials.tar.xz"])
    at = files.index(b"ESTABLISHED")
    altered = files[:at] + b"e" + files[at + 1 :]
    with zipfile.ZipFile(first, "w") as packed:
        for name, content in (members | {"trials.tar.xz": lzma.compress(altered)}).items():
            packed.writestr(name, content)
    refused(theirs, here, r"block-01\.zip: trials/0001/proof.left.list-sas.txt: sha256 ")


def test_a_block_of_another_number(theirs, here):
    first = blocks(theirs)[0]
    first.rename(first.with_name("block-77.zip"))
    refused(theirs, here, "found block 1, expected the name block-01.zip")


@pytest.mark.parametrize(
    ("field", "value"), [("campaign", "other"), ("profile", "paper"), ("seed", 7)]
)
def test_a_block_of_another_campaign(theirs, here, field, value):
    change(theirs, **{field: value})
    refused(theirs, here, rf"block-01\.zip: {field}: found .*, expected '?{value}'?, as ")


@pytest.mark.parametrize(
    ("field", "value"),
    [("testbed", {"backend": "netns"}), ("registered", {SCENARIO: {"x": "0"}}), ("rules", 1)],
)
def test_a_campaign_that_began_otherwise_here(theirs, here, field, value):
    take_in(theirs)
    blocks(here / CAMPAIGN)[0].unlink()
    change(theirs, **{field: value})
    refused(theirs, here, rf"campaign\.yaml: {field}.*as the campaign of this name has it here")


def test_another_machine(theirs, here):
    take_in(theirs)
    for path in blocks(here / CAMPAIGN)[:2]:
        path.unlink()
    first, second, _ = blocks(theirs)
    first.unlink()
    relabelled = BlockArchive(second)
    relabelled.block["sessions"][0]["machine"]["cpus"] = 64
    smaller(relabelled, second, lambda record: True)
    refused(theirs, here, r"block-02\.zip: block.json: .* 64 processors, expected .* 2 processors")
    shutil.copy(RAW / CAMPAIGN / SCENARIO / second.name, second)
    change(theirs, machine={"cpu": "P", "cpus": 2})
    assert take_in(theirs) == [here / CAMPAIGN / SCENARIO / second.name]
    change(theirs, machine={"cpu": "Q", "cpus": 2})
    shutil.copy(RAW / CAMPAIGN / SCENARIO / first.name, first)
    refused(theirs, here, r"campaign\.yaml: machine: found Q, 2 processors, expected P")


def test_a_released_campaign(theirs, here, monkeypatch):
    take_in(theirs)
    blocks(here / CAMPAIGN)[0].unlink()
    shutil.copy(RAW / CAMPAIGN / "manifest.json", here / CAMPAIGN)
    refused(theirs, here, "released; a released campaign is never measured again")


def test_not_a_campaign(tmp_path, here):
    refused(tmp_path, here, "found no campaign.yaml, expected the folder of a campaign")
