"""Which code of the kernel computes the ciphers and hashes of ESP and AH.

Linux may have several drivers for an algorithm, such as one in C and one for the AES instructions
of a processor, and takes the one of highest priority. /proc/crypto lists a combination, such as
AES in GCM, only once it has been used: hosts are asked after a trial.
"""

from typing import Literal, get_args

ASK = "cat /proc/crypto 2>/dev/null"
X86 = Literal[
    "aes",
    "pclmulqdq",
    "ssse3",
    "avx",
    "avx2",
    "bmi2",
    "avx512f",
    "avx512vl",
    "avx512bw",
    "avx512dq",
    "vaes",
    "vpclmulqdq",
    "sha_ni",
]
FLAGS = (*get_args(X86), "pmull", "sha1", "sha2")
"""instructions of processors (x86, Arm) that such drivers use, as /proc/cpuinfo names them"""
_OF_IPSEC = ("authenc(", "rfc4106(", "rfc4309(", "rfc4543(", "rfc7539esp(", "hmac(", "cbc(", "ctr(")
"""beginnings of the names under which ESP and AH ask for what they need (net/xfrm/xfrm_algo.c)"""


def flags_in(words: str) -> str:
    """The words of FLAGS that /proc/cpuinfo has for a processor."""
    return " ".join(flag for flag in words.split() if flag in FLAGS)


def read_drivers(text: str) -> dict[str, str]:
    """Algorithm -> its driver of highest priority, of the algorithms that ESP and AH use, from
    /proc/crypto. Raises ValueError if a priority is not a number."""
    found: dict[str, tuple[int, str]] = {}
    for paragraph in text.split("\n\n"):
        fields = {
            name.strip(): value.strip()
            for name, _, value in (line.partition(":") for line in paragraph.splitlines())
        }
        name = fields.get("name", "")
        if name.startswith(_OF_IPSEC):
            best = (int(fields["priority"]), fields["driver"])
            found[name] = max(found.get(name, best), best)
    return {name: driver for name, (_, driver) in sorted(found.items())}


def made_of_parts(algorithm: str, driver: str) -> bool:
    """Whether the driver is only a frame for the drivers of a cipher and a hash."""
    return algorithm.startswith("authenc(") and driver.startswith("authenc(")
