"""Measure a block in virtual time again, and compare both archives byte by byte. The block's own
commit measures it, in a git worktree: a later commit may record more, and its block then differs
though nothing is wrong."""

import shutil
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.base.worktree import checked_out, is_commit, run, software_commit
from remeasure.bench.campaign.archive import BlockArchive, first_difference
from remeasure.bench.campaign.folder import block_path, choose_scenario, read_frozen
from remeasure.bench.campaign.release import manifest_path
from remeasure.bench.campaign.staging import Staging
from remeasure.bench.campaign.virtual_blocks import Measurement, add_measurement, read_machines
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.measure.block import Block, BlockOrder

RESULTS = ROOT / "results" / "repeat"


def repeat_block(
    campaign: str, scenario: str, number: int, testbed: str, present: bool = False
) -> str:
    """Measure a block again by its own commit, or by the code here if `present`. Returns one line.
    A campaign that is not released gets a measurement with the same bytes entered. Raises UserError
    if the block cannot be measured, or naming the first difference; the second archive is then
    kept."""
    archive, frozen = block_path(campaign, scenario, number), read_frozen(campaign)
    if frozen is None or not archive.exists():
        raise UserError(f"{archive}: no such block; measure it first")
    first = BlockArchive(archive).block["sessions"][0]
    if not first["guests"]["virtual_clock"]:
        raise UserError(
            f"{archive}: guests.virtual_clock: found False (back end {first['guests']['backend']}),"
            " expected True: no two blocks that were measured in real time are the same"
        )
    order = BlockOrder(campaign, scenario, number, frozen.profile, testbed, frozen.seed)
    again = RESULTS / archive.relative_to(RAW)
    again.unlink(missing_ok=True)
    again.parent.mkdir(parents=True, exist_ok=True)
    software = first["software"]
    here = present or software == software_commit()
    measured = (
        _measured_here(order, again, software) if here else _by_commit(order, again, software)
    )
    if difference := first_difference(archive, again):
        raise UserError(f"{again}: not the same as {archive}: {difference}")
    again.unlink()
    if not manifest_path(campaign).exists():
        add_measurement(archive, measured)
    return f"{archive}: the same bytes again ({measured.sha256}), in {measured.seconds:g} s"


def _measured_here(order: BlockOrder, again: Path, software: str) -> Measurement:
    scenario = choose_scenario(order.campaign, order.scenario, None)
    block = Block(order, scenario, load_testbed(order.testbed), software)
    if not block.hosts.repeats:
        raise UserError(f"testbed {order.testbed}: expected one in virtual time")
    block.require()
    staging = Staging(again)
    shutil.rmtree(staging.folder, ignore_errors=True)
    return block.make_archive(staging)


def _by_commit(order: BlockOrder, again: Path, commit: str) -> Measurement:
    """Measure by `remeasure measure` of a commit, which finds the campaign's settings only."""
    if not is_commit(commit):
        raise UserError(f"{again.name}: measured by {commit}, no commit; use --with-present")
    with checked_out(commit, "repeat", ", or use --with-present") as folder:
        campaign = folder / "data" / "raw" / order.campaign
        shutil.rmtree(campaign, ignore_errors=True)
        campaign.mkdir(parents=True)
        shutil.copy(RAW / order.campaign / "campaign.yaml", campaign)
        what = [order.campaign, order.scenario, str(order.block), "--testbed", order.testbed]
        options = ["--profile", str(order.profile), "--seed", str(order.seed)]
        run([str(folder / "env/run"), "remeasure", "measure", *what, *options], "see above")
        theirs = campaign / order.scenario / again.name
        (measured,) = read_machines(theirs)
        shutil.move(theirs, again)
        return measured
