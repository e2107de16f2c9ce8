"""What has changed on a host since its session began."""

from remeasure.testbed.settled import check_settled

BEFORE = """\
address wan 198.51.100.1/24
route 192.168.20.0/24 via 198.51.100.2 dev wan
link wan up mtu 1500
booted at [s] 1795397411
"""


def test_nothing():
    (check,) = check_settled("gw1", BEFORE, BEFORE)
    assert check.passed and check.found == check.expected == "nothing"


def test_a_line_that_differs_is_quoted_as_it_was_and_is():
    (check,) = check_settled("gw1", BEFORE, BEFORE.replace("1500", "1400"))
    assert not check.passed
    assert (check.found, check.expected) == ("link wan up mtu 1400", "link wan up mtu 1500")


def test_lines_that_are_gone_or_too_many():
    (gone,) = check_settled("gw1", BEFORE, "".join(BEFORE.splitlines(keepends=True)[1:]))
    assert (gone.found, gone.expected) == ("nothing", "address wan 198.51.100.1/24")
    (more,) = check_settled("gw1", BEFORE, BEFORE + "".join(f"route {i}\n" for i in range(6)))
    assert more.found == "route 0; route 1; route 2; route 3 and 2 more"
