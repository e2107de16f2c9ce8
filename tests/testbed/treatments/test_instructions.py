"""Instructions that a kernel may use: flags and drivers, by output of real guests of an Intel
processor with AVX-512 at each level."""

import pytest
from cases import cases

from remeasure.bench.testbed.treatments.instructions import (
    X86_FLAGS,
    Instructions,
    check_instructions,
)

NEWER = ("vaes", "vpclmulqdq", "avx512f", "avx512vl", "avx512bw", "avx512dq")
LEVELS = {
    "all": Instructions(),
    "aes": Instructions(without=NEWER),
    "none": Instructions(without=("all",)),
}
MACHINE = set(X86_FLAGS)
"""the processor under those guests has all of them"""


@pytest.fixture
def said(fixture):
    """Output of a guest at a level: /proc/cpuinfo and /proc/crypto."""
    return lambda level: tuple(
        fixture(f"linux-7.2/instructions/{level}.{kind}.txt").decode()
        for kind in ("cpuinfo", "crypto")
    )


@pytest.mark.parametrize("level", LEVELS)
def test_a_guest_that_computes_as_its_cell_asks_passes(said, level):
    checks = check_instructions("left", LEVELS[level], MACHINE, True, *said(level))
    assert [check.passed for check in checks] == [True, True], checks


@pytest.mark.parametrize(
    ("asked", "was", "code"), cases(__file__, "a_guest_at_another_level_fails_by_code_and_by_flags")
)
def test_a_guest_at_another_level_fails_by_code_and_by_flags(said, asked, was, code):
    by_code, by_flags = check_instructions("left", LEVELS[asked], MACHINE, True, *said(was))
    assert not by_code.passed and code in by_code.found
    assert not by_flags.passed


def test_flags_tell_levels_apart_that_drivers_do_not(said):
    by_code, by_flags = check_instructions("left", LEVELS["all"], MACHINE, True, *said("aes"))
    assert by_code.passed, "AES-NI is AES instructions, too"
    assert not by_flags.passed


def test_a_kernel_without_the_parameter_is_asked_for_its_code_alone(said):
    (check,) = check_instructions("left", LEVELS["none"], MACHINE, False, "", said("none")[1])
    assert check.passed


def test_a_level_that_leaves_out_what_is_not_there_is_no_level():
    older = MACHINE - set(NEWER)
    assert LEVELS["aes"].same_as_all(older)
    assert not LEVELS["aes"].same_as_all(MACHINE)
    assert not LEVELS["all"].same_as_all(older)
