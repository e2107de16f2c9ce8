"""Whether two tools agree: what a probe says it received, and what the receiving gateway's SA
counted while it ran."""

from dataclasses import dataclass

from remeasure.ipsec.proof import Check
from remeasure.ipsec.sas import KernelSa, read_xfrm_state

GATEWAY_COUNTERS = {
    "xfrm-state.txt": ["ip", "-s", "xfrm", "state", "list", "nokeys"],
    "xfrm-stat.txt": ["cat", "/proc/net/xfrm_stat"],
    "link.json": ["ip", "-s", "-j", "link"],
}
HOST_COUNTERS = {"snmp.txt": ["cat", "/proc/net/snmp"]}
"""log -> command, on gateways and on other hosts, between probes"""

CONTROL_PACKETS = 400
"""allowance for a probe's own control connection, in packets"""


@dataclass(frozen=True)
class Carried:
    """What a probe says went to one host."""

    receiver: str
    payload_bytes: float
    """that arrived"""
    most_bytes: float
    """of payload that can have arrived at the gateway, retransmissions included"""
    packet_bytes: int
    """of payload in one packet"""


def inbound(xfrm_state: str) -> KernelSa | None:
    """The one inbound SA of a gateway's listing, if there is exactly one."""
    sas = [sa for sa in read_xfrm_state(xfrm_state) if sa.direction == "in"]
    return sas[0] if len(sas) == 1 else None


def check_carried(where: str, carried: Carried, before: str, after: str) -> list[Check]:
    """The inbound SA must have moved by at least the packets that arrived, and by no more than
    those that can have been sent."""
    first, last = inbound(before), inbound(after)
    if not first or not last or first.spi != last.spi:
        return [Check(f"{where}: inbound SA", False, "not one and the same", "one, unchanged")]
    moved = last.packets - first.packets
    least = int(carried.payload_bytes / carried.packet_bytes)
    most = int(carried.most_bytes / carried.packet_bytes * 1.02) + CONTROL_PACKETS
    return [Check(f"{where}: packets of the inbound SA", least <= moved <= most, str(moved),
                  f"{least} to {most}, from what the probe received")]
