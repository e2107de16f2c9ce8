"""Inputs of files of a build."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import studies_of, with_ours
from remeasure.graph.inputs import check_notebooks, published_files, sources, studies_asked


@pytest.fixture(autouse=True)
def in_clone(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_lines_of_studies_say_what_their_models_say():
    asked = {name: studies for name, studies in studies_asked().items() if studies}
    models = {
        name: {study.name for study in studies_of(name, names=with_ours())}
        for name in scenario_names()
    }
    assert asked == {name: studies for name, studies in models.items() if studies}


def test_a_scenario_that_explains_a_study_has_its_files():
    asked = studies_asked()
    assert "data/published/pratama.yaml" in published_files("replay-window", asked)
    assert {*published_files("psk-rsa", {})} < {*published_files("replay-window", {})}


def test_sources_are_files_and_no_commands():
    found = sources("paper/notebook")
    assert all((ROOT / path).is_file() for path in found)
    assert "workflow/remeasure/bench/base/columns.py" in found
    assert "workflow/remeasure/cli.py" not in found
    assert not any("/publish/" in path for path in found)


def test_a_scenario_needs_a_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="notebooks/psk_rsa: no file psk_rsa.ipynb"):
        check_notebooks(["psk-rsa"])
    with pytest.raises(UserError, match="claims is the notebook of all studies"):
        check_notebooks(["claims"])
