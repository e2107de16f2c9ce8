"""The public key that identifies a host, as an inventory gives it."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import paramiko


def parse_host_key(text: str) -> paramiko.PKey:
    """Parse a public key 'type base64', which a comment may follow, as in a .pub file.

    Raises ValueError naming what is wrong.
    """
    import paramiko  # takes as long as all else here: see remeasure.bench.testbed.remote

    kind, encoded = [*text.split(), "", ""][:2]
    if not encoded:
        raise ValueError("not a public key; expected its type and its base64, as in a .pub file")
    try:
        content = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        raise ValueError("its second word is not base64; expected the one of a .pub file") from None
    try:
        return paramiko.PKey.from_type_string(kind, content)
    except paramiko.pkey.UnknownKeyType:
        raise ValueError(
            f"unknown type of key {kind}; expected ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, ..."
        ) from None
    except Exception as error:  # whatever the bytes make of paramiko and its libraries
        raise ValueError(f"not a key of type {kind}; is it whole?") from error
