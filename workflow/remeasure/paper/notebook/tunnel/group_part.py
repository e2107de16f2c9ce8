"""The parts of My tunnel that say what a key exchange sends and computes, from notebooks
key_exchange and key_exchange_cost."""

from collections.abc import Mapping
from typing import Any

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.lossy_set_up import EXCHANGES

IN_PROPOSALS = {
    "x25519": "x25519",
    "ecp256": "ecp256",
    "ecp384": "ecp384",
    "modp2048": "modp2048",
    "modp4096": "modp4096",
    "mlkem768": "mlkem768",
    "x25519-mlkem768": "x25519-ke1_mlkem768",
}
"""level of factor `exchange` that the page offers -> key exchange as proposals have it"""


def groups_part(sent: Mapping[str, float]) -> dict[str, Any]:
    """Key exchange -> how many exchanges of IKE a set-up takes with it (RFC 9370, RFC 9242), and
    the bytes of IKE that were counted with a pre-shared key, None if it was not measured. `sent`:
    level -> bytes."""
    return {
        name: {
            "exchanges": len(EXCHANGES[level]),
            "bytes": round(sent[level]) if level in sent else None,
        }
        for level, name in IN_PROPOSALS.items()
    }


def computing_part(longer: Mapping[str, Estimate]) -> dict[str, float]:
    """Key exchange -> by how much a set-up takes longer than with X25519 where no path delays it
    [ms], of each that was measured. `longer`: level -> the same."""
    return {
        name: longer[level].value
        for level, name in IN_PROPOSALS.items()
        if level in longer and longer[level].n
    }
