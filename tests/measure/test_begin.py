"""A campaign begins before its first block: frozen as a whole, with its credentials."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.lab import image
from remeasure.bench.measure import begin
from remeasure.bench.measure.begin import begin_campaign


@pytest.fixture
def begun(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path / "raw")
    monkeypatch.setattr(begin, "SECRETS", tmp_path / ".secrets")
    return lambda *names, testbed="lab": begin_campaign("mine", names, "smoke", testbed, 1)


def test_scenarios_are_frozen_in_one_piece_with_their_credentials(begun, tmp_path):
    path = begun("psk-rsa", "eap-methods")
    assert {one.name for one in path.parent.iterdir()} == {".lock", "campaign.yaml"}
    assert {*campaign_folder.read_frozen("mine").scenarios} == {"psk-rsa", "eap-methods"}
    made = {one.name for one in (tmp_path / ".secrets/mine").iterdir()}
    assert {"eap", "radius", "ca-rsa2048", "gw1-rsa2048-2", "aaa-rsa2048-2"} <= made


def test_begun_again_it_stays_as_it_was(begun, tmp_path):
    path = begun("psk-rsa")
    files = [path, *(tmp_path / ".secrets/mine").iterdir()]
    before = [file.read_bytes() for file in files]
    begun("psk-rsa")
    assert [file.read_bytes() for file in files] == before


def test_one_scenario_that_cannot_be_measured_leaves_all_unfrozen(begun, tmp_path):
    with pytest.raises(UserError, match="esp-instructions: testbed virtual: in virtual time"):
        begun("psk-rsa", "esp-instructions", testbed="virtual")
    assert not (tmp_path / "raw").exists()


def test_a_node_builds_nothing_that_was_built_before(tmp_path, monkeypatch):
    """A cache that nodes do not share is named; else each node would build an image."""
    monkeypatch.setenv(image.PREPARED, "yes")
    monkeypatch.setitem(image._CACHED, "XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UserError) as caught:
        image.get_image()
    said = str(caught.value)
    assert said.startswith(f"lab: the guest image: found no {tmp_path}/ipsec-remeasured/guest-")
    assert "XDG_CACHE_HOME" in said and [*tmp_path.iterdir()] == []


def test_the_seed_is_that_of_the_configuration(project):
    path = project.folder / "config/config.yaml"
    path.write_text(path.read_text().replace("seed: 2026", "seed: 7"))
    status, output = project.run("remeasure", "begin", "mine", "psk-rsa", "--profile=smoke")
    assert status == 0, output
    assert "seed: 7\n" in (project.folder / "data/raw/mine/campaign.yaml").read_text()
