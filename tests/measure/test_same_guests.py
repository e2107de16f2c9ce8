"""Guests that were made again count as the same guests, unless one line names a difference."""

import copy
import re
from pathlib import Path

import pytest
from projects import ROOT

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.measure.same_guests import MUST_BE_EQUAL, compare
from remeasure.bench.testbed.host_kind import upstream

CLOUD = "7.2.12+deb14-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 7.2.12"
COMPILED = {"version": "7.2.12-1", "source": "01", "configuration": "02", "compiler": "gcc 12.2.0"}
BUILT = "7.2.12 #1 Thu Nov 26 07:30:58 UTC 2026"


def session_of(block: str) -> dict:
    archive = BlockArchive(ROOT / "data/raw" / block / "block-01.zip")
    return copy.deepcopy(archive.block["sessions"][0])


@pytest.fixture
def first() -> dict:
    return session_of("lab-2026-11-instructions/esp-instructions")


@pytest.fixture
def later(first) -> dict:
    """The same guests, made again."""
    return copy.deepcopy(first)


def compared(now: dict, then: dict) -> dict | str:
    """Changed packages, or why the guests are not the same."""
    try:
        return compare(now, then, Path("block-01.zip"))
    except UserError as error:
        return str(error)


def name_kernel(session: dict, name: str) -> None:
    for host in session["hosts"].values():
        host["kernel"] = f"Linux {name} x86_64"


def test_released_guests_of_two_recipes_and_days_are_the_same(first):
    """Linux 7.2.12 compiled on 26 and on 28 November, in images with and without OpenVPN."""
    later = session_of("lab-2026-11-kinds/other-tunnels")
    assert first["hosts"]["left"]["kernel"] != later["hosts"]["left"]["kernel"]
    changes = compared(later, first)
    assert changes["openvpn"] == ["none", "2.7.8-1"]
    assert {then for then, _ in changes.values()} == {"none"}
    packages = later["image"]["packages"]
    for program, names, _ in MUST_BE_EQUAL:
        versions = {upstream(packages[name]) for name in packages if re.fullmatch(names, name)}
        assert len(versions) == 1, program


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        (BUILT, "7.2.12 #3 Sun Nov  9 07:30:58 UTC 2025", True),
        (BUILT, BUILT.replace("7.2.12", "7.2.13"), False),
        (BUILT, BUILT.replace("#1", "#1 SMP"), False),
        (f"{CLOUD}-1 (2026-10-22)", f"{CLOUD}-1 (2026-10-25)", True),
        (f"{CLOUD}-1 (2026-10-22)", f"{CLOUD}-2 (2026-10-22)", False),
    ],
)
def test_kernels_of_older_blocks_are_compared_by_release_and_version(first, later, then, now, same):
    name_kernel(first, then)
    name_kernel(later, now)
    later["kernel"] = COMPILED
    found = compared(later, first)
    assert found == {} if same else found.startswith("guests: kernel: found Linux 7.2.1")


@pytest.mark.parametrize("fact", COMPILED)
def test_a_kernel_is_the_same_by_its_source_and_configuration(first, later, fact):
    first["kernel"] = later["kernel"] = COMPILED
    name_kernel(later, "7.2.12 #1 Sun Nov 29 11:12:13 UTC 2026")
    assert compared(later, first) == {}
    later["kernel"] = COMPILED | {fact: "another"}
    assert re.search(
        rf"^guests: kernel: found .*{fact} another.*, expected version 7.2.12-1, source 01, "
        "configuration 02, compiler gcc 12.2.0 as in block-01.zip, since it encrypts",
        compared(later, first),
    )


def test_only_another_upstream_version_of_a_program_that_matters_is_refused(first, later):
    packages = later["image"]["packages"]
    packages |= {"openssl": "3.6.5-1+deb14u1", "sed": "5.0-1", "new": "1-1"}
    del packages["tar"]
    assert compared(later, first) == {
        "new": ["none", "1-1"],
        "openssl": ["3.6.5-1", "3.6.5-1+deb14u1"],
        "sed": ["4.9-3", "5.0-1"],
        "tar": ["1.35+dfsg-6", "none"],
    }
    # A library is compared by its program, whatever it is called.
    packages["libssl4"] = "4.0.0-1"
    assert compared(later, first).startswith("guests: OpenSSL: found 3.6.5, 4.0.0, expected 3.6.5 ")
    packages |= {"libstrongswan": "6.1.1-1", "charon-systemd": "6.1.1-1"}
    assert compared(later, first) == (
        "guests: strongSwan: found 6.1.0, 6.1.1, expected 6.1.0 as in block-01.zip, since it sets "
        "up and renews tunnels; make image and kernels again from a Debian mirror of the day "
        "2026-11-26 (DEBIAN_MIRROR, docs/kernel.md), or measure another campaign"
    )


def test_the_upstream_version_is_in_debians():
    versions = {"5.9.8-5+deb12u5": "5.9.8", "1:2.6.0-1": "2.6.0", "3.2.10+dfsg-2+b1": "3.2.10"}
    versions |= {"2.8.1-r1023-7": "2.8.1-r1023", "7.2um1+b2": "7.2um1", "2.2.1+dfsg1-1.1": "2.2.1"}
    assert {debian: upstream(debian) for debian in versions} == versions
