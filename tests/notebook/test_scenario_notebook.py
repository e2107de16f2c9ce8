"""A notebook that keeps some of its campaigns."""

from remeasure.bench.campaign import folder
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SECOND = "lab-2026-11-qemu"


def test_all_facts_are_of_the_kept_campaigns(tmp_path):
    notebook = ScenarioNotebook("data/tidy/per-cpu-sas", [], tmp_path / "per_cpu_sas")
    first = notebook.scenario
    assert (
        SECOND in notebook.where["campaign"]
        and "lab-2026-11-smp-pinned" in notebook.where["campaign"]
    )
    notebook.only([SECOND])
    expected = folder.measured_scenario(notebook.blocks[0])
    assert {block.parts[-3] for block in notebook.blocks} == {SECOND}
    assert notebook.scenario.document == expected.document != first.document
    assert set(notebook.trials["campaign"]) == {SECOND} == set(notebook.where["campaign"].split())
