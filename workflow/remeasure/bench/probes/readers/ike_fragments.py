"""The IKE_AUTH messages of a capture: in how many pieces each went, and when the pieces passed.

IKE cuts a long message into fragments, each a datagram of its own (RFC 7383), or IP cuts its one
datagram. The receiver needs all pieces. So what counts is the last of them; by how much it is later
than the mean piece is what cutting costs on a path that delays each packet by itself.
"""

from collections.abc import Iterable, Iterator

from remeasure.bench.probes.metrics import Metric, Value
from remeasure.bench.probes.readers.ike_messages import IKE_AUTH, IkeMessage

METRICS = {
    "auth_{message}_fragments": Metric(
        "fragments",
        "IKE fragments (RFC 7383) of the first IKE_AUTH request or response; 1: it went whole",
        "count",
    ),
    "auth_{message}_packets": Metric(
        "packets", "IP packets of at most 1500 bytes that the fragments fill", "count"
    ),
    "auth_{message}_wait": Metric(
        "ms",
        "capture at the initiator: last fragment behind the mean of all; absent if a fragment was "
        "sent again (captured twice, or 3 s behind another) or cut by IP",
        "variation",
    ),
}
"""metrics of IKE_AUTH messages, for the declaration of a probe"""
_AGAIN_S = 3
"""strongSwan waits 4 s before it sends a message again"""


def read_auth(messages: Iterable[IkeMessage]) -> Iterator[Value]:
    """Yield the values of the first request and of the first response of IKE_AUTH among the
    messages of one negotiation; nothing of a message that is not whole."""
    found = [message for message in messages if message.exchange == IKE_AUTH]
    for name, response in (("request", False), ("response", True)):
        of_kind = [message for message in found if message.response == response]
        pieces = [m for m in of_kind if m.message_id == of_kind[0].message_id]
        different = {piece.fragment: piece for piece in pieces}
        if not pieces or len(different) != pieces[0].fragments:
            continue
        number = pieces[-1].number
        yield Value(f"auth_{name}_fragments", len(different), number)
        packets = sum(piece.packets for piece in different.values())
        yield Value(f"auth_{name}_packets", packets, number)
        behind = [piece.at - pieces[0].at for piece in pieces]
        # Of what IP cut, the capture has the first packet alone.
        if len(pieces) == len(different) == packets and behind[-1] < _AGAIN_S:
            wait = behind[-1] - sum(behind) / len(behind)
            yield Value(f"auth_{name}_wait", wait * 1e3, number)
