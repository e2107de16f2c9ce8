"""Archives of all formats are read in one form; archives of a newer format are refused."""

import json

import pytest
from blocks import smaller
from projects import LEFT

from remeasure.bench.base.checks import KINDS
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign import formats
from remeasure.bench.campaign.archive import FORMAT, BlockArchive
from remeasure.bench.lab.testbeds import BACKENDS
from remeasure.bench.testbed.host_kind import Nature, host_word
from remeasure.paper.tidy.rows import counter_rows


@pytest.mark.parametrize(
    "block",
    [*sorted(RAW.glob("*/*/block-01.zip")), *sorted(LEFT.glob("*/*/block-01.zip"))],
    ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}",
)
def test_every_released_format_is_read_in_the_present_form(block):
    archive = BlockArchive(block)
    assert json.loads(archive.read("block.json"))["format"] in range(1, FORMAT + 1)
    for session in archive.block["sessions"]:
        assert set(session["guests"]) >= {"backend", "accelerator", *Nature.__annotations__}
    for trial in archive.trials:
        assert {check["kind"] for check in trial.record["checks"]} <= set(KINDS)
        assert all("levels" in entry for entry in trial.record["counters"])


@pytest.mark.parametrize(
    ("backend", "accelerator", "word"),
    [
        ("ssh", "none", "machines"),
        ("uml", "none", "guests"),
        ("uml-smp", "none", "guests"),
        ("qemu", "kvm", "guests"),
        ("qemu", "tcg", "emulated"),
        ("netns", "none", "namespaces"),
        ("virtual", "none", "virtual"),
        ("of somebody else", "none", "guests"),
    ],
)
def test_what_hosts_were_follows_from_the_back_end_of_format_2(backend, accelerator, word):
    session = {"testbed": {}, "guests": {"backend": backend, "accelerator": accelerator}}
    (found,) = formats.upgrade_block({"sessions": [session]})["sessions"]
    assert host_word(found["guests"]) == word
    if backend in BACKENDS:
        now = BACKENDS[backend].nature(accelerator)
        assert now == {name: found["guests"][name] for name in now}, "as it is recorded today"


def test_a_row_of_counters_leads_to_its_reading(tmp_path):
    """In the present format, where all readings of a host are in one file."""
    path = tmp_path / "block-01.zip"
    source = BlockArchive(LEFT / "lab-2026-11-quick/algorithm-sweep/block-01.zip")
    smaller(source, path, lambda record: record["order"] == 1)
    archive = BlockArchive(path)
    (trial,) = archive.trials
    files = {entry["file"] for entry in trial.record["counters"]}
    assert files == {f"counters.{host}.txt" for host in archive.block["sessions"][0]["hosts"]}
    # Rows of one reading are many, and each leads to the same line.
    rows = {
        tuple(row.get(name) for name in ("file", "host", "probe", "repeat", "load", "payload")): row
        for row in counter_rows(archive)
        if not row["file"].endswith("trial.json")
    }
    found = set()
    for row in rows.values():
        line = archive.line_of_reading(row["file"], row)
        text = archive.read(row["file"]).decode().splitlines()[line - 1]
        assert text.startswith("##### reading "), text
        assert f" of {row['host']}, after {row['probe']} {row['repeat']}" in text
        levels = [f"{name}={row[name]}" for name in ("load", "payload") if name in row]
        assert all(level in text for level in levels)
        found.add(text)
    assert len(found) > 100
