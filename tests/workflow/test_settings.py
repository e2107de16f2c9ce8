"""Settings of the workflow: what is mistyped measures nothing, and defaults are the same ones."""

import pytest


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            ("campaign=mine", "profile=smoke", "testbd=netns"),
            "config/config.yaml or --config: testbd: unknown field (found 'netns'); did you mean "
            "testbed?",
        ),
        (
            ("campain=mine",),
            "config/config.yaml or --config: campain: unknown field (found 'mine'); did you mean "
            "campaign?",
        ),
        (
            ("campaign=mine", "profile=smoke", "seed=first"),
            "config/config.yaml or --config: seed: Input should be a valid integer (found 'first')",
        ),
    ],
)
def test_a_mistyped_setting_measures_nothing(shared_project, settings, message):
    status, output = shared_project.run("snakemake", "--dry-run", "--config", *settings)
    assert status != 0
    assert message in output.splitlines()
    assert "Traceback" not in output
    assert not (shared_project.folder / "data/raw/mine").exists()
    assert not (shared_project.folder / "results").exists()


def test_the_seed_of_the_command_is_that_of_the_configuration(shared_project):
    path = shared_project.folder / "config/config.yaml"
    path.write_text(path.read_text().replace("seed: 2026", "seed: 7"))
    status, output = shared_project.run("remeasure", "begin", "mine", "psk-rsa", "--profile=smoke")
    assert status == 0, output
    assert "seed: 7\n" in (shared_project.folder / "data/raw/mine/campaign.yaml").read_text()
