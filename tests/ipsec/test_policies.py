"""Policies: those of the tunnel pass, any others fail."""

import pytest

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec.policies import check_policies
from remeasure.bench.ipsec.tunnel import Tunnel

LISTED = "iproute2-7.2.0/xfrm-policy-tunnel.txt"
BYPASS = "src 192.168.10.1/32 dst 192.168.20.1/32 \n\tdir out priority 1 ptype main \n"


def found(text: str, topology: str = "site-to-site", **changes):
    ends = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
    protects = {"gw1": "site1", "gw2": "site2"}
    suite = {"ike": "aes256-sha256-modp2048", "esp": "aes128-sha256"}
    tunnel = Tunnel(**{**ends, "protects": protects, **suite, **changes})
    (check,) = check_policies(tunnel, load_topology(topology), tunnel.initiator, text)
    return check


def test_those_of_the_tunnel_pass(fixture):
    assert found(fixture(LISTED).decode()).passed


@pytest.mark.parametrize(
    "changes", [{"mode": "transport"}, {"esp": None, "ah": "sha1"}, {"protects": {}}]
)
def test_those_of_another_tunnel_fail(fixture, changes):
    assert not found(fixture(LISTED).decode(), **changes).passed


def test_none_and_more_fail(fixture):
    assert found("").found == "none"
    check = found(fixture(LISTED).decode() + BYPASS)
    assert not check.passed
    assert "out 192.168.10.1/32 to 192.168.20.1/32 in clear" in check.found


def test_what_is_no_policy_is_refused():
    with pytest.raises(ValueError, match="is not a policy"):
        found("RTNETLINK answers: Operation not permitted\n")
