"""The part of My tunnel that says what a suite costs a core, from notebook cipher_cost."""

from collections.abc import Callable, Iterable
from typing import Any

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.suite_cost import ADVISED, REFERENCE, Library

NAMES = {
    "aes128gcm16": "AES-128-GCM",
    "aes256gcm16": "AES-256-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "aes128-sha256": "AES-128-CBC with HMAC-SHA-256",
}
"""suites that the page shows -> their names there; those that RFC 8221 has without reservation"""
ENDS = 2
"""both ends of an SA work on a packet; costs are of both together"""

assert set(NAMES) == set(ADVISED)

Cost = Callable[[str, str, str, Library], Estimate]
"""suite, level of factor `instructions`, payload [byte] and library -> an estimate"""


def suites_part(
    libraries: Iterable[Library],
    arms: Iterable[str],
    payloads: Iterable[str],
    machine: str,
    cost: Cost,
    ratio: Cost,
) -> dict[str, Any]:
    """What the page needs to say how many Mbit/s of a suite a core carries. `cost`: processor time
    of a packet at both ends [ns]; `ratio`: the same over REFERENCE. For each arm, payload [byte]
    and suite there is a list with an entry for each library: Mbit/s of a core that encrypts or
    decrypts, on the `machine` that measured, and the ratio."""
    libraries, payloads = list(libraries), list(payloads)

    def entry(suite: str, arm: str, payload: str, library: Library) -> dict[str, Any] | None:
        spent, times = (one(suite, arm, payload, library) for one in (cost, ratio))
        if not spent.n:
            return None
        bits = 8 * int(payload)
        return {
            "mbit": 1e3 * bits / (spent.value / ENDS),
            "ratio": 1.0 if suite == REFERENCE else times.value,
        }

    def entries(suite: str, arm: str, payload: str) -> list[dict[str, Any]]:
        found = (entry(suite, arm, payload, library) for library in libraries)
        return [one for one in found if one]

    return {
        "machine": machine,
        "libraries": [library.name for library in libraries],
        "names": NAMES,
        "reference": REFERENCE,
        "arms": {
            arm: {of: {suite: entries(suite, arm, of) for suite in NAMES} for of in payloads}
            for arm in arms
        },
    }
