"""Trains of echo requests: when the first one passed, and how exactly that is known."""

import pytest

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.echo_train import KnownWait
from remeasure.bench.probes.reauthentication import ReauthenticationTrain

ENDS = {"source": "initiator", "target": "responder"}
TRAIN, CHARON = "perl-5.42.3/train.log", "strongswan-6.1.0/train.charon.log"


def test_a_train_that_is_lost_is_no_run(fixture):
    whole = fixture(TRAIN)
    probe = ReauthenticationTrain(**ENDS, count=3)
    probe.require_complete("x.log", whole)
    lost = whole.replace(b"answered 41 ", b"unanswered answered 41 ").decode()
    lines = ["unanswered" if "unanswered" in line else line for line in lost.splitlines()]
    with pytest.raises(LogError, match="2 trains answered', expected 3"):
        probe.require_complete("x.log", "\n".join([*lines, ""]).encode())


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (b"sent 1 5\n", "x.log:1: found 'sent 1 5', expected 'train <number>'"),
        (b"train 1\nsent 1 5\nanswered 2 9\n", "x.log:1: found 'train 1 of 1 requests'"),
        (b"train 1\nsent 1 5\nanswered 1 9\n", "expected 'opened <came> <opened>'"),
    ],
)
def test_a_line_that_does_not_belong_is_named(log, message):
    with pytest.raises(LogError, match=message):
        list(KnownWait.parse("x.log", log))


def test_each_train_has_a_negotiation_of_its_own(fixture):
    logs = {"x.log": fixture(TRAIN), "x.charon.log": fixture(CHARON)}
    observations = [o for name in logs for o in ReauthenticationTrain.parse(name, logs[name])]
    for count, passed in ((3, True), (4, False)):
        probe = ReauthenticationTrain(**ENDS, count=count)
        assert [c.passed for c in probe.agree("x", observations, None)] == [passed]
