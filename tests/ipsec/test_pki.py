"""Credentials: kept private, made once, chained to their root; in virtual time they follow from a
seed."""

import datetime
import os
from itertools import pairwise

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from remeasure.bench.ipsec.pki import Credentials, seeded_bytes

MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def test_credentials_are_made_once_and_kept_private(tmp_path):
    before = os.umask(0)
    try:
        credentials = Credentials(tmp_path / ".secrets/c")
        first = credentials.end_entity("gw1", "rsa1024")
        assert Credentials(tmp_path / ".secrets/c").end_entity("gw1", "rsa1024") == first
        assert credentials.secret("psk") == credentials.secret("psk")
        assert credentials.secret("psk") != credentials.secret("eap")
        assert credentials.secret("psk") != Credentials(tmp_path / "d").secret("psk")
    finally:
        os.umask(before)
    made = [tmp_path / ".secrets", *(tmp_path / ".secrets").rglob("[!.]*")]
    assert len(made) > 4 and {path.stat().st_mode & 0o77 for path in made} == {0}
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


@pytest.mark.parametrize("kind", ["rsa1024", "ecdsa256"])
def test_everyone_makes_the_same_certificates(tmp_path, kind):
    assert seeded_bytes("", 8).hex() == "46b9dd2b0ba88d13", "SHAKE-256 (FIPS 202), of no input"
    first, again, other = (
        Credentials(tmp_path / folder, seed, MOMENT)
        for folder, seed in (("one", "1"), ("two", "1"), ("one", "2"))
    )
    assert first.end_entity("gw1", kind, 3) == again.end_entity("gw1", kind, 3)
    assert first.secret("psk") == again.secret("psk") != other.secret("psk")
    assert first.end_entity("gw1", kind) != other.end_entity("gw1", kind)
    own = first.end_entity("gw1", kind)
    certificate = x509.load_pem_x509_certificate(own.certificate.encode())
    root = x509.load_pem_x509_certificate(first.root(kind).certificate.encode())
    certificate.verify_directly_issued_by(root)
    assert certificate.not_valid_before_utc < MOMENT < certificate.not_valid_after_utc
    key = serialization.load_pem_private_key(own.key.encode(), None)
    assert key.key_size == int(kind.lstrip("rsaecd"))
    assert key.public_key() == certificate.public_key()
