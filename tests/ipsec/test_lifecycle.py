"""Behaviour of ends when a tunnel is renewed or lost: configuration, and proof from real
listings."""

import pytest
from cases import cases
from pydantic import ValidationError
from tunnels import failed, site_tunnel

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.lifecycle import Retransmission
from remeasure.bench.ipsec.proof import check_lifecycle, lifecycle_provers
from remeasure.bench.ipsec.sas import read_list_conns, read_list_policies
from remeasure.bench.ipsec.swanctl import swanctl_conf

TOPOLOGY = load_topology("site-to-site")
LISTED = {
    "initiator": {"start_action": "start", "close_action": "start", "dpd_action": "restart"},
    "responder": {"start_action": "trap"},
    "dpd_delay": 5,
    "keyingtries": 0,
    "retransmission": {"tries": 2, "timeout": 1.0, "base": 1.5},
    "make_before_break": False,
    "guard": True,
    "extra": {"child": {"rekey_time": "600s"}, "charon": {"delete_rekeyed_delay": 3}},
}
"""the lifecycle that daemons listed in the fixtures"""


def tunnel_with(lifecycle: dict | None = None, **changes) -> IpsecTunnel:
    return site_tunnel(**{"esp": "aes128gcm16", **changes}, lifecycle=lifecycle or {})


def test_a_tunnel_that_says_nothing_is_configured_as_before():
    plain = swanctl_conf(tunnel_with(), TOPOLOGY, "gw1", "secret")
    assert "action" not in plain and "dpd" not in plain and "guard" not in plain
    assert list(lifecycle_provers(tunnel_with(on_demand=True))) == []


def test_fields_that_do_not_fit_are_refused():
    with pytest.raises(ValidationError, match="on_demand is start_action trap"):
        tunnel_with({"initiator": {"start_action": "start"}}, on_demand=True)
    with pytest.raises(ValidationError, match="guard needs protects"):
        tunnel_with({"guard": True}, protects={})


def test_when_strongswan_gives_up():
    """strongSwan's documentation: 165 s with the defaults."""
    assert Retransmission().gives_up_s == pytest.approx(165, abs=0.1)
    assert Retransmission(tries=2, timeout=1, base=1.5).gives_up_s == 4.75


def proof_of(fixture, gateway: str, lifecycle: dict, **changes: tuple[str, str]) -> list[str]:
    """The checks that fail for real listings with `changes` (listing -> text, other text)."""
    texts = []
    for name in ("list-conns", "list-pols", "charon-options"):
        text = fixture(f"strongswan-6.1.0/lifecycle-{gateway}-{name}.txt").decode()
        was, becomes = changes.get(name.replace("-", "_"), ("", ""))
        assert was in text
        texts.append(text.replace(was, becomes) if was else text)
    return failed(check_lifecycle(tunnel_with(lifecycle), gateway, *texts))


@pytest.mark.parametrize("gateway", ["gw1", "gw2"])
def test_real_listings_of_the_lifecycle_pass(fixture, gateway):
    assert proof_of(fixture, gateway, LISTED) == []
    assert proof_of(fixture, gateway, {}) != []


@pytest.mark.parametrize(
    ("gateway", "listing", "was", "becomes", "said"), cases(__file__, "other_listings_fail")
)
def test_other_listings_fail(fixture, gateway, listing, was, becomes, said):
    (found,) = proof_of(fixture, gateway, LISTED, **{listing: (was, becomes)})
    assert said in found


@pytest.mark.parametrize(
    ("responder", "listed", "passes"),
    [
        ({}, True, False),
        ({"dpd_action": "trap"}, True, True),
        ({"close_action": "trap"}, True, True),
        ({"close_action": "trap"}, False, True),
        ({"start_action": "trap", "close_action": "trap"}, True, True),
        ({"start_action": "trap", "dpd_action": "trap"}, False, False),
        ({"start_action": "start", "dpd_action": "restart"}, True, False),
    ],
)
def test_an_action_may_leave_a_policy_behind_and_a_beginning_must(
    fixture, responder, listed, passes
):
    """gw2 of the fixture has the policy of a trap, and the guard's."""
    trap, guard = "child=s2s reqid=1 ike=s2s mode=TUNNEL", "child=guard reqid=1 mode=DROP"
    change = {} if listed else {"list_pols": (trap, guard)}
    found = proof_of(fixture, "gw2", {"responder": responder, "guard": True}, **change)
    assert (not any("policies without an SA" in one for one in found)) == passes


def test_a_listing_that_is_cut_or_of_another_command_is_refused(fixture):
    text = fixture("strongswan-6.1.0/lifecycle-gw2-list-pols.txt").decode()
    assert [policy["mode"] for policy in read_list_policies(text)] == ["TUNNEL", "DROP"]
    with pytest.raises(ValueError, match="is not of swanctl --list-conns --raw"):
        read_list_conns(text)
    with pytest.raises(ValueError, match="braces do not close"):
        read_list_policies(text.replace("}}}", "}}") if "}}}" in text else text.replace("}}", "}"))


def test_names_in_certificates_do_not_matter(fixture):
    """They contain separators of options: `certs=[O=ipsec-remeasured, CN=gw1]`."""
    text = fixture("strongswan-6.1.0/rsa-list-conns.txt").decode()
    assert "O=ipsec-remeasured, CN=gw1" in text
    (connection,) = read_list_conns(text).values()
    assert connection["local-1"]["id"] == "gw1" and "certs" not in connection["local-1"]
    assert connection["children"]["s2s"]["dpd_action"] == "none"
