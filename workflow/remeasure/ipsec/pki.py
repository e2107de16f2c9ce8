"""Credentials of a campaign: a pre-shared key, and certificates from an authority of its own.

They are made once for a campaign, kept in a folder that git ignores, and never enter an archive.
"""

import datetime
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from filelock import FileLock

PEM = serialization.Encoding.PEM
LIFETIME = datetime.timedelta(days=3650)


@dataclass(frozen=True)
class Identity:
    """A private key and its certificate, PEM."""

    key: str
    certificate: str


class Credentials:
    """The credentials in `folder`, each made when first asked for."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def psk(self) -> str:
        """A pre-shared key of 256 random bits, hexadecimal."""
        return self._once("psk", lambda: secrets.token_hex(32))

    def authority(self, bits: int) -> Identity:
        """A self-signed authority whose key is RSA with `bits`."""
        return self._identity(f"ca-rsa{bits}", bits, "authority", issuer=None)

    def gateway(self, name: str, bits: int) -> Identity:
        """A gateway's certificate, signed by the authority with SHA-256; `name` is its
        subjectAltName (dNSName), which IKE uses as identity."""
        return self._identity(f"{name}-rsa{bits}", bits, name, issuer=self.authority(bits))

    def _identity(self, stem: str, bits: int, name: str, issuer: Identity | None) -> Identity:
        pair = self._once(stem, lambda: "".join(_make(bits, name, issuer)))
        head, middle, tail = pair.partition("-----BEGIN CERTIFICATE-----")
        return Identity(head, middle + tail)

    def _once(self, name: str, make) -> str:
        path = self.folder / name
        with FileLock(self.folder / ".lock"):
            if not path.exists():
                part = path.with_suffix(".part")
                part.touch(mode=0o600)
                part.write_text(make())
                part.rename(path)
        return path.read_text()


def _make(bits: int, name: str, issuer: Identity | None) -> tuple[str, str]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    subject = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "ipsec-remeasured"),
                         x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer is None:
        certificate = builder.issuer_name(subject).sign(key, hashes.SHA256())
    else:
        signer = x509.load_pem_x509_certificate(issuer.certificate.encode())
        signing_key = serialization.load_pem_private_key(issuer.key.encode(), None)
        certificate = (
            builder.issuer_name(signer.subject)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .sign(signing_key, hashes.SHA256())
        )
    private = key.private_bytes(PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                                serialization.NoEncryption())
    return private.decode(), certificate.public_bytes(PEM).decode()
