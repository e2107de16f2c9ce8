"""How much of the traffic the anti-replay window drops if the path reorders packets."""

from __future__ import annotations

from typing import Any

from remeasure.bench.ipsec.sas import read_xfrm_stat
from remeasure.bench.tryout import seen, try_flows, try_network
from remeasure.bench.tryout.running_pair import PROGRAM, RunningPair

WINDOWS = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
PAYLOAD, _PACKETS = 1200, 8000
"""payload of a datagram [bytes], and number of them"""
FEW = 0.001
"""share of packets that a window may drop and be called enough"""


def replay(running: RunningPair) -> dict[str, Any]:
    """Send at the rate behind the jitter, from left to right. The kernel counts dropped packets;
    from a capture in front of it follow those that any other window would have dropped."""
    if not running.up():
        return {}
    right = running.pair.right
    running.impair(running.way.jitter_ms)
    rate = max(1, round(running.way.rate_mbit * 1e6 / 8 / PAYLOAD))
    seconds = max(0.3, _PACKETS / rate)
    before = _dropped(running)
    with try_flows.received(running, right.name, try_network.wan_of(right), seen.ESP):
        _send(running, rate, seconds)
    numbers = seen.sequence_numbers(try_flows.captured_by(running, right.name, right))
    dropped = _dropped(running) - before
    shares = {
        window: round(seen.dropped_by(window, numbers) / max(1, len(numbers)), 4)
        for window in WINDOWS
    }
    return {
        "rate_mbit": running.way.rate_mbit,
        "jitter_ms": running.way.jitter_ms,
        "packets": len(numbers),
        "window": max(running.windows(right), default=0),
        "dropped": dropped,
        "share": round(dropped / max(1, len(numbers)), 4),
        "share_by_window": shares,
        "enough": next((window for window, share in shares.items() if share <= FEW), None),
    }


def _dropped(running: RunningPair) -> int:
    """Packets that right's kernel dropped for their sequence number (RFC 4303, section 3.4.3)."""
    counters = read_xfrm_stat(running.sh(running.pair.right.name, "cat /proc/net/xfrm_stat"))
    return counters["XfrmInStateSeqError"]


def _send(running: RunningPair, rate: int, seconds: float) -> None:
    left, right = running.pair.ends
    try_flows.start_receiver(running, right, seconds)
    sends = f"{PROGRAM} send {right.host} {seen.FLOW_PORT} {PAYLOAD} {rate} {seconds:g}"
    running.sh(try_network.host_of(left), f"{sends} >/dev/null", seconds + 60)
    running.sleep(2)
    running.sh(try_network.host_of(right), f"kill $(cat {PROGRAM}.receiver.pid)")
