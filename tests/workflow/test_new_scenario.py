"""A new scenario of existing probes is a YAML file and a notebook, and no other edit."""

import shutil

import pytest

LITTLE = "smoke: {network: [rate-24]}"


@pytest.fixture
def with_scenario(project):
    return add_scenario(project)


def add_scenario(project):
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


@pytest.mark.lab
def test_it_is_measured_and_then_part_of_what_is_built(built_copy):
    """One command measures it and shows its notebook; named in the configuration, it is built with
    all others. The paper does not mention it, and is built all the same."""
    project = add_scenario(built_copy)
    scenario = project.folder / "config/scenarios/slow-link-2.yaml"
    text = scenario.read_text()
    assert "smoke: {network: [normal, delay-10]}" in text
    scenario.write_text(text.replace("smoke: {network: [normal, delay-10]}", LITTLE))
    page = "results/notebooks/slow_link_2.html"
    mine = ("--config", "campaign=mine", "profile=smoke")
    status, output = project.run("snakemake", "--cores", "2", page, *mine)
    assert status == 0, output
    assert (project.folder / page).exists()
    settings = project.folder / "config/config.yaml"
    settings.write_text(settings.read_text() + "  slow-link-2: mine\n")
    (project.folder / "results/paper.pdf").unlink()
    status, output = project.run("snakemake", "--cores", "2")
    assert status == 0, output
    assert (project.folder / "results/paper.pdf").exists()
