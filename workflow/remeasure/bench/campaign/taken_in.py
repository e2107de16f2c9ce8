"""Blocks that were measured elsewhere, taken into a campaign here.

What comes is the folder of a campaign, as a bundle writes it: campaign.yaml, and for each scenario
its blocks. Nothing is taken in before everything was checked.
"""

from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock

from remeasure.bench.base.atomic import atomic_path
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.hashes import file_hash
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import (
    Frozen,
    block_path,
    campaign_folder,
    frozen_path,
    load_frozen,
)
from remeasure.bench.campaign.machine_kind import kind_with, require_one_kind
from remeasure.bench.campaign.plan import block_order
from remeasure.bench.campaign.release import require_not_released
from remeasure.bench.campaign.succession import advance

_ONE = ("format", "profile", "seed", "testbed", "rules")
"""fields of campaign.yaml that all blocks of a campaign share"""
_ADDED = ("scenarios", "topologies", "registered", "deciding")
"""fields to which blocks of another scenario add an entry"""


def take_in(folder: Path) -> list[Path]:
    """Copy the blocks of a campaign's folder into the campaign of that name here, which begins with
    them if it is not there. Returns the new archives.

    Raises UserError, and takes in nothing, if a block is damaged or unfinished, does not belong to
    the campaign, or has the number of another block that is here.
    """
    source = folder / "campaign.yaml"
    if not source.exists():
        raise UserError(
            f"{folder}: found no campaign.yaml, expected the folder of a campaign, which a bundle "
            "makes; give this folder"
        )
    theirs = load_frozen(source)
    campaign = theirs.campaign
    require_not_released(campaign)
    found = sorted(folder.glob("*/block-*.zip"))
    if not found:
        raise UserError(f"{folder}: found no block-NN.zip in a folder of a scenario; measure one")
    here = campaign_folder(campaign)
    if folder.resolve() == here.resolve():
        raise UserError(f"{folder}: is the campaign's folder here; give one from elsewhere")
    together = [*sorted(here.glob("*/block-*.zip")), *found]
    targets = {path: _target(path, source, theirs) for path in found}
    require_one_kind({path: BlockArchive(path).block for path in together})
    new = {path: target for path, target in targets.items() if _is_new(path, target)}
    if not new:
        raise UserError(f"{folder}: all {len(found)} blocks are here already, with the same bytes")
    here.mkdir(parents=True, exist_ok=True)
    with FileLock(here / ".lock"):
        _write_frozen(source, theirs)
        for path, target in new.items():
            target.parent.mkdir(exist_ok=True)
            with atomic_path(target) as part:
                part.write_bytes(path.read_bytes())
    return list(new.values())


def _target(path: Path, source: Path, theirs: Frozen) -> Path:
    """The place of a block here. Raises UserError if it is damaged, unfinished, or of another
    campaign."""
    archive = BlockArchive(path)
    block, trials = archive.block, archive.trials
    archive.read_rest()
    number = block["block"]
    scenario = theirs.scenario(path.parent.name, source)
    expected = {
        "campaign": theirs.campaign,
        "scenario": path.parent.name,
        "profile": theirs.profile,
        "seed": theirs.seed,
        "order": block_order(scenario, theirs.seed, number),
    }
    for field, value in expected.items():
        if block[field] != value:
            shown = "another order" if field == "order" else repr(block[field])
            wanted = "the order of its seed" if field == "order" else repr(value)
            raise UserError(
                f"{path}: {field}: found {shown}, expected {wanted}, as {source} has it; take the "
                "block to the folder of its own campaign"
            )
    if path.name != f"block-{number:02d}.zip":
        raise UserError(f"{path}: found block {number}, expected the name block-{number:02d}.zip")
    if len(trials) != len(block["order"]):
        raise UserError(
            f"{path}: found {len(trials)} trials, expected {len(block['order'])}; let the bundle "
            "finish it"
        )
    return block_path(theirs.campaign, path.parent.name, number)


def _is_new(path: Path, target: Path) -> bool:
    """Raises UserError if there is another block of this number here."""
    if not target.exists():
        return True
    if file_hash(path) != file_hash(target):
        raise UserError(
            f"{path}: found other bytes than {target} has, expected a block that is not here; "
            "restore the one that was altered, or name another campaign when you measure"
        )
    return False


def _write_frozen(source: Path, theirs: Frozen) -> None:
    """Write campaign.yaml here, with the scenarios that are new. Raises UserError naming a field in
    which both campaigns differ."""

    def add(newest: Path | None) -> bytes:
        document = _joined(source, theirs, load_frozen(newest) if newest else theirs)
        text: str = yaml.safe_dump(document, sort_keys=False, width=100)
        return text.encode()

    advance(frozen_path(theirs.campaign), add)


def _joined(source: Path, theirs: Frozen, ours: Frozen) -> dict[str, Any]:
    """What campaign.yaml says of both. Raises UserError."""
    document, new = ours.model_dump(), theirs.model_dump()
    kind = kind_with(f"{source}: machine", theirs.machine, ours.machine, frozen_path(ours.campaign))
    document["machine"] = kind
    for field in _ONE:
        if document[field] != new[field]:
            raise _other(source, field, new[field], document[field])
    for field in _ADDED:
        for name, value in new[field].items():
            if document[field].setdefault(name, value) != value:
                raise _other(source, f"{field}.{name}", "another", "the same")
    return document


def _other(source: Path, field: str, found: object, expected: object) -> UserError:
    return UserError(
        f"{source}: {field}: found {found}, expected {expected}, as the campaign of this name has "
        "it here; name another campaign when you measure"
    )
