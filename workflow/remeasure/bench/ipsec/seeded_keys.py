"""Private keys that follow from a seed, for hosts in virtual time: everyone who has the seed has
the same keys, so they keep no secret.

Libraries draw keys from the system's randomness, and may draw differently in their next version.
"""

import hashlib
import random

from cryptography.hazmat.primitives.asymmetric import ec, rsa

_EXPONENT = 65537
_SMALL = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]
_ROUNDS = 40
"""rounds of the test of Miller and Rabin; a composite number passes one with probability 1/4 at
most"""


def seeded_bytes(seed: str, length: int) -> bytes:
    """`length` bytes that depend on every character of `seed`."""
    return hashlib.shake_256(seed.encode()).digest(length)


def seeded_key(kind: str, seed: str) -> rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey:
    """The key of a kind (as of ipsec.pki) that belongs to `seed`."""
    if kind == "ecdsa256":
        # The order of P-256 is close to 2^256, so a number of 255 bits is below it.
        number = int.from_bytes(seeded_bytes(seed, 32)) >> 1
        return ec.derive_private_key(number, ec.SECP256R1())
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
    """Whether a number is prime (Miller and Rabin)."""
    if any(number % small == 0 for small in _SMALL):
        return False
    odd, twos = number - 1, 0
    while not odd & 1:
        odd, twos = odd >> 1, twos + 1
    bases = random.Random(number)
    return all(_passes(number, bases.randrange(2, number - 1), odd, twos) for _ in range(_ROUNDS))


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = pow(power, 2, number)
        if power == number - 1:
            return True
    return False
