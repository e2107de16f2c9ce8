"""Proposals: the algorithms they name, and what an SA listing and the kernel must say of them."""

import re

from remeasure.bench.ipsec.algorithms import CIPHERS, DIGESTS, GROUPS

MODULES = {
    "xfrm_user": "XFRM_USER",
    "esp4": "INET_ESP",
    "authenc": "CRYPTO_AUTHENC",
    "cbc": "CRYPTO_CBC",
    "des_generic": "CRYPTO_DES",
    "md5": "CRYPTO_MD5",
    "gcm": "CRYPTO_GCM",
    "ccm": "CRYPTO_CCM",
    "sha512": "CRYPTO_SHA512",
    "crypto_null": "CRYPTO_NULL",
    "chacha20poly1305": "CRYPTO_CHACHA20POLY1305",
    "ah4": "INET_AH",
}
"""kernel module -> the configuration option that builds it in"""
MODULES_OF_IPV6 = {"esp6": "INET6_ESP", "ah6": "INET6_AH"}
"""the same, of what networks of IPv6 need besides"""
_ADDITIONAL = re.compile(r"ke([1-7])_(\w+)")
"""an additional key exchange (RFC 9370)"""


def negotiated(proposal: str) -> dict[str, str]:
    """'aes256-sha256-modp2048' -> the fields of the SA listing that it must lead to.

    Raises ValueError naming an algorithm that is not known.
    """
    fields: dict[str, str] = {}
    for token in proposal.split("-"):
        if cipher := CIPHERS.get(token):
            fields["encr-alg"] = cipher.listed
            if cipher.bits:
                fields["encr-keysize"] = str(cipher.bits)
        elif token in DIGESTS:
            fields["integ-alg"] = DIGESTS[token].listed
        elif token in GROUPS:
            fields["dh-group"] = GROUPS[token]
        elif (more := _ADDITIONAL.fullmatch(token)) and more[2] in GROUPS:
            fields[f"ake{more[1]}"] = GROUPS[more[2]]
        else:
            known = ", ".join([*CIPHERS, *DIGESTS, *GROUPS])
            raise ValueError(
                f"unknown algorithm {token!r} in proposal; known: {known}; "
                "a new one is a row of ipsec/algorithms.py"
            )
    return fields


def in_kernel(proposal: str) -> list[str]:
    """The algorithms of a proposal of a CHILD_SA as the kernel lists them, in alphabetical
    order."""
    known = CIPHERS | DIGESTS
    return sorted(known[token].kernel for token in proposal.split("-") if token in known)


def algorithms(proposal: str) -> tuple[str, str]:
    """'aes256-sha256-modp2048' -> ('aes256', 'sha256'); empty for a kind that is not named."""
    tokens = proposal.split("-")
    return (
        next((t for t in tokens if t in CIPHERS), ""),
        next((t for t in tokens if t in DIGESTS), ""),
    )
