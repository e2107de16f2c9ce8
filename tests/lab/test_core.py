"""The core that a guest in virtual time gets."""

from remeasure.bench.lab.virtual.guest import idlest

BEFORE = """\
cpu  0 0 0 30 5 0 0 0
cpu0 0 0 0 10 0 0 0 0
cpu1 0 0 0 10 5 0 0 0
cpu2 0 0 0 10 0 0 0 0
"""
AFTER = """\
cpu  9 0 0 45 11 0 0 0
cpu0 7 0 0 13 0 0 0 0
cpu1 2 0 0 12 11 0 0 0
cpu2 0 0 0 20 0 0 0 0
"""


def test_it_is_the_one_that_was_idle_longest():
    """From its first column of /proc/stat on, a processor's line is as proc_stat(5) says."""
    assert idlest([0, 1, 2], BEFORE, AFTER) == 2
    assert idlest([0, 1], BEFORE, AFTER) == 1, "core 2 may not be used"


def test_guests_that_start_together_do_not_all_get_the_same():
    assert {idlest([0, 1], BEFORE, BEFORE) for _ in range(100)} == {0, 1}
