"""Proposals: their algorithms, one row each with all known facts, and the fields that an SA listing
and the kernel must show for a proposal. The names in proposals are from swanctl.conf(5); `listed`
is as in `swanctl --list-sas --raw`, `kernel` as in `ip xfrm state`."""

import re
from typing import NamedTuple


class Cipher(NamedTuple):
    """An algorithm of encryption."""

    listed: str
    kernel: str
    block: int
    """block to which ESP pads [bytes] (RFC 2451, 3602, 4106, 4309, 7634); at least 4 (RFC 4303)"""
    iv: int
    """initialisation vector of a packet [bytes] (the same RFCs)"""
    bits: int | None = None
    """length of the key [bit]; None if SA listings do not have it"""
    icv: int | None = None
    """integrity check value [bytes]; None if the cipher needs a separate digest"""


class Digest(NamedTuple):
    """An algorithm of integrity."""

    listed: str
    kernel: str
    icv: int
    """integrity check value [bytes] (RFC 2403, 2404, 4868)"""


_CCM = "rfc4309(ccm(aes))"
_GCM, _CHACHA = "rfc4106(gcm(aes))", "rfc7539esp(chacha20,poly1305)"
CIPHERS = {
    "des": Cipher("DES_CBC", "cbc(des)", block=8, iv=8),
    "3des": Cipher("3DES_CBC", "cbc(des3_ede)", block=8, iv=8),
    "aes128": Cipher("AES_CBC", "cbc(aes)", block=16, iv=16, bits=128),
    "aes256": Cipher("AES_CBC", "cbc(aes)", block=16, iv=16, bits=256),
    "aes128gcm16": Cipher("AES_GCM_16", _GCM, block=4, iv=8, bits=128, icv=16),
    "aes256gcm16": Cipher("AES_GCM_16", _GCM, block=4, iv=8, bits=256, icv=16),
    "aes128ccm16": Cipher("AES_CCM_16", _CCM, block=4, iv=8, bits=128, icv=16),
    "aes256ccm16": Cipher("AES_CCM_16", _CCM, block=4, iv=8, bits=256, icv=16),
    "chacha20poly1305": Cipher("CHACHA20_POLY1305", _CHACHA, block=4, iv=8, icv=16),
    "null": Cipher("NULL", "ecb(cipher_null)", block=4, iv=0),
}
DIGESTS = {
    "md5": Digest("HMAC_MD5_96", "hmac(md5)", icv=12),
    "sha1": Digest("HMAC_SHA1_96", "hmac(sha1)", icv=12),
    "sha256": Digest("HMAC_SHA2_256_128", "hmac(sha256)", icv=16),
    "sha384": Digest("HMAC_SHA2_384_192", "hmac(sha384)", icv=24),
    "sha512": Digest("HMAC_SHA2_512_256", "hmac(sha512)", icv=32),
}
GROUPS = {
    "modp2048": "MODP_2048",
    "modp3072": "MODP_3072",
    "modp4096": "MODP_4096",
    "ecp256": "ECP_256",
    "ecp384": "ECP_384",
    "ecp521": "ECP_521",
    "x25519": "CURVE_25519",
    "x448": "CURVE_448",
    "mlkem512": "ML_KEM_512",
    "mlkem768": "ML_KEM_768",
    "mlkem1024": "ML_KEM_1024",
}
"""key exchange -> its name in SA listings"""
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
"""further modules for networks of IPv6"""
_ADDITIONAL = re.compile(r"ke([1-7])_(\w+)")
"""an additional key exchange (RFC 9370)"""


def negotiated(proposal: str) -> dict[str, str]:
    """'aes256-sha256-modp2048' -> the fields of its SA listing. Raises ValueError naming an unknown
    algorithm."""
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
