"""A flow through a tunnel that is renewed or lost: valid questions, and required contents of
logs."""

import pytest
from pydantic import ValidationError
from tunnels import site_tunnel

from remeasure.bench.probes.disturbed_flow import DisturbedFlow

ENDS = {"client": "client1", "server": "client2"}
ASKED = {"event": "stopped", "at": 1.3, "lasts": 1, "rate": 20, "length": 200, "duration": 5}
LOGS = ("up.log", "down.log", "gateways.txt", "charon.log")


def probe(**changes) -> DisturbedFlow:
    return DisturbedFlow(**ENDS, **{**ASKED, **changes})


def observations(fixture, log: str = "stopped") -> list:
    return [
        one
        for kind in LOGS
        for one in DisturbedFlow.parse(f"flow-01.{kind}", fixture(f"strongswan-6.1.0/{log}.{kind}"))
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"duration": 4}, "at least at . lasts . 2 s"),
        ({"event": "ike"}, "a renewal lasts as long as it takes"),
        ({"event": "fire"}, "event"),
    ],
)
def test_what_cannot_be_is_refused(changes, said):
    with pytest.raises(ValidationError, match=said):
        probe(**changes)


def test_an_outage_may_end_in_any_way_and_a_renewal_may_not(fixture):
    """The logs are from a peer that was stopped: both ends have no SA any more."""
    found = observations(fixture)
    assert all(check.passed for check in probe().agree("flow", found, site_tunnel()))
    failed = [
        str(check)
        for check in probe(event="child", lasts=0).agree("flow", found, site_tunnel())
        if not check.passed
    ]
    assert len(failed) == 3 and "found (1, 1), expected (0, 1)" in failed[0]


def test_renewals_are_as_many_as_planned(fixture):
    """Of two ends that ask at once one may win, and each lifetime that ends may be answered by both
    ends. An outage has no planned renewal."""
    found = observations(fixture)

    def expected(extra: dict | None = None, **changes) -> str:
        tunnel = site_tunnel(lifecycle={"extra": {"child": extra or {}}})
        checks = probe(lasts=0, **changes).agree("flow", found, tunnel)
        return " ".join(c.expected for c in checks if "renewals in the" in c.name)

    assert expected(event="stopped") == ""
    assert expected(event="none") == "0"
    assert expected(event="ike") == "1"
    assert expected(event="child-by-both") == "1 to 2"
    lifetime = {"rekey_time": "3s", "life_time": "9s", "rand_time": "0s"}
    assert expected(lifetime, event="expiry") == "1 to 4"
    assert expected(lifetime | {"rand_time": "2s"}, event="expiry") == "1 to 12"
    assert expected({"rekey_time": "1h"}, event="child") == "1 to 3"


def test_what_left_in_the_clear_before_the_event_is_no_observation(fixture):
    found = observations(fixture)
    for metric, value in (("initiator_clear_before", 1), ("responder_sas_before", 4)):
        other = [one._replace(value=value) if one.metric == metric else one for one in found]
        assert [c.passed for c in probe().agree("flow", other, site_tunnel())].count(False) == 1


def test_a_flow_of_which_nothing_arrived_is_silent_to_its_end(fixture):
    log = fixture("flow-1/unreachable.up.log")
    found = {o.metric: o.value for o in DisturbedFlow.parse("flow-01.up.log", log)}
    assert found["up_silence"] == found["up_tail"] > 0
