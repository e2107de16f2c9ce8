"""Every fault ends as the catalogue expects."""

import re
import shutil

import pytest
from catalogue import Fault, Group, groups
from grounds import Ground, LabGround, Said
from grounds import known as known_grounds
from injections import inject

_BAR = re.compile(r"^trial \d+/\d+ |\d+%\||it/s\]|^\w+, round \d+ of \d+, [^:]*(: trial .*)?$")
"""lines of progress, and of trials that other tests disturbed, not messages"""
_BUSY = re.compile(r"processor use \d+%|runs of probes were disturbed|stood still")
"""reasons of a trial that was measured while the machine was busy, as it is during tests"""
ATTEMPTS = 3
"""how often a fault is injected until its trial shows more than a machine busy with other tests"""
SAMPLE = 4
"""how many faults of a group without guests are tried where slow tests are not asked for"""
CATALOGUE, GROUNDS = groups(), known_grounds()


def meet(ground: Ground, group: Group, fault: Fault) -> None:
    """Raises AssertionError if the fault does not end as expected."""
    command = fault.run or group.run
    if fault.during:
        ground.sabotage(fault.during, fault.after_s, fault.inject, fault.each_attempt)
    else:
        inject(ground, fault.inject)
    before = ground.files()
    said = ground.run(command)
    assert "Traceback (most recent call last)" not in said.output, said.output
    assert not said.left, (said.left, said.output)
    if fault.ends in ("refused", "interrupted"):
        _require_message(fault, said, command)
    if fault.ends == "refused":
        # Two clones that share their results lock the folder itself.
        written = sorted(ground.files() - before - {"results"})
        assert not written, (written, said.output)
    elif fault.ends == "interrupted":
        ground.sabotage_no_more()
        again = ground.run(command)
        assert again.status == 0 and not again.left, again
    else:
        assert said.status == 0, said.output
        if fault.ends == "works":
            assert re.search(fault.says, said.output), said.output
        else:
            _require_verdict(ground, fault, said)


def _require_message(fault: Fault, said: Said, command: list[str]) -> None:
    """One line explains why a command ended."""
    assert said.status, said.output
    lines = [line.strip() for line in re.split(r"[\r\n]+", said.output)]
    messages = [line for line in lines if line and not _BAR.search(line)]
    # Snakemake tells its own story around the line.
    if command[0] != "snakemake":
        assert len(messages) == 1, said.output
    assert any(re.search(fault.says, line) for line in messages), said.output


def _require_verdict(ground: Ground, fault: Fault, said: Said) -> None:
    """The verdict of the trial that met the fault, which is the first, and its reasons."""
    first = ground.trials()[0]
    verdict, reasons = first["verdict"], first["reasons"]
    again = [f"attempt {first['attempt']}"] if first["attempt"] > 1 else []
    if fault.ends == "accepted" and verdict == "suspect" and all(map(_BUSY.search, reasons)):
        verdict = "accepted"  # other tests kept the machine busy
    told = "; ".join([*again, *reasons])
    assert verdict == fault.ends, (verdict, told, said.output)
    assert re.search(fault.says, told), told


def marks(ground: str, place: int, whole: bool) -> list[pytest.MarkDecorator]:
    """Whether a fault starts guests, whether it is tried only with slow tests, and whether it takes
    even longer. `place`: in its group, from 0."""
    lab = issubclass(GROUNDS[ground], LabGround)
    slow = lab or place >= SAMPLE
    return [pytest.mark.lab] * lab + [pytest.mark.slow] * slow + [pytest.mark.whole] * whole


CASES = [
    pytest.param(group, name, id=f"{group}/{name}", marks=marks(content.ground, i, fault.whole))
    for group, content in CATALOGUE.items()
    for i, (name, fault) in enumerate(content.faults.items())
]


@pytest.mark.parametrize("group, name", CASES)
def test_fault(group, name, tmp_path, tmp_path_factory):
    content = CATALOGUE[group]
    fault = content.faults[name]
    for program in fault.needs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not on this machine")
    for left in reversed(range(ATTEMPTS)):
        ground = GROUNDS[content.ground](tmp_path / f"{left}", tmp_path_factory.getbasetemp())
        try:
            meet(ground, content, fault)
        except AssertionError as error:
            if not left or "foreign processor use" not in str(error):
                raise
        else:
            break
        finally:
            shutil.rmtree(ground.project.folder.resolve(), ignore_errors=True)
