"""The largest packet that passes a tunnel unfragmented, each way."""

from __future__ import annotations

import re
from typing import Any

from remeasure.bench.tryout import try_network
from remeasure.bench.tryout.pair import End
from remeasure.bench.tryout.running_pair import RunningPair

_PING_BYTES = {4: 28, 6: 48}
"""IP and ICMP headers [bytes]"""
_TCP_BYTES = {4: 40, 6: 60}
"""IP and TCP headers without options [bytes]"""
_LEAST = {4: 576, 6: 1280}
"""smallest size that is tried [bytes]"""
_TOLD = re.compile(r"mtu ?[=:] ?([0-9]+)")


def sizes(running: RunningPair) -> dict[str, Any]:
    """Name of an end -> size of the largest packet that its host can send through the tunnel
    [bytes], the MSS of TCP in it, and whether the gateway told the host."""
    return {end.name: _of(running, end) for end in running.pair.ends}


def _of(running: RunningPair, end: End) -> dict[str, Any]:
    peer = running.pair.peer(end)
    assert peer.host
    version = peer.host.version
    size, told = running.way.mtu, False
    for _ in range(4):
        said = _ping(running, end, size)
        if said is None:
            return {"mtu": size, "mss": size - _TCP_BYTES[version], "told": told}
        if match := _TOLD.search(said):
            size, told = min(size - 1, int(match[1])), True
        # else the first packet was lost on the path, and the next one is refused with a size
    size = _bisected(running, end, _LEAST[version], running.way.mtu)
    return {"mtu": size, "mss": max(0, size - _TCP_BYTES[version]), "told": False}


def _ping(running: RunningPair, end: End, size: int) -> str | None:
    """Send one packet of `size` bytes that may not be fragmented. Returns None if it was answered,
    else the words of ping."""
    host = running.pair.peer(end).host
    assert host
    payload = size - _PING_BYTES[host.version]
    command = f"ping -c 1 -W 1 -M do -s {payload} {host} 2>&1"
    said = running.sh(try_network.host_of(end), command, check=False)
    return None if "1 received" in said else said


def _bisected(running: RunningPair, end: End, least: int, most: int) -> int:
    """The largest size that passes, if nobody tells it; 0 if not even the smallest does."""
    low, high = least - 1, most
    while low < high:
        size = (low + high + 1) // 2
        if _ping(running, end, size) is None:
            low = size
        else:
            high = size - 1
    return low if low >= least else 0
