"""What listeners hear of changes, as ip-monitor(8) and tc-monitor(8) of iproute2 7.2 write it."""

import pytest

from remeasure.testbed.treatments.changes import check_changes

BEGINNING = (
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n"
    "4: wan: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc tbf state UNKNOWN mode DEFAULT\n"
)


def heard(lines: str):
    (check,) = check_changes("gw1", {"lo", "wan"}, BEGINNING + lines)
    return check


@pytest.mark.parametrize(
    "lines",
    [
        "",
        # charon takes a route of its own down and up, and the kernel shows the link beside it
        "Deleted 192.168.20.0/24 dev wan table 220 proto static src 192.168.10.254 \n"
        "4: wan: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc tbf state UNKNOWN \\    link\n"
        "192.168.20.0/24 dev wan table 220 proto static src 192.168.10.254 \n",
        # a capture begins
        "4: wan: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 1500 qdisc tbf state UNKNOWN\n",
        # a link that carries nothing of the experiment
        "qdisc netem 8001: dev control root refcnt 2 limit 1000 delay 1ms\n",
        # charon's own rule of routing
        "Deleted 220:\tfrom all lookup 220\n220:\tfrom all lookup 220\n",
    ],
)
def test_what_is_no_change(lines):
    assert heard(lines).passed


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            "4: wan: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc tbf state UNKNOWN\n"
            "4: wan: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc tbf state UNKNOWN\n",
            "link wan up mtu 1400; link wan up mtu 1500",
        ),
        (
            "4: wan: <BROADCAST,MULTICAST> mtu 1500 qdisc tbf state DOWN group default \n",
            "link wan down mtu 1500",
        ),
        (
            "Deleted 192.168.20.0/24 via 198.51.100.2 dev wan \n",
            "Deleted 192.168.20.0/24 via 198.51.100.2 dev wan",
        ),
        (
            "4: wan\\    inet 10.1.1.1/24 scope global wan\\       valid_lft forever\n",
            "4: wan inet 10.1.1.1/24 scope global wan",
        ),
        (
            "qdisc netem 8001: dev wan root refcnt 2 limit 1000 delay 5ms seed 1020\n",
            "qdisc netem 8001: dev wan root refcnt 2 limit 1000 delay 5ms seed 1020",
        ),
        ("inet wan forwarding off \n", "inet wan forwarding off"),
        (
            "32765:\tfrom all to 203.0.113.0/24 lookup 77\n",
            "32765: from all to 203.0.113.0/24 lookup 77",
        ),
    ],
)
def test_what_is_a_change(line, found):
    check = heard(line)
    assert not check.passed and check.found == found
