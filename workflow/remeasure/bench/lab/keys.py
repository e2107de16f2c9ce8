"""Keys of SSH that are made for one lab."""

from pathlib import Path

from remeasure.bench.base.atomic import atomic_write


def new_key(path: Path) -> Path:
    """Write a new private key (Ed25519) to `path`, and its public key beside it, with suffix .pub,
    in the forms of OpenSSH. Returns `path`."""
    # Not at the top: the command line reads the names of back ends, and is to start at once.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    atomic_write(path, private, 0o600)
    atomic_write(path.with_suffix(".pub"), f"{public.decode()} {path.name}\n")
    return path
