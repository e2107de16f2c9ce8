"""Measure a block in virtual time again, and compare it with itself byte by byte."""

import shutil

from remeasure.campaign.archive import BlockArchive, first_difference
from remeasure.campaign.folder import block_path, choose_scenario, read_frozen
from remeasure.campaign.release import manifest_path
from remeasure.campaign.staging import Staging
from remeasure.campaign.virtual import add_measurement
from remeasure.errors import UserError
from remeasure.lab.testbeds import document_of, load_testbed
from remeasure.measure.block import Block, BlockOrder, software_commit
from remeasure.measure.stopwatch import Stopwatch
from remeasure.paths import ROOT

RESULTS = ROOT / "results" / "repeat"


def repeat_block(campaign: str, scenario_name: str, number: int, testbed_name: str) -> str:
    """Measure a block again, as its campaign has it, and compare. Returns what was found, in one
    line.

    Where the campaign is not released, the measurement is entered beside the block. Raises
    UserError naming the first file and line that differ; then the second archive is kept.
    """
    archive = block_path(campaign, scenario_name, number)
    frozen = read_frozen(campaign)
    if frozen is None or not archive.exists():
        raise UserError(f"{archive}: no such block; measure it first")
    testbed = load_testbed(testbed_name)
    if document_of(testbed) != frozen.testbed:
        raise UserError(
            f"campaign {campaign}: measured on {frozen.testbed}, found testbed {testbed_name} with "
            f"{document_of(testbed)}; name its own by --testbed"
        )
    scenario = choose_scenario(campaign, scenario_name, None)
    order = BlockOrder(campaign, scenario_name, number, frozen.profile, testbed_name, frozen.seed)
    # A later commit is to do the same, so the new archive says the same of its software.
    then = BlockArchive(archive).block["sessions"][0]["software"]
    block = Block(order, scenario, testbed, then)
    if not block.hosts.repeats:
        raise UserError(
            f"testbed {testbed_name}: found {testbed.backend}, expected virtual: no two "
            "blocks of another testbed are the same"
        )
    block.require()
    again = RESULTS / campaign / scenario_name / archive.name
    again.unlink(missing_ok=True)
    again.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(Staging(again).folder, ignore_errors=True)
    stopwatch = Stopwatch(software_commit())
    with Staging(again) as staging:
        with block.hosts:
            block.measure(staging)
        staging.pack()
    if difference := first_difference(archive, again):
        raise UserError(f"{again}: not the same as {archive}: {difference}")
    measured = stopwatch.measurement(again, block.trials_ns)
    if not manifest_path(campaign).exists():
        add_measurement(archive, measured)
    again.unlink()
    return f"{archive}: the same bytes again ({measured.sha256}), in {measured.seconds:g} s"
