"""Another back end is a file, an entry and a testbed, which every command then knows."""

import re

import pytest

from remeasure.bench.lab.backends import BACKENDS

NAME = "zz_test"
"""name of the back end, which nobody has added"""


@pytest.fixture
def project_with_plain(project):
    """A copy with the back end, which is uml's file, entered before those that are there."""
    lab = project.folder / "workflow/remeasure/bench/lab"
    (lab / f"{NAME}.py").write_text((lab / "uml.py").read_text().replace('"uml"', f'"{NAME}"'))
    entries = (lab / "backends.py").read_text()
    for pattern, after in (
        (r"^(?=from remeasure\.bench\.lab import )", f"from remeasure.bench.lab import {NAME}\n"),
        (r"^KINDS = \(", f"KINDS = ({NAME}.KIND, "),
    ):
        entries, found = re.subn(pattern, after, entries, flags=re.MULTILINE)
        assert found == 1
    (lab / "backends.py").write_text(entries)
    (project.folder / f"config/testbeds/{NAME}.yaml").write_text(f"backend: {NAME}\n")
    return project


def test_every_door_knows_it(project_with_plain):
    project = project_with_plain
    names = ", ".join([NAME, *BACKENDS])
    status, output = project.run("remeasure", "schema")
    assert status == 0
    assert f'"{NAME}"' in (project.folder / "config/schemas/testbed.json").read_text()
    status, output = project.run("remeasure", "lab", "host-to-host", "--backend", "docker")
    assert status == 1
    assert output == f"remeasure: --backend: found 'docker', expected one of {names}\n"
    testbed = project.folder / f"config/testbeds/{NAME}.yaml"
    testbed.write_text("backend: docker\n")
    status, output = project.run("remeasure", "check", NAME)
    assert status == 1
    assert output == (
        f"remeasure: {testbed}: backend: found 'docker', expected ssh (machines), virtual (virtual "
        f"time) or, for a lab, {names}\n"
    )
