"""Settings of a kernel: what a host is asked, what it answers, and what is compared."""

import subprocess

from remeasure.testbed.watching.kernel_settings import MARK, split, sum_of, with_set
from remeasure.testbed.watching.settled import ask, check_settled, summary_of

SETTINGS = "net/ipv4/ipfrag_time 30\nnet/ipv4/tcp_sack 1\noffload wan generic-receive-offload: on\n"


def said(settings: str, first: str = "route a\n", shown: bool = True) -> str:
    return f"{first}{MARK}{sum_of(settings)}\n{settings if shown else ''}"


def answer(expected: str) -> str:
    command = ["sh", "-c", ask(expected)]
    return subprocess.run(command, capture_output=True, text=True).stdout


def test_a_machine_shows_its_settings_only_if_they_are_not_as_expected():
    _, found, settings = split(answer(""))
    assert found == sum_of(settings)
    assert "net/ipv4/ip_default_ttl " in settings and "device lo:" in settings
    assert "key" not in settings
    assert split(answer(settings))[1:] == (found, "")


def test_a_cell_may_want_a_setting_otherwise():
    wanted = {"offload wan generic-receive-offload:": "off", "net/ipv4/ipfrag_time": "1", "x": "2"}
    assert with_set(SETTINGS, wanted).splitlines() == [
        "net/ipv4/ipfrag_time 1",
        "net/ipv4/tcp_sack 1",
        "offload wan generic-receive-offload: off",
    ]


def test_settings_that_are_as_before():
    (check,) = check_settled("gw1", said(SETTINGS), said(SETTINGS, shown=False))
    assert check.passed


def test_a_setting_that_was_changed_is_quoted_as_it_was_and_is():
    changed = SETTINGS.replace("sack 1", "sack 0")
    (check,) = check_settled("gw1", said(SETTINGS), said(changed))
    assert not check.passed
    assert (check.found, check.expected) == ("net/ipv4/tcp_sack 0", "net/ipv4/tcp_sack 1")


def test_another_sum_without_settings_is_a_change():
    (check,) = check_settled("gw1", said(SETTINGS), f"route a\n{MARK}0\n")
    assert not check.passed


def test_a_summary_has_the_sum_alone():
    assert summary_of(said(SETTINGS)) == said(SETTINGS, shown=False)
    assert summary_of("route a\n") == "route a\n"
