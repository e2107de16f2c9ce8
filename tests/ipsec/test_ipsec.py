"""Proof of treatment: it passes on the real thing and fails on anything else."""

from itertools import pairwise

import pytest
from cryptography import x509

from remeasure.ipsec import proof
from remeasure.ipsec.agreement import Carried, check_by_sa
from remeasure.ipsec.authentication_proof import check_authentication
from remeasure.ipsec.pki import Credentials
from remeasure.ipsec.sas import read_list_sas, read_xfrm_state
from remeasure.ipsec.suites import negotiated
from remeasure.ipsec.swanctl import swanctl_conf
from remeasure.ipsec.tunnel import Tunnel
from remeasure.topology import load_topology


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


@pytest.fixture
def listings(fixture):
    return (
        fixture("strongswan-6.1.0/psk-list-sas.txt").decode(),
        fixture("iproute2-7.2.0/xfrm-state-psk.txt").decode(),
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


def test_no_sa_fails_and_a_cut_listing_fails(listings):
    assert failed(proof.check_tunnel(tunnel(), "gw1", "list-sas reply {}\n", ""))
    cut = listings[0].splitlines()[0][:-3]
    assert failed(proof.check_tunnel(tunnel(), "gw1", cut, listings[1])) == ["gw1: SA listing"]


def test_authentication_is_told_by_the_log(fixture):
    for auth, other in (("psk", "rsa"), ("rsa", "psk")):
        log = fixture(f"strongswan-6.1.0/{auth}-start.log").decode()
        assert not failed(check_authentication(tunnel(auth=auth), log))
        assert len(failed(check_authentication(tunnel(auth=other), log))) == 2


def test_listings_are_read(listings):
    (ike_sa,) = read_list_sas(listings[0])
    (child,) = ike_sa["child-sas"].values()
    assert child["local-ts"] == ["192.168.10.0/24"]
    sas = read_xfrm_state(listings[1])
    assert {sa.direction: sa.replay_window for sa in sas} == {"in": 32, "out": 0}
    assert {f"{int(sa.spi, 16):08x}" for sa in sas} == {child["spi-in"], child["spi-out"]}
    with pytest.raises(ValueError, match="line 1"):
        read_list_sas("Segmentation fault\n")


def test_agreement_has_two_bounds(listings):
    before = listings[1]
    moved = next(sa for sa in read_xfrm_state(before) if sa.direction == "in").packets
    after = before.replace(f"{moved}(packets)", f"{moved + 1000}(packets)")
    for payload, sent, passes in ((1000, 1000, True), (2000, 2000, False), (100, 100, False)):
        (check,) = check_by_sa("udp", Carried("client1", payload, sent), before, after)
        assert check.passed is passes


def test_proposals():
    assert negotiated("aes256-sha256-modp2048") == {
        "encr-alg": "AES_CBC",
        "encr-keysize": "256",
        "integ-alg": "HMAC_SHA2_256_128",
        "dh-group": "MODP_2048",
    }
    with pytest.raises(ValueError, match="unknown algorithm 'aes257'.*known: des"):
        negotiated("aes257-sha1")


def test_configuration_names_each_end():
    text = swanctl_conf(tunnel(), load_topology("site-to-site"), "gw2", "secret")
    for line in (
        "local_addrs = 198.51.100.2",
        "remote_addrs = 198.51.100.1",
        "id = gw1",
        "local_ts = 192.168.20.0/24",
        "replay_window = 32",
        'secret = "secret"',
    ):
        assert line in text
    assert text.count("{") == text.count("}")


def test_credentials_are_made_once_and_kept_private(tmp_path):
    credentials = Credentials(tmp_path / "c")
    first = credentials.end_entity("gw1", "rsa1024")
    assert Credentials(tmp_path / "c").end_entity("gw1", "rsa1024") == first
    assert credentials.secret("psk") == credentials.secret("psk")
    assert credentials.secret("psk") != credentials.secret("eap")
    assert credentials.secret("psk") != Credentials(tmp_path / "d").secret("psk")
    secrets = [path for path in (tmp_path / "c").iterdir() if path.name[0] != "."]
    assert {path.stat().st_mode & 0o77 for path in secrets} == {0}
    assert first.key.startswith("-----BEGIN RSA PRIVATE KEY")
    assert first.certificate.startswith("-----BEGIN CERTIFICATE")


@pytest.mark.parametrize("kind", ["rsa1024", "ecdsa256"])
@pytest.mark.parametrize("chain", [2, 4])
def test_a_chain_leads_to_the_root(tmp_path, kind, chain):
    credentials = Credentials(tmp_path)
    own = credentials.end_entity("aaa", kind, chain)
    assert len(own.intermediates) == chain - 2
    certificates = [
        x509.load_pem_x509_certificate(pem.encode())
        for pem in (own.certificate, *own.intermediates, credentials.root(kind).certificate)
    ]
    for certificate, issuer in pairwise([*certificates, certificates[-1]]):
        certificate.verify_directly_issued_by(issuer)
    names = certificates[0].extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert names.value.get_values_for_type(x509.DNSName) == ["aaa"]
