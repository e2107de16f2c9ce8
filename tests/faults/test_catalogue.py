"""Every fault of the catalogue ends as the catalogue says."""

import shutil

import pytest
from catalogue import groups
from endings import meet
from grounds import LabGround
from grounds import known as known_grounds
from injections import known as known_injections

ATTEMPTS = 3
"""how often a fault is injected until its trial says more than that other tests kept the machine
busy"""
SAMPLE = 4
"""how many faults of a group without guests are tried where slow tests are not asked for"""
CATALOGUE, GROUNDS = groups(), known_grounds()


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


def test_the_catalogue_names_injections_that_there_are():
    for group, content in CATALOGUE.items():
        for name, fault in content.faults.items():
            assert set(fault.inject) <= set(known_injections()), f"{group}/{name}"
