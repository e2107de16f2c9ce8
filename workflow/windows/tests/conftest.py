"""Windows hosts that answer, and a block to measure on them."""

import pytest


@pytest.fixture
def windows(tmp_path):
    """Four hosts that answer as Windows should (windows_server.py)."""
    from windows_server import SWEEP, Windows

    answering = Windows(SWEEP.topology, tmp_path)
    yield answering
    answering.close()


@pytest.fixture
def campaign(windows, tmp_path, monkeypatch):
    """A block to measure on them, into a folder of its own."""
    from windows_server import SWEEP

    from remeasure.bench.measure import block as measure

    monkeypatch.setattr("remeasure.bench.campaign.folder.RAW", tmp_path / "raw")
    monkeypatch.setattr("remeasure.bench.campaign.folder.load_scenario", lambda *_: SWEEP)
    monkeypatch.setattr(measure, "SECRETS", tmp_path / ".secrets")
    monkeypatch.setattr(measure, "software_commit", lambda: "none")
    monkeypatch.setattr(measure, "choose_scenario", lambda *_: SWEEP)
    monkeypatch.setattr(measure, "load_testbed", lambda name: windows.inventory())
    carry = windows._carry

    def of_this_cell(sender, receiver, flow):
        rule = windows.machines["gw1"].suite
        suites = {
            ("MD5", "DES"): "des-md5",
            ("SHA1", "DES3"): "3des-sha1",
            ("AESGMAC128", "AESGCM128"): "aes128gcm16",
        }
        windows.cell = SWEEP.settings({"suite": suites[rule]}).tunnel if rule else None
        return carry(sender, receiver, flow)

    monkeypatch.setattr(windows, "_carry", of_this_cell)
    return measure.BlockOrder("answering", "algorithm-sweep", 1, "smoke", "answering-windows", 1)
