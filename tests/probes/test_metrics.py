"""A probe's declarations, and the fate of undeclared values."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.metrics import Metric, Value, declare

RTT, BUSY = Metric("ms", "one round trip", "delay"), Metric("%", "busy", "share")


class Talkative(Probe):
    """A parser that reads more than its probe declares."""

    kind = "talkative"
    meanings = {"rtt: delay [ms]": "one round trip", "{host}_busy: share [%]": "busy"}

    @classmethod
    def read(cls, file, content):
        return [Value(name, 1.0, 1) for name in content.decode().split()]


def test_an_undeclared_metric_is_an_error():
    with pytest.raises(UserError, match=r"'rrt': not declared; known: rtt, {host}_busy"):
        list(Talkative.parse("x.log", b"rtt rrt"))


@pytest.mark.parametrize("probe", PROBES.values(), ids=list(PROBES))
def test_meanings_are_one_sentence_for_a_table(probe):
    for metric in probe.metrics.values():
        assert metric.meaning and "|" not in metric.meaning and not metric.meaning.endswith(".")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e-9, True, 10**400])
def test_a_value_that_cannot_be_true_is_refused(value):
    assert RTT.impossible(value) == "a number from 0 to inf ms"


def test_a_difference_may_be_negative_and_a_mean_of_shares_rounded_up():
    assert not Metric("ms", "one clock less another", "time", signed=True).impossible(-3.5)
    assert not BUSY.impossible(100.00000000000001)
    assert BUSY.impossible(100.1)


@pytest.mark.parametrize("heading", ["rtt [ms]", "payload: receiver [Mbit/s]"])
def test_a_metric_has_one_of_the_known_kinds(heading):
    with pytest.raises(UserError, match="expected '<name>: <kind> "):
        declare({heading: "one round trip"})
