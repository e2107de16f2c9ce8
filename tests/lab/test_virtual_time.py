"""A guest in virtual time: what its clock does, what it draws, and how it fails."""

from pathlib import Path

import pytest
from real_guests import run_inside

from remeasure.bench.lab.virtual.virtual_lab import number_of

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    script = Path(__file__).with_name("inside_virtual.py")
    return run_inside(shared_project, script, tmp_path_factory.mktemp("virtual"))


def test_sleeping_takes_virtual_time_alone(found):
    assert found["status"] == 7, "the exit status of the command"
    assert found["slept_s"] == pytest.approx(3602, abs=0.1), "two seconds of ping, and an hour"


def test_a_command_is_ended_by_the_clock_of_its_guest(found):
    status, seconds = found["late"]
    assert status == 124 and seconds == pytest.approx(10, abs=0.01)


def test_the_seed_decides_what_is_drawn(found):
    first, other, again = found["drawn"]
    assert first == again != other


def test_a_root_that_was_copied_looks_the_same(found):
    """Though its inodes and times are others, and its folders list their files as they please."""
    here, copied = found["copied"]
    assert "swanctl.conf" in here and copied == here


def test_a_guest_that_is_stopped_goes_on_as_if_it_had_not_been(found):
    alone, stopped = found["stopped"]
    assert "2 received" in alone and stopped == alone


def test_a_loop_that_never_reads_the_clock_is_found(found):
    assert found["loop"].startswith("virtual time: the guest used 2 s of processor time, and no")
    assert "perl -e '1 while 1'" in found["loop"], "the command is named"


def test_a_loop_of_system_calls_ends_where_they_take_time(found):
    assert found["calls"] == 124


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("killed", "guest virtual was killed by signal 9"),
        ("no library", "cannot be preloaded"),
        ("no kernel", "did not boot: no seccomp here"),
    ],
)
def test_a_guest_that_fails_says_why(found, what, said):
    assert said in found[what] and "\n" not in found[what]


def test_a_seed_is_the_beginning_of_the_hash_of_its_text():
    assert number_of("") == 0xE3B0C44298FC1C14, "of the empty text, by sha256sum(1)"
