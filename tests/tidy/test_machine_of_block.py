"""Tables say which machine measured a block, of campaigns that several machines measured."""

import pyarrow.parquet as pq
import pytest
from blocks import smaller

from remeasure.analysis.summaries import read_tables
from remeasure.campaign.archive import BlockArchive
from remeasure.paths import RAW
from remeasure.tidy.machine_of_block import machine_of, machines_of
from remeasure.tidy.tables import write_tables

BLOCKS = sorted((RAW / "lab-2026-11-22/psk-rsa").glob("block-*.zip"))[:3]
CAMPAIGN = "lab-2026-11-22"
MACHINE = "AMD EPYC, 2 processors, Linux 6.18.44-fc-v669 x86_64"


def on_nodes(nodes, folder):
    """The first two trials of released blocks, relabelled: each as if a node had measured it."""
    found = []
    for source, node in zip(BLOCKS, nodes, strict=True):
        archive = BlockArchive(source)
        for session in archive.block["sessions"]:
            session["machine"]["node"] = node
        smaller(archive, folder / source.name, lambda record: record["order"] <= 2)
        found.append(folder / source.name)
    return found


def test_tables_name_several_machines(tmp_path):
    write_tables(on_nodes(["n1", "n2", "n1"], tmp_path), tmp_path / "tables")
    expected = {1: f"{MACHINE}, node n1", 2: f"{MACHINE}, node n2", 3: f"{MACHINE}, node n1"}
    tables = read_tables(tmp_path / "tables")
    assert tables.machines == expected
    assert tables.of_campaigns([CAMPAIGN]).machines == expected
    assert tables.of_campaigns(["another"]).machines == {}


def test_one_machine_leaves_tables_as_they_were(tmp_path):
    write_tables(on_nodes(["n1", "n1", "n1"], tmp_path), tmp_path / "tables")
    assert read_tables(tmp_path / "tables").machines == {}
    assert b"machines" not in pq.read_schema(tmp_path / "tables/trials.parquet").metadata


def record(*sessions, block=1, own_machine=False, virtual=False):
    guests = {"own_machine": own_machine, "virtual_clock": virtual}
    made = [
        {"guests": guests, "testbed": {"name": "bench"}, "machine": machine} | more
        for machine, more in sessions
    ]
    return {"campaign": "c", "block": block, "sessions": made}


def machine(cpus=2, **more):
    return {"cpu": "P", "cpus": cpus, "kernel": "Linux 6 x86_64"} | more


ENDED = {"end_ns": 1}


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (record((machine(1), ENDED)), "P, 1 processor, Linux 6 x86_64"),
        (record((machine(), {}), (machine(4), {})), "{2} + P, 4 processors, Linux 6 x86_64"),
        (record((machine(), ENDED), (machine(), ENDED)), "{2}"),
        (record((machine(), ENDED), (machine(node="b"), ENDED)), "{2} + {2}, node b"),
        # A session that ended before its first trial measured nothing.
        (record((machine(), {}), (machine(node="b"), ENDED)), "{2}, node b"),
        (record((machine(), ENDED), own_machine=True), "hosts of bench"),
        (record((machine(), ENDED), virtual=True), "virtual time"),
    ],
)
def test_a_machine_in_words(block, words):
    assert machine_of(block) == words.replace("{2}", "P, 2 processors, Linux 6 x86_64")


def test_nodes_of_virtual_time_are_one_machine():
    blocks = [
        record((machine(node=node), ENDED), block=number, virtual=True)
        for number, node in enumerate("abc", 1)
    ]
    assert machines_of(blocks) == {}


def test_no_released_campaign_is_of_several_machines():
    """The rule for several machines came after these data, so it must change none of them."""
    for scenario in {path.parent for path in RAW.glob("*/*/block-*.zip")}:
        blocks = [BlockArchive(path).block for path in scenario.glob("block-*.zip")]
        assert machines_of(blocks) == {}, scenario
