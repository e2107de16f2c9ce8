"""A released campaign is verified file by file."""

import hashlib
import json
import shutil

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.campaign import release


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path / "data/raw")
    return tmp_path / "data/raw"


def test_a_release_is_verified_file_by_file(raw):
    block = raw / "mine" / "psk-rsa" / "block-01.zip"
    block.parent.mkdir(parents=True)
    with pytest.raises(UserError, match="no blocks to release"):
        release.write_manifest("mine")
    block.write_bytes(b"data")
    path = release.write_manifest("mine")
    listed = json.loads(path.read_text())["files"]["psk-rsa/block-01.zip"]
    assert listed == {"bytes": 4, "sha256": hashlib.sha256(b"data").hexdigest()}
    assert release.verify_campaign("mine") == 1
    signed = (raw.parent / "manifests.sha256").read_text()
    assert signed == f"{file_hash(path)}  raw/mine/manifest.json\n"
    shutil.rmtree(raw / "mine" / "psk-rsa")
    assert release.released_files("mine") == ["psk-rsa/block-01.zip"]
    assert release.released_files("other") is None


def test_every_released_campaign_is_in_the_list():
    for path in campaign_folder.RAW.glob("*/manifest.json"):
        assert release.released_files(path.parent.name), path
