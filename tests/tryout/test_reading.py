"""Two ends, or one and its mirror: addresses, hosts, files and notes."""

import datetime
import textwrap
from ipaddress import ip_address
from pathlib import Path

import pytest
from cases import cases
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from remeasure.bench.ipsec.pki import certify, private_pem, seeded_key
from remeasure.bench.lab.virtual.virtual_lab import EPOCH_S
from remeasure.bench.tryout.reading_pair import read_pair

CONF, DAEMON = "/etc/swanctl/swanctl.conf", "/etc/strongswan.d/yy-own.conf"
PSK, CERTIFICATES = cases(__file__, "psk"), cases(__file__, "certificates")


def write(folder, texts):
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def read(tmp_path):
    """Read a pair from texts; `mirror`: from the left one."""

    def of(texts, mirror=False, changes=(), **options):
        for old, new in changes:
            texts = {side: text.replace(old, new) for side, text in texts.items()}
        write(tmp_path, {f"{side}.conf": text for side, text in texts.items()})
        right = None if mirror else tmp_path / "right.conf"
        return read_pair(tmp_path / "left.conf", right, **options)

    return of


def shown(pair):
    """Addresses, hosts and notes of both ends."""
    return {
        end.name: f"{end.outer} seen as {end.public}, host {end.host}"
        f"{' behind' if end.behind else ''} {end.lan}".rstrip()
        for end in pair.ends
    }


@pytest.mark.parametrize("case", cases(__file__, "addresses").items(), ids=lambda case: case[0])
def test_addresses_and_hosts(read, case):
    _, (changes, nat, expected) = case
    pair = read(PSK, changes=changes, nat=frozenset(nat))
    assert shown(pair) | {"notes": [*pair.notes, *pair.left.notes, *pair.right.notes]} == expected


def test_properties_of_ends(read):
    pair = read(PSK, changes=[("auth = psk", "auth = psk\n#")])
    left, right = pair.ends
    assert (left.connection, left.child, right.connection, right.child) == ("a", "net", "b", "lan")
    assert left.starts == {"trap", "start"} and right.starts == set()
    assert left.can_initiate and not right.can_initiate
    assert left.seconds("dpd_delay") == 150 and right.seconds("dpd_delay", 30) == 30
    assert left.seconds("rekey_time", child=True) == 3600
    assert left.names == {} and right.names == {"right.example": right.outer}
    assert right.if_ids == ("7", "0x8") and left.if_ids == ("0", "0") and pair.debian_lacks
    assert pair.versions == {4} and pair.peer(left) is right and pair.only_set_up == ""
    assert left.gives_up_s == pytest.approx(4 * (1.8**6 - 1) / 0.8)


def test_charon_gets_the_text_but_for_a_few_settings(read):
    pair = read(PSK)
    own = PSK["right"].replace("updown = x", "").replace("hw_offload = auto", "")
    own = own.replace("interface = eth0", "interface = wanr")
    assert pair.right.files[CONF] == own
    added = '\n# Added by the lab:\nsecrets {\n  ike-1 {\n    secret = "x y"\n  }\n}\n'
    assert pair.left.files == {CONF: PSK["left"] + added}


def names(certificate):
    found = x509.load_pem_x509_certificate(certificate.encode())
    others = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return found.subject.rfc4514_string(), [str(one.value) for one in others]


def test_missing_certificates_are_made_for_the_identities_of_both_ends(read):
    pair = read(CERTIFICATES, keys="ecdsa256")
    left, right = pair.left.files, pair.right.files
    root = "/etc/swanctl/x509ca/made-ecdsa256.pem"
    made = {"/etc/swanctl/private/made.pem", CONF, root}
    assert {*left} == made | {"/etc/swanctl/x509/left.pem", "/etc/swanctl/x509ca/ca.pem"}
    assert {*right} == made | {"/etc/swanctl/pubkey/own.pem", "/etc/ca/ca.pem"}
    assert names(left["/etc/swanctl/x509/left.pem"]) == (
        "CN=left,O=Example\\, Inc.,C=CH",
        ["left.example", "203.0.113.1"],
    )
    assert left[root] == right[root] == left["/etc/swanctl/x509ca/ca.pem"]
    trusted = x509.load_pem_x509_certificate(left[root].encode())
    x509.load_pem_x509_certificate(
        left["/etc/swanctl/x509/left.pem"].encode()
    ).verify_directly_issued_by(trusted)
    assert right["/etc/swanctl/pubkey/own.pem"].startswith("-----BEGIN PUBLIC KEY-----")
    again = read(CERTIFICATES, keys="ecdsa256")
    assert [end.files for end in again.ends] == [left, right]


