"""Every fault of the catalogue ends as the catalogue says."""

import shutil

import pytest
from catalogue import groups
from endings import meet
from grounds import known as known_grounds
from injections import known as known_injections

CATALOGUE, GROUNDS = groups(), known_grounds()
CASES = [
    pytest.param(
        group, name, id=f"{group}/{name}", marks=[pytest.mark.whole] if fault.whole else []
    )
    for group, content in CATALOGUE.items()
    for name, fault in content.faults.items()
]


@pytest.mark.parametrize("group, name", CASES)
def test_fault(group, name, tmp_path, tmp_path_factory, record_property):
    content = CATALOGUE[group]
    fault = content.faults[name]
    for program in fault.needs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not on this machine")
    ground = GROUNDS[content.ground](tmp_path, tmp_path_factory.getbasetemp())
    record_property("fault", [group, name, meet(ground, content, fault)])
    shutil.rmtree(ground.project.folder)


def test_the_catalogue_names_what_there_is():
    for group, content in CATALOGUE.items():
        assert content.ground in GROUNDS, group
        for name, fault in content.faults.items():
            assert set(fault.inject) <= set(known_injections()), f"{group}/{name}"
