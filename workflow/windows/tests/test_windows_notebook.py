"""The algorithm-sweep notebook on blocks of Linux hosts and of the answering hosts, together."""

from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest
import yaml
from blocks import smaller

from notebooks.algorithm_sweep import asks as algorithm_sweep
from notebooks.algorithm_sweep.asks import Sweep
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.measure.block import measure_block
from remeasure.paper.notebook import ScenarioNotebook
from remeasure.paper.tidy.tables import write_tables

RELEASED = RAW / "lab-2026-11-22"
SUITES = ["none", "des-md5"]


@pytest.fixture(scope="module")
def linux(tmp_path_factory) -> list[Path]:
    """Two released blocks, of each the trials of two suites: all would take long."""
    folder = tmp_path_factory.mktemp("raw") / RELEASED.name
    (folder / "algorithm-sweep").mkdir(parents=True)
    frozen = yaml.safe_load((RELEASED / "campaign.yaml").read_text())
    frozen["scenarios"]["algorithm-sweep"]["only"] = {"suite": SUITES}
    (folder / "campaign.yaml").write_text(yaml.safe_dump(frozen, sort_keys=False))
    blocks = []
    for number in (1, 2):
        name = f"algorithm-sweep/block-{number:02d}.zip"
        source = BlockArchive(RELEASED / name)
        smaller(source, folder / name, lambda record: record["cell"]["suite"] in SUITES)
        blocks.append(folder / name)
    return blocks


@pytest.fixture(scope="module")
def alone(linux, tmp_path_factory):
    """The trials of Linux blocks alone, what is said of Windows, and what is displayed."""
    return run(linux, tmp_path_factory.mktemp("alone"))


def run(blocks, folder) -> tuple[Sweep, str, list]:
    """What the notebook's first and last cell make."""
    write_tables(blocks, folder / "tidy")
    notebook = ScenarioNotebook(
        str(folder / "tidy"), list(map(str, blocks)), str(folder / "algorithm_sweep")
    )
    sweep, shown = Sweep(notebook, "mean"), []
    with patch.object(algorithm_sweep, "display", shown.append):
        return sweep, sweep.windows(), shown


def test_without_a_windows_campaign_the_notebook_says_so(alone):
    sweep, state, shown = alone
    assert sweep.system == "Linux" and shown == []
    assert state == "Not yet run on Windows"


def test_linux_and_windows_are_shown_by_the_same_code(campaign, tmp_path, linux, alone):
    block = measure_block(campaign)
    both, state, shown = run([*linux, block], tmp_path / "both")
    assert (both.system, state) == ("Linux", "Run on Linux and Windows")
    # Of Linux nothing changes for it, though both campaigns have a block 1.
    pd.testing.assert_frame_equal(
        both.cells.reset_index(drop=True), alone[0].cells.reset_index(drop=True)
    )
    assert both.notebook.blocks == linux
    quality, *curves = shown
    assert len(quality) == 2, "a row for each suite of profile smoke"
    assert len(curves) == 2 * 3
