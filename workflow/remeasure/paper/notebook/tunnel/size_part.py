"""The part of My tunnel that says what fits into a packet, from notebook packet_sizes."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from remeasure.bench.ipsec.overhead import IPV4_HEADER, MTU, UDP, growth
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.paper.analysis.models.datagram_fate import TCP
from remeasure.paper.notebook.tunnel.suite_part import NAMES

Mode = Literal["tunnel", "transport"]
MODES: tuple[Mode, ...] = ("tunnel", "transport")
NAT_T = {"no": False, "yes": True}
"""what a reader chooses of NAT traversal -> whether ESP goes in UDP"""


class Measured(NamedTuple):
    """What was measured of a suite in a mode, over links with an MTU of `overhead.MTU`."""

    largest: int
    """largest UDP payload in one packet [bytes]"""
    least: int | None
    """smallest payload from which on all packets up to the largest had the computed length [bytes];
    None if one had not"""


def sizes_part(measured: Callable[[str, str, bool], Measured | None]) -> dict[str, Any]:
    """What the page needs to say how long packets are and what fits, in the terms of `overhead`:
    headers, and for each mode, choice of NAT_T and suite how packets grow and what was measured.
    `measured`: of a suite, in a mode, in UDP or not; None if it was not measured."""

    def cell(suite: str, mode: Mode, udp: bool) -> dict[str, Any]:
        ends = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
        tunnel = Tunnel(**ends, ike="aes256-sha256-x25519", esp=suite, mode=mode, encap=udp)
        found = measured(suite, mode, udp)
        return asdict(growth(tunnel)) | {"measured": found._asdict() if found else None}

    return {
        "mtu": MTU,
        "udp": IPV4_HEADER + UDP,
        "tcp": IPV4_HEADER + TCP,
        "modes": {
            mode: {
                choice: {suite: cell(suite, mode, udp) for suite in NAMES}
                for choice, udp in NAT_T.items()
            }
            for mode in MODES
        },
    }
