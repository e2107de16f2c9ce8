"""Guests that were made again count as the same guests, unless one line names a difference."""

import copy
import re
from pathlib import Path

import pytest
from projects import ROOT

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.measure import same_guests
from remeasure.bench.measure.same_guests import MUST_BE_EQUAL, compare, tell_changes
from remeasure.bench.testbed.host_kind import upstream

FIRST = "lab-2026-11-instructions/esp-instructions"
LATER = "lab-2026-11-kinds/other-tunnels"
BUILT = "Thu Nov 26 07:30:58 UTC 2026"
CLOUD = "7.2.12+deb14-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 7.2.12"
COMPILED = {"version": "7.2.12-1", "source": "01", "configuration": "02", "compiler": "gcc 12.2.0"}


def session_of(block: str) -> dict:
    archive = BlockArchive(ROOT / "data/raw" / block / "block-01.zip")
    return copy.deepcopy(archive.block["sessions"][0])


@pytest.fixture
def first() -> dict:
    return session_of(FIRST)


@pytest.fixture
def later(first) -> dict:
    """The same guests, made again."""
    return copy.deepcopy(first)


def refusal(now: dict, then: dict) -> str:
    with pytest.raises(UserError) as caught:
        compare(now, then, Path("block-01.zip"))
    said = str(caught.value)
    assert "\n" not in said
    return said


def name_kernel(session: dict, name: str) -> None:
    for host in session["hosts"].values():
        host["kernel"] = name


def test_released_guests_of_two_recipes_and_days_are_the_same(first):
    """Linux 7.2.12 compiled on 26 and on 28 November, in images with and without OpenVPN."""
    later = session_of(LATER)
    assert {h["kernel"] for h in first["hosts"].values()} == {
        "Linux 7.2.12 #1 Thu Nov 26 07:30:58 UTC 2026 x86_64"
    }
    assert {h["kernel"] for h in later["hosts"].values()} == {
        "Linux 7.2.12 #1 Sat Nov 28 09:40:46 UTC 2026 x86_64"
    }
    changes = compare(later, first, Path("block-01.zip"))
    assert changes["openvpn"] == ["none", "2.7.8-1"]
    assert {then for then, _ in changes.values()} == {"none"}


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        (f"7.2.12 #1 {BUILT}", "7.2.12 #3 Sun Nov  9 07:30:58 UTC 2025", True),
        (f"7.2.12 #1 {BUILT}", f"7.2.13 #1 {BUILT}", False),
        (f"7.2.12 #1 {BUILT}", f"7.2.12 #1 SMP {BUILT}", False),
        (f"{CLOUD}-1 (2026-10-22)", f"{CLOUD}-1 (2026-10-25)", True),
        (f"{CLOUD}-1 (2026-10-22)", f"{CLOUD}-2 (2026-10-22)", False),
    ],
)
def test_kernels_of_older_blocks_are_compared_by_release_and_version(first, later, then, now, same):
    name_kernel(first, f"Linux {then} x86_64")
    name_kernel(later, f"Linux {now} x86_64")
    later["kernel"] = COMPILED
    if same:
        assert compare(later, first, Path("block-01.zip")) == {}
    else:
        assert refusal(later, first).startswith("guests: kernel: found Linux 7.2.1")


@pytest.mark.parametrize("fact", COMPILED)
def test_a_kernel_is_the_same_by_its_source_and_configuration(first, later, fact):
    first["kernel"], later["kernel"] = COMPILED, COMPILED
    name_kernel(later, "Linux 7.2.12 #1 Sun Nov 29 11:12:13 UTC 2026 x86_64")
    assert compare(later, first, Path("block-01.zip")) == {}
    later["kernel"] = COMPILED | {fact: "another"}
    assert re.search(
        rf"^guests: kernel: found .*{fact} another.*, expected version 7.2.12-1, source 01, "
        "configuration 02, compiler gcc 12.2.0 as in block-01.zip, since it encrypts",
        refusal(later, first),
    )


def test_another_strongswan_is_refused_in_a_line(first, later):
    later["image"]["packages"] |= {"libstrongswan": "6.1.1-1", "charon-systemd": "6.1.1-1"}
    assert refusal(later, first) == (
        "guests: strongSwan: found 6.1.0, 6.1.1, expected 6.1.0 as in block-01.zip, since it sets "
        "up and renews tunnels; make image and kernels again from a Debian mirror of the day "
        "2026-11-26 (DEBIAN_MIRROR, docs/kernel.md), or measure another campaign"
    )


def test_a_library_with_another_name_is_compared_by_its_program(first, later):
    packages = later["image"]["packages"]
    del packages["libssl3t64"]
    packages["libssl4"] = "4.0.0-1"
    assert refusal(later, first).startswith("guests: OpenSSL: found 3.6.5, 4.0.0, expected 3.6.5 ")


def test_patches_of_debian_and_other_packages_are_listed(first, later):
    packages = later["image"]["packages"]
    packages |= {"openssl": "3.6.5-1+deb14u1", "sed": "5.0-1", "new": "1-1"}
    del packages["tar"]
    assert compare(later, first, Path("block-01.zip")) == {
        "new": ["none", "1-1"],
        "openssl": ["3.6.5-1", "3.6.5-1+deb14u1"],
        "sed": ["4.9-3", "5.0-1"],
        "tar": ["1.35+dfsg-6", "none"],
    }


def test_changes_are_told_once(monkeypatch, capsys):
    same_guests._tell.cache_clear()
    sessions = [{"changed_packages": {"sed": ["4.9-3", "5.0-1"]}}, {}] * 2

    class Archive:
        def __init__(self, path):
            self.block = {"sessions": sessions}

    monkeypatch.setattr(same_guests, "BlockArchive", Archive)
    tell_changes(Path("block-02.zip"))
    tell_changes(Path("block-03.zip"))
    assert capsys.readouterr().err == (
        "guests: changed since the first block: sed 4.9-3 -> 5.0-1\n"
    )


@pytest.mark.parametrize(("program", "names", "why"), MUST_BE_EQUAL)
def test_each_program_is_in_the_image(program, names, why):
    packages = session_of(LATER)["image"]["packages"]
    found = {upstream(packages[name]) for name in packages if re.fullmatch(names, name)}
    assert len(found) == 1 and why


@pytest.mark.parametrize(
    ("debian", "version"),
    [
        ("5.9.8-5+deb12u5", "5.9.8"),
        ("1:2.6.0-1", "2.6.0"),
        ("3.2.10+dfsg-2+b1", "3.2.10"),
        ("2.8.1-r1023-7", "2.8.1-r1023"),
        ("7.2um1+b2", "7.2um1"),
        ("2.2.1+dfsg1-1.1", "2.2.1"),
        ("262", "262"),
    ],
)
def test_the_upstream_version_is_in_debians(debian, version):
    assert upstream(debian) == version
