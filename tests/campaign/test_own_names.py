"""The name of a file is the name of its subject, so a copy is something of its own."""

import shutil

import pytest
import yaml

from remeasure.bench.base import topology
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG, NOTEBOOKS, RAW
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign import folder, scenario
from remeasure.bench.campaign.archive import FORMAT, BlockArchive
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.lab import testbeds
from remeasure.bench.lab.testbeds import document_of, load_testbed


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Copies of config/ and of scenarios, and a folder for campaigns."""
    shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    monkeypatch.setattr(scenario, "NOTEBOOKS", tmp_path / "notebooks")
    for module in (topology, testbeds):
        monkeypatch.setattr(module, "CONFIG", tmp_path / "config")
    monkeypatch.setattr(folder, "RAW", tmp_path / "raw")
    return shutil.copytree(CONFIG, tmp_path / "config")


def copy(source, name: str, before: str, after: str) -> None:
    text = source.read_text()
    assert before in text
    source.with_name(f"{name}.yaml").write_text(text.replace(before, after))


def test_a_copied_scenario_leaves_the_record_of_the_first_alone(files):
    notebooks = files.parent / "notebooks"
    text = (notebooks / "psk_rsa/scenario.yaml").read_text()
    (notebooks / "slower").mkdir()
    slower = text.replace("rate: 100mbit", "rate: 50mbit")
    (notebooks / "slower/scenario.yaml").write_text(slower)
    testbed = document_of(load_testbed("lab"))
    for name in ("psk-rsa", "slower", "psk-rsa"):
        folder.freeze("mine", [load_scenario(name, "smoke")], 1, testbed, "abc")
    frozen = yaml.safe_load((files.parent / "raw/mine/campaign.yaml").read_text())["scenarios"]
    rates = {name: document["shaping"]["gw1.wan"]["rate"] for name, document in frozen.items()}
    assert rates == {"psk-rsa": "100mbit", "slower": "50mbit"}
    block = folder.block_path("mine", "slower", 1)
    assert folder.measured_scenario(block).name == "slower"


def test_a_copied_testbed_is_another(files):
    copy(files / "testbeds/lab.yaml", "small", "memory_mib: 1024", "memory_mib: 512")
    psk_rsa = load_scenario("psk-rsa", "smoke")
    folder.freeze("mine", [psk_rsa], 1, document_of(load_testbed("lab")), "abc")
    with pytest.raises(UserError, match="testbed.name: then 'lab', now 'small'"):
        folder.freeze("mine", [psk_rsa], 1, document_of(load_testbed("small")), "abc")


def test_a_copied_topology_is_another(files):
    copy(files / "topologies/aaa.yaml", "mine", "192.0.2.1/24", "192.0.2.7/24")
    assert load_topology("mine").name == "mine"
    assert load_topology("aaa").address("initiator") == "192.0.2.1"


@pytest.mark.parametrize(
    ("file", "field", "load"),
    [
        ("testbeds/lab.yaml", "testbed", load_testbed),
        ("testbeds/example-linux.yaml", "testbed", load_testbed),
        ("topologies/site-to-site.yaml", "topology", load_topology),
    ],
)
@pytest.mark.parametrize("says", ["its kind", "name"])
def test_a_file_that_names_itself_is_one_clear_message(files, file, field, load, says):
    line = "name" if says == "name" else field
    (files / file).with_name("mine.yaml").write_text(f"{(files / file).read_text()}\n{line}: x\n")
    message = f"mine.yaml: {line}: the name of a {field} is that of its file or folder; remove this"
    with pytest.raises(UserError, match=message):
        load("mine")


def test_released_campaigns_of_format_1_are_read():
    """Their scenarios and testbeds name themselves."""
    found = {
        path.parent: yaml.safe_load(path.read_text())
        for path in RAW.glob("lab-2026-11*/campaign.yaml")
    }
    campaigns = {path: written for path, written in found.items() if written["format"] == 1}
    assert campaigns
    for campaign, written in campaigns.items():
        frozen = folder.read_frozen(campaign.name)
        assert (written["format"], frozen.format) == (1, FORMAT)
        assert frozen.testbed["name"] == written["testbed"]["testbed"]
        for name in frozen.scenarios:
            block = campaign / name / "block-01.zip"
            sessions = BlockArchive(block).block["sessions"]
            assert {s["testbed"]["name"] for s in sessions} == {frozen.testbed["name"]}
            found = folder.measured_scenario(block)
            assert found.name == written["scenarios"][name]["scenario"]
            assert found.cells
    with pytest.raises(UserError, match="scenarios.nosuch: not there; found "):
        folder.measured_scenario(campaign / "nosuch" / "block-01.zip")
