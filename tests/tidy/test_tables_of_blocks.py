"""Released blocks become tables with the listed columns, and the tables name their factors."""

import re
import shutil

import pyarrow.parquet as pq
import pytest
from blocks import smaller

from remeasure.bench.base.columns import KEYS, TABLES
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.analysis.summaries import read_tables
from remeasure.paper.tidy.rows import ROWS_OF, counter_rows
from remeasure.paper.tidy.tables import factors_of, write_tables

SWEEP = RAW / "lab-2026-11-22/algorithm-sweep/block-03.zip"
WITHIN = {"transport", "load", "payload", "way", "step_ms", "pause_ms", "rate", "streams"}
"""factors of probes, within a trial"""
FIRST_OF_EACH = sorted(RAW.glob("lab-*/*/block-01.zip"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tidy")
    write_tables([SWEEP], folder)
    return folder


def test_tables_name_their_factors(folder):
    tables = read_tables(folder)
    assert list(tables) == list(TABLES)
    assert tables.between == ["suite"]
    assert tables.within == ["transport", "load", "payload"]
    assert tables.factors == ["suite", "transport", "load", "payload"]


SCENARIOS = sorted({path.parent for path in RAW.glob("*/*/*.zip")})


@pytest.mark.parametrize("folder", SCENARIOS, ids=lambda folder: "/".join(folder.parts[-2:]))
def test_levels_rise_with_their_numbers(folder):
    """In each scenario of each campaign that is here."""
    found = factors_of(sorted(folder.glob("block-*.zip")))
    for factor, levels in (found.between | found.within).items():
        for quantities in found.quantities.values():
            values = quantities[factor].values if factor in quantities else {}
            numbers = [values[level] for level in levels if level in values]
            assert numbers == sorted(numbers), factor


def test_an_ipv6_counter_that_appears_counts_from_zero():
    """Readings leave out IPv6 counters of 0, so the first datagrams of a host are whole rows."""
    archive = BlockArchive(RAW / "virtual-2026-11-ipv6/nat-t/block-01.zip")
    rows = (row for row in counter_rows(archive) if row["trial"] == 1 and row["probe"] == "sizes")
    found = {(row["host"], row["counter"]): row["change"] for row in rows}
    assert found["client2", "Udp6InDatagrams"] == 587
    assert found["gw2", "Ip6OutForwDatagrams"] == 995


@pytest.mark.parametrize("block", FIRST_OF_EACH, ids=lambda path: path.parent.name)
def test_every_value_of_a_row_has_a_column(block):
    """pyarrow drops values without a column, and fills columns without a value with nulls."""
    archive = BlockArchive(block)
    cell = archive.block["order"][0]
    for name, rows in ROWS_OF.items():
        expected = {column.name for column in (*KEYS, *TABLES[name].columns)} | set(cell)
        for row in rows(archive):
            assert expected <= set(row), name
            assert expected == set(row) or TABLES[name].varies_within, name
            assert set(row) - expected <= WITHIN


def test_tables_without_factors_in_their_metadata_are_refused(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "trials.parquet"
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(UserError, match=r"trials.parquet: does not name its factors; make it"):
        read_tables(tmp_path)


def test_blocks_with_other_factors_are_refused(tmp_path):
    other = RAW / "lab-2026-11-eap-pinned/eap-methods/block-01.zip"
    with pytest.raises(UserError, match=r"found|factors \['method', 'rtt'\], expected \['suite'\]"):
        write_tables([SWEEP, other], tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_column_is_one_entry_and_the_value_that_fills_it(project):
    """It stands before all others, where a factor could be looked for."""
    package = project.folder / "workflow/remeasure"
    _edit(
        package / "bench/base/columns.yaml",
        "    attempt:",
        "    profile:\n      word: profile of the campaign\n",
    )
    _edit(
        package / "paper/tidy/rows.py",
        '            "attempt": record["attempt"],',
        '            "profile": archive.block["profile"],\n',
    )
    assert project.run("remeasure", "tidy", "tables", str(SWEEP)) == (0, "")
    tables = read_tables(project.folder / "tables")
    assert set(tables["trials"]["profile"]) == {"paper"}
    assert tables.between == ["suite"]
    assert project.run("remeasure", "codebook") == (0, "")
    codebook = (project.folder / "data/README.md").read_text()
    assert "| `profile` | word | | profile of the campaign |" in codebook


def _edit(path, before: str, line: str) -> None:
    text = path.read_text()
    assert text.count(before) == 1, f"{path}: {before}"
    path.write_text(text.replace(before, line + before))


def test_what_format_1_became_reads_the_same_as_format_2(tmp_path):
    old = BlockArchive(RAW / "lab-2026-11-replay/replay-window/block-01.zip")
    path = tmp_path / "block-01.zip"
    smaller(old, path, lambda record: record["order"] <= 3)
    places = {row["trial"] for row in ROWS_OF["trials"](BlockArchive(path))}
    for name, rows in ROWS_OF.items():
        then = [row for row in rows(old) if row["trial"] in places]
        if name == "counters":  # all readings of a host are in one file now
            then = [row | {"file": re.sub(r"(counters)-\d+", r"\1", row["file"])} for row in then]
        assert list(rows(BlockArchive(path))) == then


def test_runs_of_probes_and_the_time_of_their_hosts(tmp_path):
    """The notes of a run become its row, and rows of counters; without notes, as in released
    blocks, each run has a row with holes."""
    old = BlockArchive(RAW / "lab-2026-11-replay/replay-window/block-01.zip")
    released = next(run for run in ROWS_OF["runs"](old) if run["repeat"] == 1)
    assert released["start"] is released["foreign"] is released["verdict"] is None
    trial = old.trials[0]
    logs = trial.record["logs"]
    run = {n: logs[0][n] for n in ("name", "probe", "repeat", "levels") if n in logs[0]}
    run |= {"start_ns": 1_700_000_000_000_000_000, "end_ns": 1_700_000_003_500_000_000}
    run |= {"verdict": "suspect", "load": {"busy": 0.9, "steal": 0.01, "foreign": 0.4}}
    first = {"ns": 2_000_000_400, "user_ns": 500_000_600}
    run["processors"] = {"gw1": first, "gw2": {"ns": 1_000_000, "user_ns": None}}
    path = tmp_path / "block-01.zip"
    fields = {"runs": [run], "logs": logs[:1], "counters": [], "probe_ns": 3_500_000_000}
    smaller(old, path, lambda record: record["order"] == 1, **fields)
    (row,) = ROWS_OF["runs"](BlockArchive(path))
    assert (row["probe"], row["seconds"]) == (logs[0]["name"], 3.5)
    assert (row["verdict"], row["foreign"]) == ("suspect", 0.4)
    rows = ROWS_OF["counters"](BlockArchive(path))
    counters = {(one["host"], one["counter"]): one["change"] for one in rows}
    assert counters == {
        ("gw1", "cpu_run_us"): 2_000_000,
        ("gw1", "cpu_user_us"): 500_001,
        ("gw1", "cpu_kernel_us"): 1_500_000,
        ("gw2", "cpu_run_us"): 1000,
    }


def test_a_row_says_by_which_clock_it_was_measured():
    """Times by the clock of virtual time are in one table with others."""
    for campaign, clock in (("lab-2026-11-22", "real"), ("virtual-2026-11-paper", "virtual")):
        archive = BlockArchive(RAW / campaign / "psk-rsa" / "block-01.zip")
        for name in ("trials", "observations"):
            assert {row["clock"] for row in ROWS_OF[name](archive)} == {clock}, (campaign, name)
