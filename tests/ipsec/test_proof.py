"""Proof of treatment: it passes on real listings of the tunnel and fails on anything else."""

import pytest
from cases import cases
from tunnels import site_tunnel

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec import proof
from remeasure.bench.ipsec.agreement import Carried, check_by_sas
from remeasure.bench.ipsec.authentication_proof import check_authentication
from remeasure.bench.ipsec.proof import check_policies
from remeasure.bench.ipsec.sas import read_list_sas, read_xfrm_state

POLICIES = "iproute2-7.2.0/xfrm-policy-tunnel.txt"
BYPASS = "src 192.168.10.1/32 dst 192.168.20.1/32 \n\tdir out priority 1 ptype main \n"


def failed(checks):
    return [check.name for check in checks if not check.passed]


@pytest.fixture
def listings(fixture):
    """Listings of one tunnel, as its tools wrote them."""
    return (
        fixture("strongswan-6.1.0/psk-list-sas.txt").decode(),
        fixture("iproute2-7.2.0/xfrm-state-psk.txt").decode(),
    )


def test_listings_are_read(listings, fixture):
    (ike_sa,) = read_list_sas(listings[0])
    (child,) = ike_sa["child-sas"].values()
    assert child["local-ts"] == ["192.168.10.0/24"]
    sas = read_xfrm_state(listings[1])
    assert {sa.direction: sa.replay_window for sa in sas} == {"in": 32, "out": 0}
    assert {f"{int(sa.spi, 16):08x}" for sa in sas} == {child["spi-in"], child["spi-out"]}
    limited = fixture("strongswan-6.1.0/protocol-selectors.list-sas.txt").decode()
    (child,) = read_list_sas(limited)[0]["child-sas"].values()
    assert (child["local-ts"], child["state"]) == (["10.1.0.0/16[icmp]"], "INSTALLED")
    for cut in ("Segmentation fault\n", limited.partition("]] remote-ts")[0]):
        with pytest.raises(ValueError, match="line 1"):
            read_list_sas(cut)
    # One SA whose SPI is reserved, one that a packet asked for, and one that is there.
    (sa,) = read_xfrm_state(fixture("iproute2-7.2.0/xfrm-state-larval.txt").decode())
    assert (sa.spi, sa.direction, sa.cpu) == ("0xc1000001", "in", 0)


def test_older_strongswan_gives_sas_no_direction(fixture):
    text = fixture("strongswan-5.9.8/xfrm-state.txt").decode()
    assert "dir " not in text
    found = [(sa.direction, sa.spi, sa.packets) for sa in read_xfrm_state(text)]
    assert found == [("out", "0xc40c1f6f", 9776), ("in", "0xc71f354b", 11251)]
    with pytest.raises(ValueError, match=r"SA src 198.51.100.1 .*: no direction"):
        read_xfrm_state(text.replace("replay-window 32", "replay-window 0"))


def test_the_tunnel_that_was_asked_for_passes(listings):
    checks = proof.check_sas(site_tunnel(auth="psk"), "gw1", *listings)
    assert len(checks) > 8 and not failed(checks)


@pytest.mark.parametrize(("changes", "name"), cases(__file__, "another_tunnel_fails"))
def test_another_tunnel_fails(listings, changes, name):
    assert name in failed(proof.check_sas(site_tunnel(**changes), "gw1", *listings))


def test_an_sa_whose_rekeying_waits_for_its_answer_counts_as_installed(fixture):
    """From a trial that was rejected since the network had lost the request: the old CHILD_SA is in
    use, and the kernel has the SPI of the new one for a while."""
    listings = (
        fixture("strongswan-6.1.0/rekeying-list-sas.txt").decode(),
        fixture("iproute2-7.2.0/xfrm-state-rekeying.txt").decode(),
    )
    checks = proof.check_sas(site_tunnel(auth="rsa"), "gw1", *listings, used=False)
    assert len(checks) > 8 and not failed(checks)


def test_no_sa_fails_and_a_cut_listing_fails(listings):
    tunnel = site_tunnel(auth="psk")
    assert failed(proof.check_sas(tunnel, "gw1", "list-sas reply {}\n", ""))
    cut = listings[0].splitlines()[0][:-3]
    with pytest.raises(ValueError, match="braces do not close"):
        proof.check_sas(tunnel, "gw1", cut, listings[1])


def test_authentication_is_told_by_the_log(fixture):
    for auth, other in (("psk", "rsa"), ("rsa", "psk")):
        log = fixture(f"strongswan-6.1.0/{auth}-start.log").decode()
        assert not failed(check_authentication(site_tunnel(auth=auth), log))
        assert len(failed(check_authentication(site_tunnel(auth=other), log))) == 2


def policies(text: str, **changes):
    tunnel = site_tunnel(**{"esp": "aes128-sha256", **changes})
    (check,) = check_policies(tunnel, load_topology("site-to-site"), "gw1", text)
    return check


def test_policies_are_those_of_the_tunnel_and_no_others(fixture):
    listed = fixture(POLICIES).decode()
    assert policies(listed).passed
    for changes in ({"mode": "transport"}, {"esp": None, "ah": "sha1"}, {"protects": {}}):
        assert not policies(listed, **changes).passed
    assert policies("").found == "none"
    more = policies(listed + BYPASS)
    assert not more.passed and "out 192.168.10.1/32 to 192.168.20.1/32 in clear" in more.found
    with pytest.raises(ValueError, match="is not a policy"):
        policies("RTNETLINK answers: Operation not permitted\n")


@pytest.mark.parametrize(
    ("counted", "carried", "passes"),
    [
        (1000, Carried("client1", 1000, 1000), True),
        (1000, Carried("client1", 2000, 2000), False),
        (1000, Carried("client1", 100, 100), False),
        (70, Carried("client1", 5, 5), True),
        # A probe that knows its control packets allows no more.
        (70, Carried("client1", 5, 5, control_packets=5), False),
    ],
)
def test_what_a_tool_reports_agrees_with_counters_within_two_bounds(
    listings, counted, carried, passes
):
    before = listings[1]
    moved = next(sa for sa in read_xfrm_state(before) if sa.direction == "in").packets
    after = before.replace(f"{moved}(packets)", f"{moved + counted}(packets)")
    (check,) = check_by_sas("udp", carried, before, after)
    assert check.passed is passes
