"""Processes that change one file at once lose nothing: without locks, and if one is killed."""

import multiprocessing
from functools import cache, partial
from pathlib import Path

import filelock
import pytest
import yaml

from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.campaign import release, succession
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.campaign.succession import advance, remove_versions
from remeasure.bench.ipsec.pki import Credentials

FORK = multiprocessing.get_context("fork")
TESTBED = {"name": "lab", "backend": "uml"}
TRIES = 20


@pytest.fixture
def without_locks(monkeypatch):
    """Locks of files do nothing, as on some file systems that nodes of a cluster share."""
    monkeypatch.setattr(filelock.BaseFileLock, "acquire", lambda self, *_, **__: self)


def at_once(*calls) -> list[int]:
    """Run functions in processes, which begin at the same moment. Each function takes what waits
    for all others, once. Returns their exit statuses."""
    barrier = FORK.Barrier(len(calls))

    def run(call):
        waits = iter([barrier.wait])
        call(lambda: next(waits, int)())

    processes = [FORK.Process(target=run, args=[call]) for call in calls]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]


@pytest.fixture
def quick_freeze(monkeypatch):
    """Freezing without what takes long in it: claims of studies, and reading a scenario again."""
    read = cache(load_scenario)
    for name in ("psk-rsa", "replay-window"):
        read(name, "smoke")
    monkeypatch.setattr(campaign_folder, "load_scenario", read)
    monkeypatch.setattr(campaign_folder, "check_claims", lambda scenario: None)
    monkeypatch.setattr(campaign_folder, "register", lambda name, rules: {"claim": "hash"})
    monkeypatch.setattr(campaign_folder, "code_hash", lambda: "hash")


def freeze_together(name: str, wait) -> None:
    """Freeze a scenario; what is to be written is ready in all processes before one writes."""
    dump = yaml.safe_dump
    yaml.safe_dump = lambda *given, **options: (dump(*given, **options), wait())[0]
    campaign_folder.freeze("mine", campaign_folder.load_scenario(name, "smoke"), 1, TESTBED, "abc")


@pytest.mark.parametrize("names", [("psk-rsa", "psk-rsa"), ("psk-rsa", "replay-window")])
def test_two_first_blocks_begun_at_once_never_harm_a_campaign(
    tmp_path, monkeypatch, without_locks, quick_freeze, names
):
    for number in range(TRIES):
        monkeypatch.setattr(campaign_folder, "RAW", tmp_path / str(number))
        assert at_once(*(partial(freeze_together, name) for name in names)) == [0, 0], number
        frozen = campaign_folder.read_frozen("mine")
        assert {*frozen.scenarios} == {*frozen.registered} == {*names}, f"try {number}"
        left = [path.name for path in campaign_folder.campaign_folder("mine").iterdir()]
        assert not [name for name in left if name.endswith(".part")]


def test_two_first_blocks_have_the_same_credentials(tmp_path, without_locks):
    def take(number: int, name: str, wait) -> None:
        wait()
        made = Credentials(tmp_path / str(number))
        own = made.end_entity("gw1", "ecdsa256"), made.secret("psk")
        (tmp_path / f"{number}.{name}").write_text(repr(own))

    for number in range(TRIES):
        assert at_once(*(partial(take, number, name) for name in "ab")) == [0, 0]
        first, second = ((tmp_path / f"{number}.{name}").read_text() for name in "ab")
        assert first == second, f"try {number}"


def add(path: Path, line: str) -> None:
    """Add a line, unless it is there."""

    def change(newest: Path | None) -> bytes:
        lines = newest.read_text().splitlines() if newest else []
        return "".join(f"{one}\n" for one in dict.fromkeys([*lines, line])).encode()

    advance(path, change)


def test_no_change_is_lost(tmp_path):
    path = tmp_path / "lines.txt"

    def add_all(process: int, wait) -> None:
        wait()
        for number in range(10):
            add(path, f"{process} {number}")

    assert at_once(*(partial(add_all, process) for process in range(4))) == [0] * 4
    lines = path.read_text().splitlines()
    assert sorted(lines) == sorted(f"{process} {n}" for process in range(4) for n in range(10))
    remove_versions(path)
    assert [one.name for one in tmp_path.iterdir()] == ["lines.txt"]


class Killed(BaseException):
    pass


def test_the_version_of_a_killed_process_is_found(tmp_path, monkeypatch):
    """It was killed before everyone could read it."""
    path = tmp_path / "lines.txt"
    add(path, "first")

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(succession, "atomic_path", kill)
        add(path, "second")
    assert path.read_text() == "first\n"
    add(path, "third")
    assert path.read_text() == "first\nsecond\nthird\n"


def test_an_old_version_that_comes_late_is_replaced(tmp_path):
    """A process may be held up just before it lets everyone read its version."""
    path = tmp_path / "lines.txt"
    for line in ("first", "second", "third"):
        add(path, line)
    path.write_text("first\nsecond\n")
    add(path, "third")
    assert path.read_text() == "first\nsecond\nthird\n"


def test_versions_are_no_part_of_a_release(tmp_path, monkeypatch, quick_freeze):
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path)
    for name in ("psk-rsa", "replay-window"):
        campaign_folder.freeze(
            "mine", campaign_folder.load_scenario(name, "smoke"), 1, TESTBED, "abc"
        )
    folder = tmp_path / "mine"
    assert len([*folder.iterdir()]) == 2
    assert release._files(folder) == ["campaign.yaml"]
    assert {*yaml.safe_load((folder / "campaign.yaml").read_text())["scenarios"]} == {
        "psk-rsa",
        "replay-window",
    }
