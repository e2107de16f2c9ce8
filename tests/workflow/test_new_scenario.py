"""A new scenario of existing probes is a YAML file and a notebook, and no other edit."""

import re

import pytest
from second_build import add_scenario

from remeasure.bench.base.errors import UserError
from remeasure.graph.inputs import check_notebooks


def test_it_is_measured_and_built(project):
    files = add_scenario(project).planned("campaign=mine", "profile=smoke")
    of_both = {
        "data/raw/mine/{}/block-01.zip",
        "results/mine/tidy/{}/trials.parquet",
        "results/mine/tidy/{}/observations.parquet",
    }
    for name, notebook in (("receive-offload", "receive_offload"), ("offload-2", "offload_2")):
        assert {path.format(name) for path in of_both} <= files
        assert f"results/mine/notebooks/{notebook}.html" in files
    assert {"results/mine/paper.pdf", "results/mine/site"} <= files
    assert not [file for file in files if re.match("results/(?!mine/|begun/)", file)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lonely", "notebooks/lonely: no file lonely.ipynb, which a scenario needs"),
        ("wordless", "notebooks/wordless: no file answer.md, which a scenario needs"),
        ("claims", "notebooks/claims: claims is the notebook of all studies; rename the scenario"),
    ],
)
def test_a_scenario_that_cannot_have_its_notebook_is_one_line(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notebooks/wordless").mkdir(parents=True)
    (tmp_path / "notebooks/wordless/wordless.ipynb").touch()
    with pytest.raises(UserError, match=message):
        check_notebooks([name])


@pytest.mark.lab
@pytest.mark.slow
def test_one_command_measures_it_and_it_is_built_with_all_others(built_again):
    """The paper does not mention it, and is built all the same. A notebook that failed left no
    output."""
    status, output = built_again.measured
    assert status == 0 and built_again.page, output
    status, output = built_again.built
    assert status == 0, output
    results = built_again.project.folder / "results"
    assert (results / "handed/offload_2/numbers.json").exists()
    assert (results / "paper.pdf").exists()
    status, output = built_again.failed
    assert status != 0 and "ValueError: no such luck" in output
    assert built_again.left == []
