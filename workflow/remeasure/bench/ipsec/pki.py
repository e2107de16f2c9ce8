"""Credentials of a campaign: secrets, and certificates from authorities of its own. They are made
once for a campaign, kept in a folder that git ignores, and never enter an archive. In virtual time
they follow from the campaign's seed instead, so that everyone has the same, and they keep no
secret. Libraries draw keys from the system's randomness, and may draw differently in their next
version."""

import base64
import datetime
import hashlib
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.x509.oid import NameOID

from remeasure.bench.base.files import write_once

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
PEM = serialization.Encoding.PEM
LIFETIME = datetime.timedelta(days=3650)
_BEGIN = "-----BEGIN CERTIFICATE-----"
_EXPONENT = 65537
_CURVES: dict[str, ec.EllipticCurve] = {"ecdsa256": ec.SECP256R1(), "ecdsa384": ec.SECP384R1()}
_SMALL = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]


class Identity(NamedTuple):
    """A private key and its certificate, PEM."""

    key: str
    certificate: str
    intermediates: tuple[str, ...] = ()
    """certificates between this one and the root, its issuer first"""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, as openvpn(8) writes it."""
        certificate = x509.load_pem_x509_certificate(self.certificate.encode())
        return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


class KeyPair(NamedTuple):
    """A key of Curve25519 and its public half, base64, as wg(8) writes them."""

    private: str
    public: str


class Credentials:
    """The credentials in `folder`; each is made when it is first requested. The kind of a key is
    rsa<bits> or ecdsa256 (curve P-256); all certificates of a chain have keys of one kind and are
    signed with SHA-256."""

    def __init__(
        self, folder: Path, seed: str | None = None, moment: datetime.datetime | None = None
    ):
        """With a `seed` all credentials follow from it, made at `moment`; the folder only avoids
        making them twice."""
        self._seed, self._moment = seed, moment
        self.folder = folder if seed is None else folder / f"seeded-{seeded_bytes(seed, 8).hex()}"
        # By `parents=True` folders above it would be open to all whom the user's umask lets in.
        for one in reversed([self.folder, *self.folder.parents]):
            if not one.exists():
                one.mkdir(exist_ok=True, mode=0o700)

    def _bytes(self, what: str, length: int) -> bytes:
        if self._seed is None:
            return secrets.token_bytes(length)
        return seeded_bytes(f"{self._seed}/{what}", length)

    def _key(self, kind: str, name: str) -> PrivateKey:
        if self._seed is not None:
            return seeded_key(kind, f"{self._seed}/{kind}/{name}")
        if kind == "ecdsa256":
            return ec.generate_private_key(ec.SECP256R1())
        return rsa.generate_private_key(_EXPONENT, int(kind.removeprefix("rsa")))

    def secret(self, name: str) -> str:
        """A random key of 256 bits, hexadecimal."""
        return self._once(name, lambda: self._bytes(name, 32).hex())

    def key_pair(self, name: str) -> KeyPair:
        """A key of Curve25519 from a secret."""
        key = X25519PrivateKey.from_private_bytes(bytes.fromhex(self.secret(name)))
        halves = key.private_bytes_raw(), key.public_key().public_bytes_raw()
        return KeyPair(*(base64.b64encode(half).decode() for half in halves))

    def root(self, kind: str) -> Identity:
        """The self-signed authority of all certificates of one kind."""
        return self._identity(f"ca-{kind}", kind, "root", issuer=None)

    def end_entity(self, name: str, kind: str, chain: int = 2) -> Identity:
        """A host's certificate; `name` is its subjectAltName (dNSName), which IKE and EAP use as
        identity. `chain` counts the certificates from it to the root, both included."""
        issuer = self.root(kind)
        between: list[str] = []
        for tier in range(1, chain - 1):
            authority = f"{name}-{kind}-{chain}-ca{tier}"
            issuer = self._identity(authority, kind, f"{name} tier {tier}", issuer, authority=True)
            between.insert(0, issuer.certificate)
        own = self._identity(f"{name}-{kind}-{chain}", kind, name, issuer)
        return Identity(own.key, own.certificate, tuple(between))

    def _identity(
        self, stem: str, kind: str, name: str, issuer: Identity | None, authority: bool = False
    ) -> Identity:
        pair = self._once(stem, lambda: self._make(kind, stem, name, issuer, authority))
        key, _, certificate = pair.partition(_BEGIN)
        return Identity(key, _BEGIN + certificate)

    def _once(self, name: str, make: Callable[[], str]) -> str:
        path = self.folder / name
        if not path.exists():
            write_once(path, make())
        return path.read_text()

    def _make(
        self, kind: str, stem: str, name: str, issuer: Identity | None, authority: bool
    ) -> str:
        key = self._key(kind, stem)
        named = {NameOID.ORGANIZATION_NAME: "ipsec-remeasured", NameOID.COMMON_NAME: name}
        subject = x509.Name([x509.NameAttribute(*one) for one in named.items()])
        issued_by, signing_key = subject, key
        if issuer:
            issued_by = x509.load_pem_x509_certificate(issuer.certificate.encode()).subject
            signing_key = cast(
                PrivateKey, serialization.load_pem_private_key(issuer.key.encode(), None)
            )
        names: list[x509.GeneralName] = [x509.DNSName(name)]
        of_end = None if authority or issuer is None else names
        serial = int.from_bytes(self._bytes(f"{stem}/serial", 19)) | 1
        made = self._moment or datetime.datetime.now(datetime.UTC)
        return private_pem(key) + certify(
            key, subject, of_end, signing_key, issued_by, serial=serial, made=made
        )


def private_pem(key: PrivateKey) -> str:
    """A private key, PEM, in the oldest form that its kind has."""
    form = serialization.PrivateFormat
    newer = isinstance(key, ed25519.Ed25519PrivateKey)
    return key.private_bytes(
        PEM, form.PKCS8 if newer else form.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


def certify(
    key: PrivateKey,
    subject: x509.Name,
    names: list[x509.GeneralName] | None,
    signing_key: PrivateKey,
    issuer: x509.Name,
    *,
    serial: int,
    made: datetime.datetime,
) -> str:
    """A certificate, PEM, with the extensions of RFC 5280 (section 4.2.1), valid from the day
    before it is made. `names`: the subjectAltName of an end; None for an authority."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key.public_key())
        .issuer_name(issuer)
        .serial_number(serial)
        .not_valid_before(made - datetime.timedelta(days=1))
        .not_valid_after(made + LIFETIME)
    )
    for extension, critical in _extensions(key, signing_key, names):
        builder = builder.add_extension(extension, critical=critical)
    # An ECDSA signature draws a random number, unless it is made by RFC 6979.
    repeatable = True if isinstance(signing_key, ec.EllipticCurvePrivateKey) else None
    digest = None if isinstance(signing_key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    signed = builder.sign(signing_key, digest, ecdsa_deterministic=repeatable)
    return signed.public_bytes(PEM).decode()


def _extensions(
    key: PrivateKey, signing_key: PrivateKey, names: list[x509.GeneralName] | None
) -> Iterator[tuple[x509.ExtensionType, bool]]:
    signs = names is None
    yield x509.BasicConstraints(ca=signs, path_length=None), True
    usage = x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    yield usage, True
    yield x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False
    issuer = signing_key.public_key()
    yield x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), False
    if names:
        yield x509.SubjectAlternativeName(names), False


