"""Processes that begin a campaign at once lose nothing."""

import multiprocessing
from functools import partial

import pytest

from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.campaign import release
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.ipsec.pki import Credentials

FORK = multiprocessing.get_context("fork")
TESTBED = {"name": "lab", "backend": "uml"}


def at_once(*calls) -> list[int]:
    """Run functions in processes that begin at the same moment. Returns their exit statuses."""
    barrier = FORK.Barrier(len(calls))

    def run(call):
        barrier.wait()
        call()

    processes = [FORK.Process(target=run, args=[call]) for call in calls]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]


def freeze(name: str) -> None:
    campaign_folder.freeze("mine", [load_scenario(name, "smoke")], 1, TESTBED, "abc")


@pytest.mark.parametrize("names", [("psk-rsa", "psk-rsa"), ("psk-rsa", "replay-window")])
def test_two_first_blocks_begun_at_once_are_both_in_the_campaign(tmp_path, monkeypatch, names):
    for number in range(5):
        monkeypatch.setattr(campaign_folder, "RAW", tmp_path / str(number))
        assert at_once(*(partial(freeze, name) for name in names)) == [0, 0]
        frozen = campaign_folder.read_frozen("mine")
        assert {*frozen.scenarios} == {*frozen.registered} == {*names}, f"try {number}"
        assert "rounds" not in campaign_folder.frozen_path("mine").read_text()
        assert release._files(campaign_folder.campaign_folder("mine")) == ["campaign.yaml"]


def test_two_first_blocks_have_the_same_credentials(tmp_path):
    def take(number: int, name: str) -> None:
        made = Credentials(tmp_path / str(number))
        own = made.end_entity("gw1", "ecdsa256"), made.secret("psk")
        (tmp_path / f"{number}.{name}").write_text(repr(own))

    for number in range(20):
        assert at_once(*(partial(take, number, name) for name in "ab")) == [0, 0]
        first, second = ((tmp_path / f"{number}.{name}").read_text() for name in "ab")
        assert first == second, f"try {number}"
