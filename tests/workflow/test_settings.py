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
    """A dry run prints the first cell of a block's order, which the seed decides."""

    def heading(*options: str) -> str:
        status, output = shared_project.run(
            *("remeasure", "measure", "--dry-run", "mine", "algorithm-sweep", "1"),
            *("--profile", "quick", "--testbed", "example-windows", *options),
        )
        assert status == 0, output
        return output.partition("\n")[0]

    usual = heading()
    assert usual == heading("--seed", "2026")
    cells = ((seed, heading("--seed", str(seed))) for seed in range(1, 5))
    other, cell = next((seed, cell) for seed, cell in cells if cell != usual)
    path = shared_project.folder / "config/config.yaml"
    path.write_text(path.read_text().replace("seed: 2026", f"seed: {other}"))
    assert heading() == cell
