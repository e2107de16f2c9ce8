"""Credentials: kept private, made once, and chained to their root."""

import os
from itertools import pairwise

import pytest
from cryptography import x509

from remeasure.bench.ipsec.pki import Credentials


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


def test_nobody_else_sees_what_there_is(tmp_path):
    before = os.umask(0)
    try:
        Credentials(tmp_path / ".secrets/campaign").secret("psk")
    finally:
        os.umask(before)
    made = [tmp_path / ".secrets", *(tmp_path / ".secrets").rglob("*")]
    assert len(made) == 3, "two folders and the secret"
    assert {path.stat().st_mode & 0o77 for path in made} == {0}


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
