"""The probe that CONTRIBUTING tells to copy: copied under another name, a scenario has it."""

import pytest

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.template import Template

LOG = "0.52 0.58 0.59 3/812 4711\n0.48 0.57 0.58 1/812 4712\n"


def test_the_template_reads_a_log():
    found = [(o.metric, o.value, o.unit, o.index) for o in Template.parse("1.log", LOG.encode())]
    assert found == [("load", 0.52, "1", 1), ("load", 0.48, "1", 2)]
    with pytest.raises(LogError, match="2.*expected a line of /proc/loadavg"):
        list(Template.parse("1.log", (LOG.splitlines()[0] + "\nup 3 days\n").encode()))


def test_a_copy_of_the_template_is_a_probe_of_scenarios(project):
    folder = project.folder / "workflow/remeasure/bench/probes"
    text = (folder / "template.py").read_text().replace("Template", "Busy")
    (folder / "busy.py").write_text(text.replace('"template"', '"busy"'))
    scenario = project.folder / "notebooks/receive_offload/scenario.yaml"
    scenario.write_text(
        scenario.read_text().replace("probes:\n", "probes:\n  busy: {probe: busy, host: left}\n", 1)
    )
    status, output = project.run("remeasure", "schema")
    assert status == 0, output
    assert '"busy"' in (project.folder / "config/schemas/scenario.json").read_text()
    load = "from remeasure.bench.campaign.scenario import load_scenario as load; "
    load += "print(load('receive-offload', 'smoke').settings_where().probes['busy'].count)"
    status, output = project.run("python", "-c", load)
    assert (status, output) == (0, "3\n")
