"""Notebooks of campaigns of which nearly all trials were rejected, as on a busy machine."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from remeasure.bench.base.columns import TABLES
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT

TIDY = ROOT / "data/tidy"


def keep_trials(scenario: str, folder, kept: int) -> None:
    """Write tables of which only the first `kept` trials were not rejected."""
    keys = ["campaign", "block", "trial"]
    trials = pq.read_table(TIDY / scenario / "trials.parquet", columns=keys).to_pandas()
    left = trials[:kept].astype({"campaign": str})
    for name in TABLES:
        table = pq.read_table(TIDY / scenario / f"{name}.parquet")
        rows = table.select(keys).to_pandas().astype({"campaign": str})
        stays = pa.array(rows.merge(left.assign(stays=True), how="left")["stays"].notna())
        if name == "trials":
            verdicts = pc.if_else(stays, pc.cast(table["verdict"], pa.string()), "rejected")
            place = table.schema.get_field_index("verdict")
            coded = verdicts.combine_chunks().dictionary_encode()
            table = table.set_column(place, "verdict", coded)
        elif name != "checks":  # which rejected trials have, too
            table = table.filter(stays)
        pq.write_table(table, folder / f"{name}.parquet")


def executed(scenario: str, kept: int) -> subprocess.CompletedProcess:
    name = Name(scenario).notebook
    source = f"notebooks/{name}/{name}.ipynb"
    # A socket's path, which is in the folder handed over, has 107 bytes at most.
    with tempfile.TemporaryDirectory() as folder:
        tidy = Path(folder) / scenario
        tidy.mkdir()
        keep_trials(scenario, tidy, kept)
        command = [sys.executable, "-m", "remeasure", "notebook", source]
        command += [f"{folder}/{name}.ipynb", f"{folder}/handed/{name}"]
        command += ["--parameters", json.dumps({"tidy": str(tidy)})]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    "scenario",
    [
        # One at every run of the suite; a notebook takes seconds.
        pytest.param(scenario, marks=[pytest.mark.slow] * (scenario != "psk-rsa"))
        for scenario in sorted(path.parent.name for path in TIDY.glob("*/trials.*"))
    ],
)
def test_one_trial_is_enough(scenario):
    ended = executed(scenario, 1)
    assert ended.returncode == 0, ended.stderr


def test_without_a_trial_one_line_says_so_and_all_else_is_built():
    ended = executed("psk-rsa", 0)
    assert ended.returncode == 0 and len(ended.stderr.splitlines()) == 1
    assert "expected one at least that was not rejected" in ended.stderr
    assert "Traceback" not in ended.stderr
