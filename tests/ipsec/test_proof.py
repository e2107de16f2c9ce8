"""Proof of treatment: it passes on the real thing and fails on anything else."""

import pytest

from remeasure.bench.ipsec import proof
from remeasure.bench.ipsec.authentication_proof import check_authentication
from remeasure.bench.ipsec.tunnel import Tunnel


def tunnel(**changes) -> Tunnel:
    return Tunnel(
        **{
            "initiator": "gw1",
            "responder": "gw2",
            "link": "wan",
            "protects": {"gw1": "site1", "gw2": "site2"},
            "auth": "psk",
            "ike": "aes256-sha256-modp2048",
            "esp": "aes256-sha256-modp2048",
        }
        | changes
    )


def failed(checks):
    return [check.name for check in checks if not check.passed]


def test_the_tunnel_that_was_asked_for_passes(listings):
    checks = proof.check_tunnel(tunnel(), "gw1", *listings)
    assert len(checks) > 8
    assert not failed(checks)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"esp": "aes128-sha256"}, "gw1: CHILD_SA encr-keysize"),
        ({"esp": "aes256-sha1"}, "gw1: CHILD_SA integ-alg"),
        ({"ike": "aes256-sha256-x25519"}, "gw1: IKE_SA dh-group"),
        ({"mode": "transport"}, "gw1: CHILD_SA mode"),
        ({"replay_window": 64}, "gw1: replay window"),
    ],
)
def test_another_tunnel_fails(listings, changes, name):
    assert name in failed(proof.check_tunnel(tunnel(**changes), "gw1", *listings))


def test_an_sa_whose_rekeying_waits_for_its_answer_counts_as_installed(fixture):
    """Of a trial that was rejected since the network had lost the request: the old CHILD_SA is in
    use, and the kernel has the SPI of the new one for a while."""
    listings = (
        fixture("strongswan-6.1.0/rekeying-list-sas.txt").decode(),
        fixture("iproute2-7.2.0/xfrm-state-rekeying.txt").decode(),
    )
    checks = proof.check_tunnel(tunnel(auth="rsa"), "gw1", *listings, used=False)
    assert len(checks) > 8
    assert not failed(checks)


def test_no_sa_fails_and_a_cut_listing_fails(listings):
    assert failed(proof.check_tunnel(tunnel(), "gw1", "list-sas reply {}\n", ""))
    cut = listings[0].splitlines()[0][:-3]
    assert failed(proof.check_tunnel(tunnel(), "gw1", cut, listings[1])) == ["gw1: SA listing"]


def test_authentication_is_told_by_the_log(fixture):
    for auth, other in (("psk", "rsa"), ("rsa", "psk")):
        log = fixture(f"strongswan-6.1.0/{auth}-start.log").decode()
        assert not failed(check_authentication(tunnel(auth=auth), log))
        assert len(failed(check_authentication(tunnel(auth=other), log))) == 2
