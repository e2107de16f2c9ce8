"""Keys and certificates for identities. They follow from a seed, so they keep no secret, are the
same on every machine, and need no place on a disk."""

import datetime
import functools
import re
from ipaddress import ip_address
from itertools import chain
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID

from remeasure.bench.ipsec.pki import (
    PEM,
    PrivateKey,
    certify,
    private_pem,
    seeded_bytes,
    seeded_key,
)
from remeasure.bench.lab.virtual.virtual_lab import EPOCH_S

KINDS = ("rsa2048", "rsa3072", "rsa4096", "ecdsa256", "ecdsa384", "ed25519")
SEED = "remeasure try"
_MOMENT = datetime.datetime.fromtimestamp(EPOCH_S, datetime.UTC)
_RDN = {
    "C": NameOID.COUNTRY_NAME,
    **dict.fromkeys(("ST", "S"), NameOID.STATE_OR_PROVINCE_NAME),
    "L": NameOID.LOCALITY_NAME,
    "O": NameOID.ORGANIZATION_NAME,
    "OU": NameOID.ORGANIZATIONAL_UNIT_NAME,
    "CN": NameOID.COMMON_NAME,
    **dict.fromkeys(("E", "EMAIL", "EMAILADDRESS"), NameOID.EMAIL_ADDRESS),
    "SN": NameOID.SURNAME,
    "SERIALNUMBER": NameOID.SERIAL_NUMBER,
    "DC": NameOID.DOMAIN_COMPONENT,
    "UID": NameOID.USER_ID,
}
"""keys of a distinguished name, as strongSwan reads them (identification.c)"""
_TYPED = re.compile(r"(fqdn|dns|email|rfc822|userfqdn|ipv4|ipv6|asn1dn):(.*)")
CertifiedName = x509.Name | x509.GeneralName
"""subject or subjectAltName of a certificate"""
_ROOT = "O=ipsec-remeasured, CN=root of remeasure try"


class CertifiedKey(NamedTuple):
    """A private key, its certificate and its public key, PEM."""

    private: str
    certificate: str
    public: str


def root(kind: str) -> str:
    """The certificate of the authority for keys of a kind, PEM."""
    return _certificate("root", kind, _dn(_ROOT), None)


def certified_key(name: str, kind: str, identities: list[CertifiedName]) -> CertifiedKey:
    """A key and a certificate for identities; the first that is a distinguished name becomes its
    subject."""
    own = _dn(f"O=ipsec-remeasured, CN={name}")
    subject = next((one for one in identities if isinstance(one, x509.Name)), own)
    others = [one for one in dict.fromkeys(identities) if not isinstance(one, x509.Name)]
    key, form = _key(kind, name), serialization.PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(PEM, form).decode()
    return CertifiedKey(private_pem(key), _certificate(name, kind, subject, others), public)


def certified_identities(certificate: str) -> list[CertifiedName]:
    """The identities of a certificate, PEM."""
    found = x509.load_pem_x509_certificate(certificate.encode())
    names = (one.value for one in found.extensions)
    alternative = [one for one in names if isinstance(one, x509.SubjectAlternativeName)]
    return [found.subject, *chain(*alternative)]


def identity_of(text: str) -> CertifiedName:
    """An identity as swanctl.conf(5) writes it. Raises ValueError."""
    text = _TYPED.sub(r"\2", text).strip()
    if "=" in text:
        return _dn(text)
    if text.startswith(("@#", "keyid:")):
        raise ValueError("a certificate has no key id; expected a name or an address")
    text = text.lstrip("@")
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.RFC822Name(text) if "@" in text else x509.DNSName(text)


def _certificate(
    name: str, kind: str, subject: x509.Name, names: list[x509.GeneralName] | None
) -> str:
    serial = int.from_bytes(seeded_bytes(f"{SEED}/{kind}/{name}/{subject}/serial", 19)) | 1
    signing, issuer = _key(kind, "root"), _dn(_ROOT)
    return certify(_key(kind, name), subject, names, signing, issuer, serial=serial, made=_MOMENT)


@functools.cache
def _key(kind: str, name: str) -> PrivateKey:
    """Primes take a second, so each is looked for once."""
    return seeded_key(kind, f"{SEED}/{kind}/{name}")


def _dn(text: str) -> x509.Name:
    """A distinguished name as strongSwan writes it, with commas or slashes. Raises ValueError."""
    found = []
    for part in re.split(r"[,/]\s*(?=[A-Za-z]+\s*=)", text.strip().lstrip("/")):
        key, _, value = (one.strip() for one in part.partition("="))
        if key.upper() not in _RDN:
            raise ValueError(f"found {key}, expected one of {', '.join(_RDN)}")
        found.append(x509.NameAttribute(_RDN[key.upper()], value))
    return x509.Name(found)
