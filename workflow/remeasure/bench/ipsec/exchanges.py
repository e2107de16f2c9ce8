"""The number of exchanges that a negotiation must take, from the RFCs.

IKE_SA_INIT and, without EAP, one IKE_AUTH (RFC 7296, section 1.2); an IKE_INTERMEDIATE for each
further key exchange (RFC 9370). With EAP an IKE_AUTH begins, one carries each response that the
AAA server is asked about, and one more has the AUTH payloads (RFC 7296, section 2.16).
"""

from remeasure.bench.ipsec.suites import negotiated
from remeasure.bench.ipsec.tunnel import Tunnel


def ike_exchanges(tunnel: Tunnel, radius_exchanges: int | None = None) -> int:
    """Round trips between initiator and responder until both are authenticated.

    `radius_exchanges`, with EAP: RADIUS exchanges of one authentication; the identity, which
    strongSwan's responder asks for itself, is in the first of them. Raises ValueError where they
    are not given.
    """
    further = sum(name.startswith("ake") for name in negotiated(tunnel.ike))
    if not tunnel.eap:
        return 1 + further + 1
    if radius_exchanges is None:
        raise ValueError(f"auth {tunnel.auth}: the number of exchanges with the AAA server decides")
    return 1 + further + radius_exchanges + 2
