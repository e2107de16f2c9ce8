"""A campaign keeps the settings that it began with."""

import re
import shutil

import pytest
import yaml

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import NOTEBOOKS
from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.campaign import scenario as scenario_file
from remeasure.bench.campaign.scenario import load_scenario


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path)
    return tmp_path


def test_a_campaign_keeps_the_settings_it_began_with(raw):
    psk_rsa = load_scenario("psk-rsa", "smoke")
    testbed = {"name": "lab", "backend": "uml"}
    campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "abc")
    campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "def")  # a later block of the same
    with pytest.raises(UserError, match="other settings .*seed: then 1, now 2"):
        campaign_folder.freeze("mine", [psk_rsa], 2, testbed, "abc")
    with pytest.raises(UserError, match="testbed.backend: then 'uml', now 'ssh'"):
        campaign_folder.freeze("mine", [psk_rsa], 1, testbed | {"backend": "ssh"}, "abc")
    with pytest.raises(UserError, match="begun with profile smoke, found profile=paper"):
        campaign_folder.choose_scenario("mine", "psk-rsa", "paper")
    path = raw / "mine" / "campaign.yaml"
    frozen = yaml.safe_load(path.read_text())
    frozen["scenarios"]["psk-rsa"]["tunnel"]["replay_window"] = 64
    path.write_text(yaml.safe_dump(frozen))
    with pytest.raises(UserError, match="psk-rsa.tunnel.replay_window: then 64, now 32"):
        campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "abc")


def test_a_campaign_keeps_its_machine(raw):
    psk_rsa, testbed = load_scenario("psk-rsa", "smoke"), {"name": "lab", "backend": "uml"}
    machine = {"cpu": "P", "cpus": 2, "memory_mib": 8192, "kernel": "Linux 1"}
    for measuring in (None, machine, machine | {"kernel": "Linux 2"}):
        campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "abc", measuring)
    other = "this machine: found Q, 2 processors, 8 GiB, expected P, .*mine/campaign.yaml.*compare`"
    with pytest.raises(UserError, match=other):
        campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "abc", machine | {"cpu": "Q"})
    kept = {name: machine[name] for name in ("cpu", "cpus", "memory_mib")}
    assert campaign_folder.read_frozen("mine").machine == kept


def test_a_campaign_keeps_its_networks(raw):
    """A topology that was changed since is noticed, and measurements are read with the old one."""
    psk_rsa, testbed = load_scenario("psk-rsa", "smoke"), {"name": "lab", "backend": "uml"}
    campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "abc")
    path = raw / "mine" / "campaign.yaml"
    frozen = yaml.safe_load(path.read_text())
    frozen["topologies"]["site-to-site"]["links"]["site1"]["client1"] = "192.168.10.3/24"
    path.write_text(yaml.safe_dump(frozen))
    changed = "site-to-site.links.site1.client1: then '192.168.10.3/24', now '192.168.10.1/24'"
    with pytest.raises(UserError, match=re.escape(changed)):
        campaign_folder.freeze("mine", [psk_rsa], 1, testbed, "abc")
    measured = campaign_folder.measured_scenario(raw / "mine" / "psk-rsa" / "block-01.zip")
    assert measured.topology.address("client1") == "192.168.10.3"


def test_a_copied_scenario_leaves_the_record_of_the_first_alone(raw, tmp_path, monkeypatch):
    """The name of a file is the name of its subject."""
    notebooks = shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    monkeypatch.setattr(scenario_file, "NOTEBOOKS", notebooks)
    text = (notebooks / "psk_rsa/scenario.yaml").read_text()
    (notebooks / "slower").mkdir()
    slower = text.replace("rate: 100mbit", "rate: 50mbit")
    (notebooks / "slower/scenario.yaml").write_text(slower)
    for name in ("psk-rsa", "slower", "psk-rsa"):
        campaign_folder.freeze("mine", [load_scenario(name, "smoke")], 1, {"name": "lab"}, "abc")
    frozen = yaml.safe_load((raw / "mine/campaign.yaml").read_text())["scenarios"]
    rates = {name: document["shaping"]["gw1.wan"]["rate"] for name, document in frozen.items()}
    assert rates == {"psk-rsa": "100mbit", "slower": "50mbit"}
    block = campaign_folder.block_path("mine", "slower", 1)
    assert campaign_folder.measured_scenario(block).name == "slower"


def test_a_new_campaign_needs_a_profile(raw):
    with pytest.raises(UserError, match="'mine' has no blocks yet.*profile=smoke.quick.paper"):
        campaign_folder.choose_scenario("mine", "psk-rsa", None)
    with pytest.raises(UserError, match="profile 'huge': unknown; known: smoke, quick, paper"):
        campaign_folder.choose_scenario("mine", "psk-rsa", "huge")