@pytest.mark.parametrize(("auth", "certified"), [("eap-ttls", True), ("eap-md5", False)])
def test_methods_inside_tls_have_certificates(read, auth, certified):
    pair = read(PSK, changes=[("auth = psk", f"auth = {auth}")])
    made = ["/etc/swanctl/private/made.pem" in end.files for end in pair.ends]
    assert made == [certified, certified]


def given(name, later_s=0):
    """A key and a self-signed certificate of an operator."""
    key = seeded_key("ed25519", name)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = datetime.datetime.fromtimestamp(EPOCH_S + later_s, datetime.UTC) + datetime.timedelta(1)
    own = [x509.DNSName(f"{name}.example")]
    return private_pem(key), certify(key, subject, own, key, subject, serial=1, made=made)


def test_a_folder_is_used_as_it_is(tmp_path):
    key, certificate = given("left", later_s=5000)
    text = CERTIFICATES["left"]
    write(
        tmp_path / "left",
        {
            "swanctl.conf": "include conf.d/*.conf\n",
            "conf.d/site.conf": text,
            "private/key.pem": key,
            "x509/left.pem": certificate,
            "x509ca/root.pem": certificate,
            "strongswan.conf": "charon {\n retransmit_tries = 1\n retransmit_base = 2\n"
            "plugins { include strongswan.d/*.conf\n }\n filelog { x { path = y\n } }\n }\n",
            "strongswan.d/x.conf": 'x { y = "\\"z\\""\n }',
        },
    )
    der = x509.load_pem_x509_certificate(certificate.encode())
    (tmp_path / "left/x509aa").mkdir()
    (tmp_path / "left/x509aa/der.cer").write_bytes(der.public_bytes(Encoding.DER))
    write(tmp_path, {"right.conf": CERTIFICATES["right"]})
    pair = read_pair(tmp_path / "left", tmp_path / "right.conf")
    left = pair.left.files
    assert left["/etc/swanctl/conf.d/site.conf"] == text
    assert left["/etc/swanctl/private/key.pem"] == key
    assert left["/etc/swanctl/x509aa/der.cer"] == left["/etc/swanctl/x509/left.pem"] == certificate
    assert "/etc/swanctl/private/made.pem" not in left
    assert pair.right.files["/etc/swanctl/x509ca/root.pem"] == certificate
    assert pair.begin_s == 5000 + 3600
    assert pair.left.gives_up_s == 4 + 8 and pair.right.gives_up_s > 100
    assert left[DAEMON] == textwrap.dedent("""\
        charon {
          retransmit_tries = "1"
          retransmit_base = "2"
          plugins {
            x {
              y = "\\"z\\""
            }
          }
        }
        """)
    assert pair.left.notes == [
        "strongswan.conf is used",
        "settings of the machine left out: filelog",
    ]


def test_a_certificate_without_its_key_is_made_again(tmp_path):
    write(tmp_path / "left", {"swanctl.conf": CERTIFICATES["left"], "x509/left.pem": given("x")[1]})
    write(tmp_path, {"right.conf": CERTIFICATES["right"]})
    pair = read_pair(tmp_path / "left", tmp_path / "right.conf", keys="ed25519")
    made = names(pair.left.files["/etc/swanctl/x509/left.pem"])
    assert made == ("CN=x", ["x.example", "left.example", "203.0.113.1"])
    assert "left.pem has no private key here, so another one stands for it" in pair.left.notes[0]


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_end_trusts_the_authority_of_a_peer_that_has_its_key(tmp_path, side):
    key, certificate = given(side)
    files = {"private/k.pem": key, "x509ca/ca.pem": certificate, "x509ca/ca.srl": "1"}
    write(tmp_path / side, {"swanctl.conf": CERTIFICATES[side], **files})
    write(tmp_path, {f"{one}.conf": text for one, text in CERTIFICATES.items()})
    paths = [tmp_path / (one if one == side else f"{one}.conf") for one in ("left", "right")]
    pair = read_pair(*paths, keys="ecdsa256")
    peer = pair.peer(getattr(pair, side))
    assert peer.files["/etc/swanctl/x509ca/ca.pem"] == certificate
    assert "/etc/swanctl/x509ca/ca.srl" not in peer.files
    assert f"authorities taken from {side}" in peer.notes
    assert "/etc/swanctl/private/made.pem" in peer.files


@pytest.mark.parametrize("case", cases(__file__, "mirrors").items(), ids=lambda case: case[0])
def test_a_missing_end_is_mirrored(read, case):
    _, (text, nat, expected) = case
    pair = read({"left": text}, mirror=True, nat=frozenset(nat), keys="ed25519")
    made, _, _ = pair.right.files[CONF].partition("\n# Added by the lab")
    assert made.replace('"', "") == expected
    assert pair.notes == ["right was made by mirroring site of left"]
    assert pair.right.source == pair.left.source == Path(pair.left.source)
    assert ip_address("0.0.0.0") not in {pair.right.outer, pair.right.public, pair.left.outer}
