"""Inputs of files of a build."""

import pytest

from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import studies_of, with_ours
from remeasure.graph.inputs import published_files, studies_asked


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
