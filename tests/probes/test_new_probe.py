"""The probe that CONTRIBUTING names as a model: copied under another name, a scenario has it."""


def test_a_copy_is_a_probe_of_scenarios(project):
    folder = project.folder / "workflow/remeasure/bench/probes"
    text = (folder / "traceroute.py").read_text().replace("Traceroute", "Busy")
    (folder / "busy.py").write_text(
        text.replace('kind: ClassVar = "traceroute"', 'kind: ClassVar = "busy"')
    )
    scenario = project.folder / "notebooks/receive_offload/scenario.yaml"
    scenario.write_text(
        scenario.read_text().replace(
            "probes:\n", "probes:\n  busy: {probe: busy, source: left, target: right}\n", 1
        )
    )
    status, output = project.run("remeasure", "schema")
    assert status == 0, output
    assert '"busy"' in (project.folder / "config/schemas/scenario.json").read_text()
    load = "from remeasure.bench.campaign.scenario import load_scenario as load; "
    load += "print(load('receive-offload', 'smoke').settings_where().probes['busy'].max_hops)"
    status, output = project.run("python", "-c", load)
    assert (status, output) == (0, "8\n")
