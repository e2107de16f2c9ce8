"""Campaigns of formats 1 and 2: their rates were token buckets, which their files do not name."""

import pytest

from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.scenario import load_scenario


def test_cells_of_old_and_new_campaigns_tell_what_their_links_took():
    frozen = folder.read_frozen("lab-2026-11-22")
    path = RAW / "lab-2026-11-22/campaign.yaml"
    for name in ("psk-rsa", "algorithm-sweep"):
        old, new = frozen.scenario(name, path), load_scenario(name, "paper")
        assert not any(old.settings(cell).links_take_time for cell in old.all_cells)
        assert all(new.settings(cell).links_take_time for cell in new.all_cells)
    calibration = load_scenario("calibration", "paper")
    assert calibration.settings_where(network="rate-24").links_take_time
    assert not calibration.settings_where(network="delay-10").links_take_time


def test_a_campaign_that_was_begun_with_buckets_does_not_go_on_without(tmp_path, monkeypatch):
    text = (RAW / "lab-2026-11-22/campaign.yaml").read_text()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/campaign.yaml").write_text(text)
    monkeypatch.setattr(folder, "RAW", tmp_path)
    frozen = folder.read_frozen("mine")
    scenario = load_scenario("psk-rsa", frozen.profile)
    with pytest.raises(folder.UserError, match="begun with other settings .*psk-rsa"):
        frozen.require_settings(scenario, frozen.seed, frozen.testbed)
