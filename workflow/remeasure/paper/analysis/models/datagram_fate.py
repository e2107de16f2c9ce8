"""The fate of datagrams one byte too long to fit, and whether sizes are as computed.

Rules, fixed before the data of the campaign were measured:

- A datagram that its own kernel returned with EMSGSIZE was *refused*.
- If no packet of a datagram left the gateway, it was *lost*.
- If all of its packets are IP fragments, the gateway protected it whole and cut the result: it
  was *cut after IPsec*, and the peer must join the pieces before it can check them.
- If it left in several packets and none is a fragment, IP had cut it before: *cut before IPsec*.
- Without IPsec it was *cut*.
- A size is as computed if the largest payload, and the length of every packet up to it, equal
  `ipsec.overhead`. There is no tolerance.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby

import pandas as pd

from remeasure.bench.base.family import BOTH_IPV4, Families
from remeasure.bench.ipsec.overhead import UDP, largest_udp_payload, packet_on_wire
from remeasure.bench.ipsec.tunnel import Tunnel

TCP = 20
"""TCP header without options, which a maximum segment size does not count [bytes]"""
REFUSED, LOST, WHOLE = "refused", "lost", "passed whole"
BEFORE, AFTER, PARTLY, CUT = "cut before IPsec", "cut after IPsec", "cut in both places", "cut"


def fate(datagram: Mapping[str, float], protected: bool) -> str:
    """The fate of one datagram, by the probe's numbers (arrived, refused, packets, fragments);
    `protected`: whether the cell has IPsec."""
    packets, fragments = datagram["packets"], datagram["fragments"]
    if datagram["refused"]:
        return REFUSED
    if not packets:
        return LOST
    if packets == 1:
        way = WHOLE
    elif not protected:
        way = CUT
    else:
        way = {0: BEFORE, packets: AFTER}.get(fragments, PARTLY)
    return way if datagram["arrived"] else f"{way}, then lost"


def in_order(fates: list[str]) -> str:
    """Fates of datagrams sent one after another, as text: '1 lost, then 3 refused'."""
    runs = [(one, len(list(alike))) for one, alike in groupby(fates)]
    if len(runs) == 1:
        return f"all {runs[0][0]}"
    return ", then ".join(f"{count} {one}" for one, count in runs)


def as_computed(
    tunnel: Tunnel | None,
    largest: Iterable[float],
    lengths: pd.Series,
    families: Families = BOTH_IPV4,
) -> tuple[bool, list[int]]:
    """Whether every measurement of the largest payload [bytes] is as computed, and the payloads
    whose packet is not; `lengths`: payload [bytes] -> length of its packet on the wire [bytes]."""
    inner, outer = families
    wrong = [
        int(size)
        for size, length in lengths.items()
        if packet_on_wire(tunnel, int(size) + UDP + inner.header, outer) != length
    ]
    return {*largest} == {largest_udp_payload(tunnel, family=outer, inner=inner)}, wrong


def segment_size(payload: float) -> float:
    """The largest TCP segment [bytes] (maximum segment size, RFC 9293) on a path whose largest UDP
    payload is `payload` [bytes]."""
    return payload + UDP - TCP
