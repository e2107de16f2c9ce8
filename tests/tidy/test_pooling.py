"""Tables pool blocks of one kind of machine, whatever kernel it had, and of one profile. First
versions of blocks that were measured again are blocks of their own, once released."""

import json
import shutil
import zipfile

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.folder import configured_blocks
from remeasure.bench.campaign.machine_kind import require_one_kind
from remeasure.paper.tidy.rows import ROWS_OF, trial_rows
from remeasure.paper.tidy.tables import factors_of, write_tables

RELEASED = RAW / "lab-2026-11-eap-pinned"
BLOCKS = sorted((RAW / "lab-2026-11-22/psk-rsa").glob("block-*.zip"))[:3]


def relabelled(profile="paper", **machine):
    """File -> block.json of three released blocks, the last one changed."""
    found = {path: BlockArchive(path).block for path in BLOCKS}
    found[BLOCKS[0]]["sessions"][0]["machine"]["memory_mib"] = 8192
    last = found[BLOCKS[-1]]
    last["profile"] = profile
    for session in last["sessions"]:
        session["machine"] |= machine
    return found


def test_another_kernel_or_node_is_the_same_machine(tmp_path):
    """Verdicts follow from the tables, and no row differs."""
    other = relabelled(kernel="Linux 6.1.0 x86_64", node="n2", memory_mib=8192)
    require_one_kind(other)
    path = tmp_path / BLOCKS[-1].relative_to(RAW)
    path.parent.mkdir(parents=True)
    shutil.copy(BLOCKS[-1].parents[1] / "campaign.yaml", path.parents[1])
    with zipfile.ZipFile(BLOCKS[-1]) as old, zipfile.ZipFile(path, "w") as new:
        for name in {*old.namelist()} - {"block.json"}:
            new.writestr(name, old.read(name))
        new.writestr("block.json", json.dumps(other[BLOCKS[-1]]))
    for name, rows in ROWS_OF.items():
        assert [*rows(BlockArchive(path))] == [*rows(BlockArchive(BLOCKS[-1]))], name


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"cpu": "Intel Xeon"}, "found Intel Xeon, 2 processors, expected AMD EPYC, 2 processors"),
        ({"cpus": 4}, "found AMD EPYC, 4 processors, expected AMD EPYC, 2 processors"),
        ({"memory_mib": 16384}, "2 processors, 16 GiB, expected AMD EPYC, 2 processors, 8 GiB"),
        ({"profile": "smoke"}, "profile: found 'smoke', expected 'paper'"),
    ],
)
def test_blocks_that_cannot_be_pooled(changed, message):
    with pytest.raises(UserError, match=rf"block-03\.zip.*{message}.*block-01.*compare`$") as error:
        require_one_kind(relabelled(**changed))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("scenario", read_build().campaigns)
def test_released_blocks_of_one_table_are_of_one_machine(scenario):
    blocks = configured_blocks(scenario)
    require_one_kind({path: BlockArchive(path).block for path in blocks})


def blocks_of(folder):
    return sorted(folder.glob("eap-methods/block-*.zip"))


def test_both_versions_are_in_the_tables():
    archives = list(map(BlockArchive, blocks_of(RELEASED)))
    factors_of([archive.path for archive in archives])
    numbers = {archive.number: archive.block["block"] for archive in archives}
    assert numbers == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 1, 7: 2}
    assert {next(trial_rows(archive))["block"] for archive in archives} == set(numbers)


def test_what_is_no_first_version(tmp_path):
    """A block with the number of another one, in a campaign that is not released."""
    folder = tmp_path / RELEASED.name
    (folder / "eap-methods").mkdir(parents=True)
    for name in ("campaign.yaml", "eap-methods/block-01.zip", "eap-methods/block-06.zip"):
        shutil.copy(RELEASED / name, folder / name)
    message = r"block-06\.zip: block\.json: block: found 1, expected 6, by"
    with pytest.raises(UserError, match=message):
        write_tables(blocks_of(folder), tmp_path / "tables")


def test_two_kinds_of_machine_make_no_table(tmp_path):
    path = tmp_path / BLOCKS[-1].relative_to(RAW)
    path.parent.mkdir(parents=True)
    shutil.copy(BLOCKS[-1].parents[1] / "campaign.yaml", path.parents[1])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("block.json", json.dumps(relabelled(cpu="Intel Xeon")[BLOCKS[-1]]))
    with pytest.raises(UserError, match=r"block-03\.zip.*found Intel Xeon.*compare`$"):
        write_tables([BLOCKS[0], path], tmp_path / "tidy")
    assert not (tmp_path / "tidy").exists()
