"""A campaign whose rounds are not all measured: nothing is made from it without a mark."""

import shutil

import pytest
import yaml

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.round_plan import Gate, RoundPlan
from remeasure.bench.campaign.rounds import progress, require_whole
from remeasure.paper.notebook.opening_answer import opening
from remeasure.paper.notebook.preview import mark_of_results, mark_of_table, require_no_preview
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.publish.paper_macros import write_numbers
from remeasure.paper.tidy.tables import write_tables

CAMPAIGN, SCENARIO = "lab-2026-11-qemu", "per-cpu-sas"
MARK = "PREVIEW: lab-2026-11-qemu, 1 of 2 rounds; do not cite"


@pytest.fixture
def blocks(tmp_path, monkeypatch):
    """The block of a released campaign, as the first of two rounds."""
    shutil.copytree(RAW / CAMPAIGN, tmp_path / CAMPAIGN)
    monkeypatch.setattr(folder, "RAW", tmp_path)
    (tmp_path / CAMPAIGN / "manifest.json").unlink()
    path = tmp_path / CAMPAIGN / "campaign.yaml"
    plan = RoundPlan.drawn(Gate(), [[(SCENARIO, 1)], [(SCENARIO, 2)]])
    document = yaml.safe_load(path.read_text()) | {"rounds": plan.model_dump()}
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return [tmp_path / CAMPAIGN / SCENARIO / "block-01.zip"]


def test_an_unfinished_campaign_is_refused_or_marked(blocks, tmp_path):
    with pytest.raises(UserError, match=r"^lab-2026-11-qemu: 1 of 2 rounds measured, and nothing"):
        write_tables(blocks, tmp_path / SCENARIO)
    write_tables(blocks, tmp_path / SCENARIO, MARK)
    assert mark_of_table(tmp_path / SCENARIO / "trials.parquet") == MARK
    shutil.copy(blocks[0], blocks[0].with_name("block-02.zip"))
    assert progress(folder.load_frozen(folder.frozen_path(CAMPAIGN))) == ""
    assert require_whole(blocks, preview=True) == ""


def test_a_campaign_released_after_fewer_rounds_says_so_and_is_no_preview(blocks, tmp_path):
    (tmp_path / CAMPAIGN / "manifest.json").touch()
    write_tables(blocks, tmp_path / SCENARIO)
    mark = mark_of_table(tmp_path / SCENARIO / "trials.parquet")
    assert mark == "lab-2026-11-qemu, 1 of 2 rounds"
    results = Results(tmp_path / "handed/demo")
    results.mark(mark)
    require_no_preview([results.folder])


def test_a_notebook_refuses_blocks_without_the_mark_in_its_tables(blocks, tmp_path):
    names = [str(block) for block in blocks]
    write_tables([RAW / CAMPAIGN / SCENARIO / "block-01.zip"], tmp_path / SCENARIO)
    with pytest.raises(UserError, match="1 of 2 rounds measured"):
        ScenarioNotebook(str(tmp_path / SCENARIO), names, tmp_path / "out/per_cpu_sas")
    write_tables(blocks, tmp_path / SCENARIO, MARK)
    ScenarioNotebook(str(tmp_path / SCENARIO), names, tmp_path / "out/per_cpu_sas")
    assert mark_of_results([tmp_path / "out/per_cpu_sas"]) == MARK


def test_answer_and_paper_have_the_mark(tmp_path):
    results = Results(tmp_path / "handed/demo")
    results.mark(MARK)
    results.answer()
    assert opening(results.folder) == [{"text/markdown": f"**{MARK}**"}]
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper/main.tex").write_text("nothing")
    write_numbers(tmp_path / "numbers.tex", [results.folder], tmp_path / "paper", [])
    assert rf"\newcommand{{\preview}}{{{MARK}}}" in (tmp_path / "numbers.tex").read_text()
    assert r"\preview" in (ROOT / "paper/main.tex").read_text()
    with pytest.raises(UserError, match="finish the campaign"):
        require_no_preview([results.folder])
