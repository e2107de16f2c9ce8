"""Another back end is a file, an entry and a testbed, which every command then knows."""

import re

from remeasure.bench.lab.testbeds import BACKENDS

NAME = "zz_test"
"""name of the back end, which nobody has added"""


def test_every_door_knows_it(project):
    """Its file is a copy of uml's, and it is entered before the others."""
    lab = project.folder / "workflow/remeasure/bench/lab"
    (lab / f"{NAME}.py").write_text((lab / "uml.py").read_text().replace('"uml"', f'"{NAME}"'))
    entries = (lab / "testbeds.py").read_text()
    for pattern, after in (
        (r"^(?=from remeasure\.bench\.lab import )", f"from remeasure.bench.lab import {NAME}\n"),
        (r"^KINDS = \(", f"KINDS = ({NAME}.KIND, "),
    ):
        entries, found = re.subn(pattern, after, entries, flags=re.MULTILINE)
        assert found == 1
    (lab / "testbeds.py").write_text(entries)
    testbed = project.folder / f"config/testbeds/{NAME}.yaml"
    testbed.write_text("backend: docker\n")
    names = ", ".join([NAME, *BACKENDS])
    status, _ = project.run("remeasure", "schema")
    assert status == 0
    assert f'"{NAME}"' in (project.folder / "config/schemas/testbed.json").read_text()
    assert project.run("remeasure", "check", NAME) == (
        1,
        f"remeasure: {testbed}: backend: found 'docker', expected ssh (machines), virtual (virtual "
        f"time) or, for a lab, {names}\n",
    )
