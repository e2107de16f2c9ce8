"""First versions of blocks that were measured again are blocks of their own, once released."""

import shutil

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.tidy.rows import trial_rows
from remeasure.paper.tidy.tables import factors_of, write_tables

RELEASED = RAW / "lab-2026-11-eap-pinned"


def blocks(folder):
    return sorted(folder.glob("eap-methods/block-*.zip"))


def test_both_versions_are_in_the_tables():
    archives = list(map(BlockArchive, blocks(RELEASED)))
    factors_of([archive.path for archive in archives])
    numbers = {archive.number: archive.block["block"] for archive in archives}
    assert numbers == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 1, 7: 2}
    assert {next(trial_rows(archive))["block"] for archive in archives} == set(numbers)


@pytest.mark.parametrize(
    ("manifest", "source", "message"),
    [
        (False, "block-06.zip", r"block-06\.zip: block\.json: block: found 1, expected 6, by"),
        (True, "block-01.zip", r"block-06\.zip: trials/0001: measured at the same time"),
    ],
)
def test_what_is_no_first_version(manifest, source, message, tmp_path):
    folder = tmp_path / RELEASED.name
    (folder / "eap-methods").mkdir(parents=True)
    for name in ("campaign.yaml", "manifest.json", "eap-methods/block-01.zip"):
        if manifest or name != "manifest.json":
            shutil.copy(RELEASED / name, folder / name)
    shutil.copy(RELEASED / "eap-methods" / source, folder / "eap-methods/block-06.zip")
    with pytest.raises(UserError, match=message):
        write_tables(blocks(folder), tmp_path / "tables")
