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
OF_REJECTED = ("trials", "checks")
"""tables that have rows of rejected trials too"""


def keep_trials(scenario: str, folder, kept: int) -> None:
    """Write tables of which the first `kept` trials alone were not rejected."""
    trials = pq.read_table(TIDY / scenario / "trials.parquet")
    keys = ["campaign", "block", "trial"]
    left = trials.select(keys).to_pandas()[:kept].astype({"campaign": str})
    for name in TABLES:
        table = pq.read_table(TIDY / scenario / f"{name}.parquet")
        rows = table.select(keys).to_pandas().astype({"campaign": str})
        stays = rows.merge(left.assign(stays=True), how="left", on=keys)["stays"].notna()
        if name == "trials":
            verdicts = pc.if_else(
                pa.array(stays), pc.cast(table["verdict"], pa.string()), "rejected"
            )
            place = table.schema.get_field_index("verdict")
            table = table.set_column(
                place, "verdict", verdicts.combine_chunks().dictionary_encode()
            )
        elif name not in OF_REJECTED:
            table = table.filter(pa.array(stays))
        pq.write_table(table, folder / f"{name}.parquet")


def run_notebook(scenario: str, folder, tidy) -> subprocess.CompletedProcess:
    notebook = Name(scenario).notebook
    command = [
        sys.executable,
        "-m",
        "remeasure",
        "notebook",
        f"notebooks/{notebook}/{notebook}.ipynb",
    ]
    command += [f"{folder}/{notebook}.ipynb", f"{folder}/handed/{notebook}"]
    command += ["--parameters", json.dumps({"tidy": str(tidy)})]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def executed(scenario: str, kept: int) -> subprocess.CompletedProcess:
    # A socket's path, which is in the folder handed over, has 107 bytes at most.
    with tempfile.TemporaryDirectory() as folder:
        tidy = Path(folder) / scenario
        tidy.mkdir()
        keep_trials(scenario, tidy, kept)
        return run_notebook(scenario, folder, tidy)


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


def test_no_trial_at_all_is_said_in_one_message():
    ended = executed("psk-rsa", 0)
    assert ended.returncode == 1
    assert "expected one at least that was not rejected" in ended.stderr
    assert "Traceback" not in ended.stderr
