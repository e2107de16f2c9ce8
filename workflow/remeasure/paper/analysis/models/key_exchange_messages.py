"""How the messages of each key exchange of scenario key-exchange travel, as the model needs it.

The numbers follow from what charon sends and from its limit of 1280 bytes for a fragment
(`charon.fragment_size`). The notebook shows them beside what was counted.
"""

from remeasure.paper.analysis.models.lossy_set_up import Exchange, Message

_SMALL = Exchange()
_KEY = Exchange(Message(2), Message())
"""IKE_INTERMEDIATE with ML-KEM-768: its public key and the header exceed one fragment of 1280
bytes"""
_KEY_WHOLE = _SMALL
"""the same without IKE fragmentation: all of it fits a packet of 1500 bytes"""
_CHAINS = Exchange(Message(3), Message(3))
"""IKE_AUTH with chains of four RSA certificates: all but the root are sent"""
_CHAINS_WHOLE = Exchange(Message(1, 3), Message(1, 3))
"""the same without IKE fragmentation: one datagram, in three IP packets"""
EXCHANGES = {
    "x25519": (_SMALL, _SMALL),
    "ecp256": (_SMALL, _SMALL),
    "ecp384": (_SMALL, _SMALL),
    "modp2048": (_SMALL, _SMALL),
    "modp4096": (_SMALL, _SMALL),
    "mlkem768": (_SMALL, _SMALL),
    "x25519-mlkem768": (_SMALL, _KEY, _SMALL),
    "x25519-mlkem768-whole": (_SMALL, _KEY_WHOLE, _SMALL),
    "rsa-x25519": (_SMALL, _CHAINS),
    "rsa-x25519-whole": (_SMALL, _CHAINS_WHOLE),
    "rsa-x25519-mlkem768": (_SMALL, _KEY, _CHAINS),
    "rsa-x25519-mlkem768-whole": (_SMALL, _KEY_WHOLE, _CHAINS_WHOLE),
}
"""level of factor exchange -> how its messages travel, IKE_SA_INIT first"""
