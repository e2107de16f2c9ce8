"""What has changed on a host since its session began."""

from remeasure.testbed.watching.settled import check_settled, settled_provers

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


def provers(line: str, **options):
    """Whether a line that is new is a change."""
    (prover,) = settled_provers({"gw1": BEFORE}, **options)
    (check,) = prover.check(BEFORE + line)
    return check.passed


def test_what_the_trial_itself_starts_and_shapes_is_no_change():
    assert provers("runs iperf3\nlistens iperf3 on tcp *:5201\n", started={"iperf3"})
    assert not provers("runs perl\n", started={"iperf3"})
    assert not provers("listens perl on tcp *:5201\n", started={"iperf3"})
    assert provers("qdisc wan netem 10: root rate 100Mbit\n", shaped={("gw1", "wan")})
    assert not provers("qdisc wan netem 10: root rate 100Mbit\n", shaped={("gw2", "wan")})
    assert not provers("qdisc wan clsact ffff: parent ffff:fff1\n", shaped={("gw1", "wan")})


def test_how_many_sessions_there_are_may_differ():
    assert provers("") and not provers("runs sshd-session\n")
    (prover,) = settled_provers({"gw1": BEFORE + "runs sshd-session\n"})
    (check,) = prover.check(BEFORE + 2 * "runs sshd-session\n")
    assert check.passed
