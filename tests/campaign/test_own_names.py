"""The name of a file is the name of its subject, so a copy is something of its own."""

import shutil

import pytest
import yaml

from remeasure.bench.base import topology
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG, NOTEBOOKS
from remeasure.bench.campaign import folder, scenario
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
