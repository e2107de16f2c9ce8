"""The algorithms a proposal names, as strongSwan and the kernel name them once negotiated.

Names on the left are those of swanctl.conf(5) proposals; those on the right of
`swanctl --list-sas --raw`.
"""

import re

ENCRYPTION: dict[str, tuple[str, int | None]] = {
    "des": ("DES_CBC", None),
    "3des": ("3DES_CBC", None),
    "aes128": ("AES_CBC", 128),
    "aes256": ("AES_CBC", 256),
    "aes128gcm16": ("AES_GCM_16", 128),
    "aes256gcm16": ("AES_GCM_16", 256),
    "chacha20poly1305": ("CHACHA20_POLY1305", None),
}
INTEGRITY = {
    "md5": "HMAC_MD5_96",
    "sha1": "HMAC_SHA1_96",
    "sha256": "HMAC_SHA2_256_128",
}
KERNEL = {
    "des": "cbc(des)",
    "3des": "cbc(des3_ede)",
    "aes128": "cbc(aes)",
    "aes256": "cbc(aes)",
    "aes128gcm16": "rfc4106(gcm(aes))",
    "aes256gcm16": "rfc4106(gcm(aes))",
    "chacha20poly1305": "rfc7539esp(chacha20,poly1305)",
    "md5": "hmac(md5)",
    "sha1": "hmac(sha1)",
    "sha256": "hmac(sha256)",
}
"""the names of Linux, as in the output of ip xfrm state"""
GROUPS = {
    "modp2048": "MODP_2048",
    "x25519": "CURVE_25519",
    "mlkem768": "ML_KEM_768",
}
BLOCK_AND_IV = {
    "des": (8, 8),
    "3des": (8, 8),
    "aes128": (16, 16),
    "aes256": (16, 16),
    "aes128gcm16": (4, 8),
    "aes256gcm16": (4, 8),
    "chacha20poly1305": (4, 8),
}
"""block that ESP pads to, and IV [bytes] (RFC 2451, 3602, 4106, 7634)"""
ICV = {"md5": 12, "sha1": 12, "sha256": 16}
"""integrity check value [bytes] (RFC 2403, 2404, 4868)"""
INTEGRATED_ICV = 16
"""integrity check value of AEAD ciphers [bytes]"""
MODULES = {
    "xfrm_user": "XFRM_USER",
    "esp4": "INET_ESP",
    "authenc": "CRYPTO_AUTHENC",
    "cbc": "CRYPTO_CBC",
    "des_generic": "CRYPTO_DES",
    "md5": "CRYPTO_MD5",
    "gcm": "CRYPTO_GCM",
    "chacha20poly1305": "CRYPTO_CHACHA20POLY1305",
    "ah4": "INET_AH",
}
"""kernel module -> the configuration option that builds it in"""
_ADDITIONAL = re.compile(r"ke([1-7])_(\w+)")
"""an additional key exchange (RFC 9370)"""


def negotiated(proposal: str) -> dict[str, str]:
    """'aes256-sha256-modp2048' -> the fields of the SA listing that it must lead to.

    Raises ValueError naming an algorithm that is not known.
    """
    fields: dict[str, str] = {}
    for token in proposal.split("-"):
        if token in ENCRYPTION:
            name, bits = ENCRYPTION[token]
            fields["encr-alg"] = name
            if bits:
                fields["encr-keysize"] = str(bits)
        elif token in INTEGRITY:
            fields["integ-alg"] = INTEGRITY[token]
        elif token in GROUPS:
            fields["dh-group"] = GROUPS[token]
        elif (more := _ADDITIONAL.fullmatch(token)) and more[2] in GROUPS:
            fields[f"ake{more[1]}"] = GROUPS[more[2]]
        else:
            known = ", ".join([*ENCRYPTION, *INTEGRITY, *GROUPS])
            raise ValueError(f"unknown algorithm {token!r} in proposal; known: {known}")
    return fields


def in_kernel(proposal: str) -> list[str]:
    """The algorithms of a proposal of a CHILD_SA as the kernel lists them, in alphabetical
    order."""
    return sorted(KERNEL[token] for token in proposal.split("-") if token in KERNEL)


def algorithms(proposal: str) -> tuple[str, str]:
    """'aes256-sha256-modp2048' -> ('aes256', 'sha256'); empty for a kind that is not named."""
    tokens = proposal.split("-")
    return (
        next((t for t in tokens if t in ENCRYPTION), ""),
        next((t for t in tokens if t in INTEGRITY), ""),
    )
