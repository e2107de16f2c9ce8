"""Names of campaigns and numbers of blocks reach hosts and files: checked before anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.folder import campaign_folder
from remeasure.bench.measure import block as measure
from remeasure.bench.measure.block import BlockOrder, measure_block


@pytest.fixture(autouse=True)
def nothing_is_asked(monkeypatch):
    monkeypatch.setattr(measure, "load_testbed", lambda name: pytest.fail("testbed was read"))


@pytest.mark.parametrize("name", ["../x", "", ".x", "-x", "a b", "a/b", "x;y", "x\n", "é"])
def test_not_a_name(name):
    with pytest.raises(UserError, match="not a name; expected letters") as error:
        measure_block(BlockOrder(name, "psk-rsa", 1, "smoke", "lab", 1))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["x", "lab-2026-11", "7.of_9"])
def test_a_name(name):
    assert campaign_folder(name) == RAW / name


@pytest.mark.parametrize("block", [-1, 0, 2])
def test_no_such_block(block):
    with pytest.raises(
        UserError,
        match=f"^block {block}: expected 1 to 1, which scenario psk-rsa has under profile smoke$",
    ):
        measure_block(BlockOrder("never", "psk-rsa", block, "smoke", "lab", 1))


def test_a_person_sees_one_line():
    run = subprocess.run(
        [Path(sys.executable).with_name("remeasure"), "measure", "../x", "psk-rsa", "1"],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert run.stderr.startswith("remeasure: campaign '../x': not a name")
