"""A new scenario of existing probes is a YAML file and a notebook, and no other edit."""

import shutil

import pytest


@pytest.fixture
def with_scenario(project):
    """calibration under another name, with one rate changed."""
    scenarios, notebooks = project.folder / "config/scenarios", project.folder / "notebooks"
    text = (scenarios / "calibration.yaml").read_text()
    assert "rate: 24mbit" in text
    (scenarios / "slow-link-2.yaml").write_text(text.replace("rate: 24mbit", "rate: 34mbit"))
    shutil.copy(notebooks / "calibration.ipynb", notebooks / "slow_link_2.ipynb")
    return project


def planned(project, *settings: str) -> set[str]:
    """The files that a run would make."""
    command = ("snakemake", "--dry-run", "--quiet", "host")
    status, output = project.run(*command, *(("--config", *settings) if settings else ()))
    assert status == 0, output
    return {
        file
        for line in output.splitlines()
        if line.strip().startswith("output: ")
        for file in line.partition(":")[2].replace(",", " ").split()
    }


def test_it_is_measured_and_built(with_scenario):
    files = planned(with_scenario, "campaign=mine", "profile=smoke")
    of_both = {
        "data/raw/mine/{}/block-01.zip",
        "results/tidy/{}/trials.parquet",
        "results/tidy/{}/observations.parquet",
    }
    for name, notebook in (("calibration", "calibration"), ("slow-link-2", "slow_link_2")):
        assert {path.format(name) for path in of_both} <= files
        assert f"results/notebooks/{notebook}.html" in files
    assert "results/paper.pdf" in files


def test_without_a_campaign_it_waits_to_be_measured(with_scenario):
    files = planned(with_scenario)
    assert "results/notebooks/calibration.html" in files
    assert not [path for path in files if "slow" in path]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lonely", "lonely.yaml: no notebook notebooks/lonely.ipynb; write one"),
        ("claims", "claims.yaml: claims is the notebook of all studies; rename the file"),
    ],
)
def test_a_scenario_that_cannot_have_its_notebook_is_one_line(project, name, message):
    scenarios = project.folder / "config/scenarios"
    shutil.copy(scenarios / "calibration.yaml", scenarios / f"{name}.yaml")
    status, output = project.run(
        "snakemake", "--dry-run", "--config", "campaign=mine", "profile=smoke"
    )
    assert status != 0 and "Traceback" not in output
    assert [line for line in output.splitlines() if message in line]
