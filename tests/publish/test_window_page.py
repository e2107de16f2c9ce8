"""The page for implementers against the logs of its block, by arithmetic of its own."""

import io
import json
import re
import tarfile
import zipfile

import pytest

from remeasure.bench.base.paths import ROOT

BLOCK = ROOT / "data/raw/virtual-2026-11-windows/window-sizes/block-01.zip"
PAGE = ROOT / "docs/replay_windows.md"
WINDOWS = [32, 64, 128, 192, 1024, 4096, 8129]
CAUSES = ["uniform", "normal", "pareto", "bursts", "paths", "priority"]


@pytest.fixture(scope="module")
def logs() -> dict[tuple[str, str, str], str]:
    """(cause, window, flow) -> log of the flow."""
    packed = io.BytesIO(zipfile.ZipFile(BLOCK).read("trials.tar.xz"))
    with tarfile.open(fileobj=packed) as trials:
        files = {one.name: trials.extractfile(one).read() for one in trials if one.isfile()}
    found = {}
    for name, text in files.items():
        if place := re.fullmatch(r"(.*)/(slow|fast)-01\.up\.log", name):
            cell = json.loads(files[f"{place[1]}/trial.json"])["cell"]
            found[cell["cause"], cell["window"], place[2]] = text.decode()
    return found


def received(log: str) -> int:
    return sum(map(int, re.findall(r"(?m)^class \d planned \d+ received (\d+)", log)))


def beyond(log: str, window: int) -> int:
    lines = [line.split() for line in re.findall(r"(?m)^class \d beyond (.+)$", log)]
    return sum(int(line[line[::2].index(str(window)) * 2 + 1]) for line in lines)


def test_a_share_of_the_page_follows_from_the_order_of_arrival(logs):
    rows = [line.strip("| ").split(" | ")[-7:] for line in PAGE.read_text().splitlines()]
    rows = [row for row in rows if len(row) == 7 and re.fullmatch(r"100|\d+\.\d+", row[0])]
    cells = [
        cell
        for cause in CAUSES
        for cell in (
            ("priority-slow" if cause == "priority" else cause, "0", "slow"),
            (cause, "0", "fast"),
            (f"{cause}-50", "0", "fast"),
        )
    ]
    for row, cell in zip(rows, cells, strict=True):
        reached = received(logs[cell])
        for text, window in zip(row, WINDOWS, strict=True):
            passed = reached - beyond(logs[cell], window)
            if text in ("100", "0"):
                assert passed == (reached if text == "100" else 0)
            else:
                share = 100 * passed / reached
                assert share < 100 and abs(share - float(text.removeprefix("> "))) < 0.051


@pytest.mark.parametrize("window", [32, 4096])
@pytest.mark.parametrize("cause", ["paths", "paths-50", "priority", "priority-50"])
def test_linux_refuses_what_the_order_of_arrival_says(logs, cause, window):
    free, own = logs[cause, "0", "fast"], logs[cause, str(window), "fast"]
    assert received(free) - received(own) == beyond(free, window)
