"""Settings of the workflow: what is mistyped measures nothing, and defaults are the same ones."""

import pytest


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("testbd=netns", "testbd: unknown field (found 'netns'); did you mean testbed?"),
        ("seed=first", "seed: Input should be a valid integer (found 'first')"),
    ],
)
def test_a_mistyped_setting_measures_nothing(shared_project, settings, message):
    mine = ("campaign=mine", "profile=smoke", settings)
    status, output = shared_project.run("snakemake", "--dry-run", "--config", *mine)
    assert status != 0 and "Traceback" not in output
    assert f"config/config.yaml or --config: {message}" in output.splitlines()
    assert not (shared_project.folder / "data/raw/mine").exists()
    assert not (shared_project.folder / "results").exists()


def test_the_seed_of_the_command_is_that_of_the_configuration(shared_project):
    path = shared_project.folder / "config/config.yaml"
    path.write_text(path.read_text().replace("seed: 2026", "seed: 7"))
    status, output = shared_project.run("remeasure", "begin", "mine", "psk-rsa", "--profile=smoke")
    assert status == 0, output
    assert "seed: 7\n" in (shared_project.folder / "data/raw/mine/campaign.yaml").read_text()
