"""A block of a real lab, of which one trial ran at two paces."""

import pytest
import yaml
from projects import copy_project
from real_guests import add_small_scenario, run_inside

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import block_path
from remeasure.bench.measure import block
from remeasure.paper.analysis.summaries import read_tables
from remeasure.paper.tidy.tables import write_tables

pytestmark = [pytest.mark.lab, pytest.mark.slow]
S = 10**9
PACES = [1.0, 1.3, 1.3, 1.25]
"""before the first trial, after it and so before the second, after the second, after the repeat
[s]"""


def measure_inside(profile: str) -> dict:
    """Measure a block while the machine runs at PACES. The process starts again inside the lab,
    which begins here."""
    paces = iter(PACES)
    block.pace_ns = lambda: round(next(paces) * S)
    block.measure_block(block.BlockOrder("mine", "small", 1, profile, "lab", 1))
    return {"archive": str(block_path("mine", "small", 1)), "left": len([*paces])}


def test_a_trial_at_another_pace_is_measured_again_and_counts_once(tmp_path):
    project = copy_project(tmp_path / "project", without=("data/raw/", "tests/"))
    add_small_scenario(project, "latency")
    with (project.folder / "config/profiles.yaml").open("a") as file:
        yaml.safe_dump({"paced": {"like": "smoke", "pace": True}}, file)
    found = run_inside(project, measure_inside, "paced")
    assert found["left"] == 0, "one reading between two trials"
    archive = BlockArchive(project.folder / found["archive"])
    first, second = (one.record for one in archive.trials)
    assert (first["attempt"], first["pace_ns"], first["pace_after_ns"]) == (2, 1.3 * S, 1.25 * S)
    assert (second["attempt"], second["pace_ns"]) == (1, 1.3 * S)
    assert first["start_ns"] > second["end_ns"], "at the end of the block"
    assert len(archive.block["sessions"]) == 1
    (earlier,) = archive.measured_again
    assert earlier.record["measured_again"].startswith("pace: found 1.30 times as much after the")
    assert earlier.record["cell"] == first["cell"] and archive.read(
        f"{earlier.folder}/latency-01.log"
    )

    write_tables([archive.path], tmp_path)
    trials, observations = (read_tables(tmp_path)[name] for name in ("trials", "observations"))
    assert trials["attempt"].tolist() == [2, 1]
    assert trials["pace_before"].tolist() == [1.3 * S, 1.3 * S]
    assert trials["pace_after"].tolist() == [1.25 * S, 1.3 * S]
    assert {file.split("/")[1] for file in observations["file"]} == {"0001", "0002"}
