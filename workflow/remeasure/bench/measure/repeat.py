"""Measure a block in virtual time again, and compare it with itself byte by byte.

It is measured by the commit, in the image and on the testbed that the block names: by this code
where it is the same, else by the commit's code, in a folder of its own (checkout.py). A later
commit may record more, or ask hosts otherwise, and its block then differs though nothing is wrong.
"""

import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.archive import BlockArchive, first_difference
from remeasure.bench.campaign.folder import choose_scenario
from remeasure.bench.campaign.release import manifest_path
from remeasure.bench.campaign.staging import Staging
from remeasure.bench.campaign.virtual_blocks import Measurement, add_measurement, read_machines
from remeasure.bench.lab.image import Image, get_image
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.measure.block import Block, BlockOrder
from remeasure.bench.measure.checkout import checked_out, files_that_differ, run_in
from remeasure.bench.measure.named import Named, named_block
from remeasure.bench.measure.software import software_commit
from remeasure.bench.measure.stopwatch import Stopwatch

RESULTS = ROOT / "results" / "repeat"
PRESENT = "--with-present"
"""option that measures with what is here, whatever the block names"""


class Repeated(NamedTuple):
    """A block that was measured again."""

    archive: Path
    """the block"""
    measured: Measurement
    """its second measurement"""
    again: Path
    """the second archive, which is kept only if it differs"""
    difference: str | None
    """first file and line that differ, in words; None if the bytes are the same"""

    def told(self) -> str:
        """What came out, in one line. Raises UserError naming the first difference."""
        if self.difference:
            raise UserError(f"{self.again}: not the same as {self.archive}: {self.difference}")
        hash_, seconds = self.measured.sha256, self.measured.seconds
        return f"{self.archive}: the same bytes again ({hash_}), in {seconds:g} s"


def repeat_block(
    campaign: str, scenario: str, number: int, testbed: str, present: bool = False
) -> Repeated:
    """Measure a block again, and compare. Where the campaign is not released, a measurement with
    the same bytes is entered beside the block.

    `present`: measure by the code, in the image and on the testbed that are here; what differs
    from those that the block names is printed before. Raises UserError if the block cannot be
    measured as it names.
    """
    block = named_block(campaign, scenario, number)
    # What no commit holds can only be measured where it is, if it is still there.
    if present or block.software == software_commit() or not block.other_code():
        done = _repeat_here(block, testbed, present)
    else:
        done = _repeat_at_commit(block, testbed)
    if not done.difference and not manifest_path(campaign).exists():
        add_measurement(block.archive, done.measured)
    return done


def _repeat_here(block: Named, testbed_name: str, present: bool) -> Repeated:
    """Measure a block by the code here. In a lab's namespaces this process starts anew; only there
    does the method go on after `require`."""
    archive, frozen = block.archive, block.frozen
    scenario_name, number = _place(archive)
    testbed = load_testbed(testbed_name)
    order = BlockOrder(
        frozen.campaign, scenario_name, number, frozen.profile, testbed_name, frozen.seed
    )
    scenario = choose_scenario(frozen.campaign, scenario_name, None)
    again_by = Block(order, scenario, testbed, block.software)
    if not again_by.hosts.repeats:
        raise UserError(
            f"testbed {testbed_name}: found {testbed.backend}, expected virtual: no two "
            "blocks of another testbed are the same"
        )
    again_by.require()
    others = [*block.other_testbed(testbed), *block.other_image(get_image())]
    if present:
        for line in [*block.other_code(), *others]:
            print(f"{archive}: {line}", file=sys.stderr)
    elif others:
        raise _other(archive, others)
    again = _new(archive)
    stopwatch = Stopwatch(software_commit())
    with Staging(again) as staging:
        with again_by.hosts:
            again_by.measure(staging)
        staging.pack()
    return _compared(archive, again, stopwatch.measurement(again, again_by.trials_ns))


def _repeat_at_commit(block: Named, testbed: str) -> Repeated:
    """Measure a block by the code of its own commit. Raises UserError if that is not here."""
    archive, commit = block.archive, block.software
    if files_that_differ(commit) is None:
        raise UserError(
            f"{archive}: block.json: software: found {commit}, expected a commit of this "
            f"repository; get its history (git fetch --unshallow), or measure with what is here: "
            f"{PRESENT}"
        )
    with checked_out(commit) as folder:
        print(f"commit {commit[:12]}: making its environment", file=sys.stderr)
        status, printed = run_in(folder, "env/guest/build")
        if status:
            raise UserError(f"commit {commit[:12]}: no environment could be made (see above)")
        if others := block.other_image(Image(Path(printed.splitlines()[-1]))):
            raise _other(archive, others)
        copy = _copied(archive, folder)
        stopwatch = Stopwatch(commit)
        scenario, number = _place(archive)
        command = ["remeasure", "repeat", block.frozen.campaign, scenario, str(number)]
        status, _ = run_in(folder, *command, "--testbed", testbed)
        if status == 0:
            return Repeated(archive, read_machines(copy)[-1], copy, None)
        theirs = folder / "results" / "repeat" / copy.relative_to(folder / "data" / "raw")
        if not theirs.exists():
            raise UserError(f"{archive}: not measured again (see above)")
        again = Path(shutil.move(theirs, _new(archive)))
    trials = [trial.record for trial in BlockArchive(again).trials]
    durations = [trial["end_ns"] - trial["start_ns"] for trial in trials]
    return _compared(archive, again, stopwatch.measurement(again, durations))


def _copied(archive: Path, folder: Path) -> Path:
    """Copy a block and its campaign's settings to where the code in `folder` looks for them. The
    campaign is not released there, so that its measurement is entered beside the copy."""
    copy = folder / "data" / "raw" / archive.relative_to(RAW)
    copy.parent.mkdir(parents=True)
    shutil.copy(archive, copy)
    shutil.copy(archive.parent.parent / "campaign.yaml", copy.parent.parent)
    return copy


def _new(archive: Path) -> Path:
    """Where the second archive goes; what an earlier command left there is removed."""
    again = RESULTS / archive.relative_to(RAW)
    again.unlink(missing_ok=True)
    again.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(Staging(again).folder, ignore_errors=True)
    return again


def _compared(archive: Path, again: Path, measured: Measurement) -> Repeated:
    difference = first_difference(archive, again)
    if not difference:
        again.unlink()
    return Repeated(archive, measured, again, difference)


def _other(archive: Path, others: list[str]) -> UserError:
    return UserError(
        f"{archive}: cannot have the same bytes here: {'; '.join(others)}; see "
        f"docs/virtual-time.md, or measure with what is here: {PRESENT}"
    )


def _place(archive: Path) -> tuple[str, int]:
    """Scenario and number of a block."""
    return archive.parent.name, int(archive.stem.removeprefix("block-"))
