"""Work at the same time as a measurement. The schedule is Snakemake's own; the commands that it
starts are short ones, which print when they begin and end and make the files."""

from pathlib import Path

import pytest
import yaml
from projects import Project

from remeasure.bench.base.columns import TABLES

QUICK = Path(__file__).with_name("quick-remeasure.sh").read_text()
REMEASURE = QUICK.replace("@TABLES@", " ".join(TABLES))
KEPT = {"psk-rsa": 1, "replay-window": 1, "nat-t": 1}
"""scenario -> its blocks under profile smoke"""
DONE = "data/raw/mine/nat-t/block-01.zip"
"""a block that is there: its analysis could begin at once"""


@pytest.fixture
def quick(project) -> Project:
    """A copy of the project in which no command takes long."""
    command = project.folder / "bin/remeasure"
    command.parent.mkdir()
    command.write_text(REMEASURE)
    command.chmod(0o755)
    project.environment["PATH"] = f"{command.parent}:{project.environment['PATH']}"
    for path in (project.folder / "notebooks").glob("*/scenario.yaml"):
        if path.parent.name.replace("_", "-") not in KEPT:
            path.unlink()
    # Some profiles name scenarios that are missing here.
    profiles = project.folder / "config/profiles.yaml"
    written = yaml.safe_load(profiles.read_text())
    for profile in written.values():
        profile.pop("scenarios", None)
    profiles.write_text(yaml.safe_dump(written, sort_keys=False))
    for path in (project.folder / "data/published").glob("*.yaml"):
        if path.stem != "pratama":
            path.unlink()
    config = project.folder / "config/config.yaml"
    text = config.read_text()
    config.write_text(text[: text.index("scenarios:")] + "scenarios: {}\n")
    (project.folder / DONE).parent.mkdir(parents=True)
    (project.folder / DONE).touch()
    return project


def build(project: Project, testbed: str, *options: str) -> tuple[int, list[str]]:
    """Build every notebook of a smoke campaign. Returns the exit status, and each `begin` or `end`
    with its command, as they happened."""
    written = project.folder / "schedule.txt"
    written.unlink(missing_ok=True)
    status, output = project.run(
        *("snakemake", "--cores", "4", "results/mine/notebooks/claims.html", *options),
        *("--config", "campaign=mine", "profile=smoke", f"testbed={testbed}"),
    )
    assert written.exists(), output
    return status, written.read_text().splitlines()


def during_measurements(events: list[str]) -> list[str]:
    """Events up to the end of the last measurement."""
    last = max(i for i, event in enumerate(events) if event.startswith("end measure"))
    return events[: last + 1]


def test_on_this_machine_blocks_are_measured_one_at_a_time_and_nothing_runs_beside(quick):
    status, events = build(quick, "lab")
    assert status == 0
    measured = during_measurements(events)
    assert len(measured) == 2 * (sum(KEPT.values()) - 1)
    for begin, end in zip(measured[::2], measured[1::2], strict=True):
        assert begin.startswith("begin measure") and end == begin.replace("begin", "end")
    assert sum(event.startswith("begin notebook") for event in events) == len(KEPT) + 1
    # Snakemake itself sleeps. On a busy machine a job may begin before it has lain down; were
    # it to wake each second, it would be in every job.
    switches = (quick.folder / "switches.txt").read_text().split()
    assert "0" in switches


@pytest.mark.slow
def test_what_can_be_built_does_not_wait_for_what_cannot(quick):
    """While machines elsewhere measure, present blocks are analysed. Under --keep-going, a block
    that fails stops nothing else. Later, only files that depend on it are made."""
    fails = quick.folder / "fails-replay-window"
    fails.touch()
    status, events = build(quick, "example-linux", "--keep-going")
    assert status != 0
    during = during_measurements(events)
    assert any(event.startswith(f"begin tidy nat-t {DONE}") for event in during)
    built = {event.split()[2] for event in events if event.startswith("end notebook")}
    assert built == {"psk_rsa.ipynb", "nat_t.ipynb"}
    fails.unlink()
    status, events = build(quick, "example-linux")
    assert status == 0
    begun = [event.split()[1:3] for event in events if event.startswith("begin")]
    assert begun == [
        ["measure", "replay-window"],
        ["tidy", "replay-window"],
        ["notebook", "replay_window.ipynb"],
        ["notebook", "claims.ipynb"],
    ]