def seeded_bytes(seed: str, length: int) -> bytes:
    """`length` bytes that depend on every character of `seed`."""
    return hashlib.shake_256(seed.encode()).digest(length)


def seeded_key(kind: str, seed: str) -> PrivateKey:
    """The key of a kind that belongs to `seed`: rsa<bits>, ecdsa256, ecdsa384 or ed25519."""
    if kind == "ed25519":
        return ed25519.Ed25519PrivateKey.from_private_bytes(seeded_bytes(seed, 32))
    if kind in _CURVES:
        # The order of either curve is close to 2^bits, so a number of one bit less is below it.
        curve = _CURVES[kind]
        number = int.from_bytes(seeded_bytes(seed, curve.key_size // 8)) >> 1
        return ec.derive_private_key(number, curve)
    bits = int(kind.removeprefix("rsa"))
    p, q = (_prime(bits // 2, f"{seed}/{name}") for name in "pq")
    d = pow(_EXPONENT, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(_EXPONENT, p * q)
    private = rsa.RSAPrivateNumbers(
        p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), public
    )
    return private.private_key()


def _prime(bits: int, seed: str) -> int:
    """The first prime after a number of `bits` bits, of which the two highest are set, so that a
    product of two primes has twice as many bits."""
    number = int.from_bytes(seeded_bytes(seed, bits // 8)) | 3 << bits - 2 | 1
    while not (_may_be_prime(number) and number % _EXPONENT != 1):
        number += 2
    return number


def _may_be_prime(number: int) -> bool:
    """Whether a number that was drawn at random is prime (Fermat, to base 2): of large
    numbers, hardly any composite one passes (Kim and Pomerance 1989)."""
    return all(number % small for small in _SMALL) and pow(2, number - 1, number) == 1
