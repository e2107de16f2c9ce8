"""A notebook of a scenario that several machines measured says how they differ."""

import json

import pyarrow.parquet as pq
import pytest
from english import too_long
from made_up_study import STATED, study, summaries

from remeasure.analysis.machine_effect import MACHINES
from remeasure.analysis.verdicts.judging import judge
from remeasure.analysis.verdicts.ledger import method
from remeasure.analysis.verdicts.readable import Bench
from remeasure.claims.rules import RULES
from remeasure.columns import TABLES
from remeasure.notebook import scenario_notebook
from remeasure.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paths import ROOT

SCENARIO, CAMPAIGN = "psk-rsa", "lab-2026-11-22"
TIDY = ROOT / "data/tidy" / SCENARIO
OWN = dict.fromkeys(range(1, 11), "all")
THREE = {block: "abc"[block % 3] for block in range(1, 11)}
EACH = {block: f"m{block}" for block in range(1, 11)}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The notebook of released tables, as if these machines had measured their blocks: real data
    that say of themselves what is not true."""

    def of(machines: dict[int, str]) -> ScenarioNotebook:
        folder = tmp_path_factory.mktemp("machines")
        (folder / SCENARIO).mkdir()
        for name in TABLES:
            table = pq.read_table(TIDY / f"{name}.parquet")
            named = {"machines": json.dumps({CAMPAIGN: machines})}
            labelled = table.replace_schema_metadata(table.schema.metadata | named)
            pq.write_table(labelled, folder / SCENARIO / f"{name}.parquet")
        notebook = ScenarioNotebook(str(folder / SCENARIO), [], str(folder / "out"))
        notebook.summarise("mean")
        return notebook

    return of


def shown(notebook, monkeypatch) -> list:
    parts = []
    monkeypatch.setattr(scenario_notebook, "display", parts.append)
    notebook.machines()
    return parts


def test_released_blocks_say_nothing_of_machines(tmp_path, monkeypatch):
    notebook = ScenarioNotebook(str(TIDY), [], str(tmp_path))
    assert shown(notebook, monkeypatch) == []


def test_a_notebook_says_how_machines_differ(opened, monkeypatch):
    words, table = shown(opened(THREE), monkeypatch)
    assert "3 machines measured these blocks" in words.data
    assert "goodput, Mbit/s" in words.data
    assert list(table["machine"]) == ["a", "b", "c"]
    assert list(table["blocks"]) == [3, 4, 3]
    over = table["over the mean of all machines"].astype(float)
    assert 0.9 < over.min() < 1 < over.max() < 1.1
    assert too_long(words.data) == []


def test_estimates_are_over_machines(opened):
    several, one = opened(THREE), opened(OWN)
    auth = {"quantity": "ratio", "of": {"auth": "rsa"}, "to": {"auth": "psk"}}
    over, pooled = (of.estimate(metric="ike_sa", **auth) for of in (several, one))
    assert over.n == pooled.n == 10
    assert (over.low, over.high) != (pooled.low, pooled.high)
    # Blocks of other campaigns have their numbers, too, and were measured elsewhere.
    foreign = several.summaries.copy()
    foreign.attrs[MACHINES] = {}
    assert several.estimate(foreign, metric="ike_sa", **auth) == pooled


def test_verdicts_are_over_machines(opened):
    assert opened(THREE)._bench().machines == THREE
    claim = {"tests": [STATED]}
    table = summaries([90.0, 91, 92, 93, 94], [99.0, 100, 92, 93.2, 94.1])
    machines = dict(enumerate("aabbb", 1))
    blocks, over = (
        judge(study(claim), {"mean": table}, RULES[2], Bench(machines=machines))
        for machines in ({}, machines)
    )
    assert (blocks.answers["high"] < over.answers["high"]).all()
    assert "over blocks" in method(blocks.rules, blocks.over_machines)
    assert "over machines" in method(over.rules, over.over_machines)


def test_a_machine_for_each_block_cannot_be_told(opened, monkeypatch):
    (words,) = shown(opened(EACH), monkeypatch)
    assert "cannot be compared" in words.data
