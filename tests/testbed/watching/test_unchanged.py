"""A host's list of its changes: only the cell's settings may differ."""

import pytest

from remeasure.bench.testbed.watching.unchanged import check_unchanged

FRAGMENTS = "< /proc/sys/net/ipv4/ipfrag_time:30\n---\n> /proc/sys/net/ipv4/ipfrag_time:1\n"
SET = "/proc/sys/net/ipv4/ipfrag_time:|qdisc .* dev wan "
SHAPED = "3c3\n< qdisc noqueue 0: dev wan root\n---\n> qdisc netem 1: dev wan root loss 5%\n"
ROUTE = "12a13\n> unicast 10.9.0.0/16 via 10.1.0.2 dev eth1 proto boot scope global\n"


@pytest.mark.parametrize(
    "differences, found, expected",
    [
        ("", "nothing", "nothing"),
        (f"9c9\n{FRAGMENTS}{SHAPED}", "nothing", "nothing"),
        (
            SHAPED.replace("wan", "site2"),
            "qdisc netem 1: dev site2 root loss 5%",
            "qdisc noqueue 0: dev site2 root",
        ),
        (
            FRAGMENTS.replace("ipfrag_time", "tcp_rmem"),
            "/proc/sys/net/ipv4/tcp_rmem:1",
            "/proc/sys/net/ipv4/tcp_rmem:30",
        ),
        (ROUTE + FRAGMENTS, ROUTE.strip()[8:], "nothing"),
        (
            "".join(f"> route {i}\n" for i in range(6)),
            "route 0; route 1; route 2; route 3 and 2 more",
            "nothing",
        ),
    ],
)
def test_what_the_cell_does_not_set_must_stay(differences, found, expected):
    (check,) = check_unchanged("gw1", SET, differences)
    assert (check.found, check.expected) == (found, expected)
    assert check.passed == (found == expected == "nothing")
