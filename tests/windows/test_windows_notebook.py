"""The algorithm-sweep notebook on blocks of Linux hosts and of the answering hosts, together."""

import contextlib
import io
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from blocks import smaller
from windows_server import SWEEP

from remeasure.campaign.archive import BlockArchive
from remeasure.measure.block import measure_block
from remeasure.paths import RAW, ROOT
from remeasure.tidy.tables import write_tables

RELEASED = RAW / "lab-2026-11-22"
SUITES = ["none", "des-md5"]
CODE = [
    "".join(cell["source"])
    for cell in json.loads((ROOT / "notebooks/algorithm_sweep.ipynb").read_text())["cells"]
    if cell["cell_type"] == "code" and "parameters" not in cell["metadata"].get("tags", [])
]
SETUP = CODE[0]
(WINDOWS,) = (source for source in CODE if source.startswith('if "Windows" not in systems:'))


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
    """The notebook on Linux blocks alone: what it left, displayed and printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        left, shown = run(linux, tmp_path_factory.mktemp("alone"))
    return left, shown, printed.getvalue()


def run(blocks, folder) -> tuple[dict, list]:
    """The notebook's first cell of code and the one on Windows; what they left and displayed."""
    write_tables(blocks, folder / "tidy")
    shown: list = []
    space = {
        "tidy": str(folder / "tidy"),
        "blocks": list(map(str, blocks)),
        "estimator": "mean",
        "out": str(folder / "algorithm_sweep"),
        "display": shown.append,
    }
    exec(SETUP, space)
    exec(WINDOWS, space)
    return space, shown


def test_without_a_windows_campaign_the_notebook_says_so(alone):
    space, shown, printed = alone
    assert list(space["systems"]) == ["Linux"] and shown == []
    assert "Not yet run on Windows: none of the campaigns" in printed
    assert space["state"] == "Not yet run on Windows"


@pytest.mark.parametrize(
    "windows", [{}, {"flows": "iperf3"}], indirect=True, ids=["d-itg", "iperf3"]
)
def test_linux_and_windows_are_shown_by_the_same_code(
    windows, campaign, tmp_path, linux, alone, capsys
):
    block = measure_block(campaign)
    both, shown = run([*linux, block], tmp_path / "both")
    assert list(both["systems"]) == ["Linux", "Windows"]
    assert both["state"] == "Run on Linux and Windows"
    # Of Linux nothing changes for it, though both campaigns have a block 1.
    pd.testing.assert_frame_equal(
        both["cells"].reset_index(drop=True), alone[0]["cells"].reset_index(drop=True)
    )
    assert both["notebook"].blocks == linux
    systems = both["systems"]
    assert set(systems["Windows"]["trials"]["campaign"]) == {"answering"}
    assert set(systems["Linux"]["observations"]["campaign"]) == {RELEASED.name}
    assert len(systems["Windows"]["trials"]) == len(SWEEP.cells)
    found = both["on_windows"]
    flows = found[(found["metric"] == "goodput")]
    assert len(flows) == 4 * 2 * 2 * 2  # suites, transports, loads, payloads
    assert {"suite", "transport", "load", "payload", "value", "low", "high"} <= set(flows)
    printed = capsys.readouterr().out
    tool = windows.flows
    assert ("delay_mean, moderate, Windows" in printed) == (tool == "d-itg")
    assert "goodput, saturation, Linux" in printed and "goodput, saturation, Windows" in printed
    assert len(shown) == 1 + 2 * (3 if tool == "d-itg" else 2)


def test_no_observation_of_windows_is_in_the_data():
    for path in RAW.glob("*/campaign.yaml"):
        assert "windows" not in path.read_text(), path
