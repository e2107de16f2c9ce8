"""Keys and certificates for identities. They follow from a seed, so they keep no secret, are the
same on every machine, and need no place on a disk."""

import datetime
import functools
import re
from dataclasses import dataclass
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID

from remeasure.bench.base.errors import UserError
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
    "ST": NameOID.STATE_OR_PROVINCE_NAME,
    "S": NameOID.STATE_OR_PROVINCE_NAME,
    "L": NameOID.LOCALITY_NAME,
    "O": NameOID.ORGANIZATION_NAME,
    "OU": NameOID.ORGANIZATIONAL_UNIT_NAME,
    "CN": NameOID.COMMON_NAME,
    "E": NameOID.EMAIL_ADDRESS,
    "EMAIL": NameOID.EMAIL_ADDRESS,
    "EMAILADDRESS": NameOID.EMAIL_ADDRESS,
    "SN": NameOID.SURNAME,
    "SERIALNUMBER": NameOID.SERIAL_NUMBER,
    "DC": NameOID.DOMAIN_COMPONENT,
    "UID": NameOID.USER_ID,
}
"""keys of a distinguished name, as strongSwan reads them (identification.c)"""
_TYPED = re.compile(r"(fqdn|dns|email|rfc822|userfqdn|ipv4|ipv6|asn1dn):(.*)")


@dataclass(frozen=True)
class CertifiedKey:
    """A private key, its certificate and its public key, PEM."""

    private: str
    certificate: str
    public: str


def root(kind: str) -> str:
    """The certificate of the authority for keys of a kind, PEM."""
    return _certificate("root", kind, _dn(_ROOT), None)


def certified_key(
    name: str, kind: str, subject: x509.Name | None, names: list[str]
) -> CertifiedKey:
    """A key and a certificate for identities as swanctl.conf(5) writes them; `subject`: the
    distinguished name of the certificate, if it is not among them. Raises UserError."""
    kinds = [_TYPED.sub(r"\2", one).strip() for one in dict.fromkeys(names)]
    others = [_general_name(one) for one in kinds if "=" not in one]
    subject = subject or next((_dn(one) for one in kinds if "=" in one), None)
    certificate = _certificate(name, kind, subject or _dn(f"O=ipsec-remeasured, CN={name}"), others)
    key = _key(kind, name)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return CertifiedKey(
        private_pem(key), certificate, key.public_key().public_bytes(PEM, form).decode()
    )


_ROOT = "O=ipsec-remeasured, CN=root of remeasure try"


def _certificate(
    name: str, kind: str, subject: x509.Name, names: list[x509.GeneralName] | None
) -> str:
    serial = int.from_bytes(seeded_bytes(f"{SEED}/{kind}/{name}/{subject}/serial", 19)) | 1
    return certify(
        _key(kind, name),
        subject,
        names,
        _key(kind, "root"),
        _dn(_ROOT),
        serial=serial,
        made=_MOMENT,
    )


@functools.cache
def _key(kind: str, name: str) -> PrivateKey:
    """Primes take a second, so each is looked for once."""
    return seeded_key(kind, f"{SEED}/{kind}/{name}")


def _general_name(text: str) -> x509.GeneralName:
    if text.startswith(("@#", "keyid:")):
        raise UserError(
            f"id {text}: no certificate can be made for a key id; expected a name, an address or a "
            "distinguished name, or a folder with the certificate"
        )
    text = text.lstrip("@")
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.RFC822Name(text) if "@" in text else x509.DNSName(text)


def _dn(text: str) -> x509.Name:
    """A distinguished name as strongSwan writes it, with commas or slashes."""
    found = []
    for part in re.split(r"[,/]\s*(?=[A-Za-z]+\s*=)", text.strip().lstrip("/")):
        key, _, value = (one.strip() for one in part.partition("="))
        if key.upper() not in _RDN:
            raise UserError(f"id {text}: found {key}, expected one of {', '.join(_RDN)}")
        found.append(x509.NameAttribute(_RDN[key.upper()], value))
    return x509.Name(found)
