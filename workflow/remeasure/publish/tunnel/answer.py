"""What My tunnel says of a reader's values. site/_static/tunnel-model.js says the same in the
browser; here it is computed for the values with which the page begins, and for tests."""

import math
from dataclasses import dataclass, field
from typing import Any

from remeasure.notebook.tunnel.suite_part import NAMES
from remeasure.notebook.tunnel.windows import advised

PROPOSED = ("aes128gcm16", "chacha20poly1305")
"""suites of which the faster one goes into the configuration"""


@dataclass(frozen=True)
class Values:
    """What a reader sets; the defaults are those with which the page begins."""

    rtt: float = 50
    """round trip between the gateways [ms]"""
    rate: float = 100
    """rate of what the tunnel carries [Mbit/s]"""
    size: float = 1400
    """payload of a packet [byte]"""
    path: str = "none"
    """how the path reorders: 'none', 'jitter', 'skew' or 'queue'"""
    delay: float = 1
    """standard deviation of the jitter, skew, or longest wait in the queue [ms]; means nothing
    where the path keeps the order"""
    instructions: str = "all"
    """what the processor has, a level of factor `instructions`: 'all', 'aes' or 'none'"""
    speeds: dict[str, float] = field(default_factory=dict)
    """suite of PROPOSED -> Mbit/s of the reader's core; empty: rates of our machine"""
    way: str = "psk"
    """how the gateways authenticate, a key of notebook.tunnel.set_up.MEASURED_AS"""
    exchange: str = "x25519"
    """key exchange, as proposals have it"""
    mode: str = "tunnel"
    """mode of the CHILD_SA: 'tunnel' or 'transport'"""
    natt: str = "no"
    """whether ESP goes in UDP, a key of notebook.tunnel.size_part.NAT_T"""
    mtu: int = 1500
    """largest packet on the path between the gateways [bytes]"""

    @property
    def per_second(self) -> float:
        """Packets a second."""
        return self.rate * 1e6 / 8 / self.size


@dataclass(frozen=True)
class Parts:
    """What the notebooks handed over."""

    windows: dict[str, Any]
    set_up: dict[str, Any]
    suites: dict[str, Any]
    esp: dict[str, Any]
    sizes: dict[str, Any]
    groups: dict[str, Any]
    computing: dict[str, float]
    even: dict[str, Any] = field(default_factory=lambda: {"measured": []})


def window(parts: Parts, values: Values) -> tuple[int | None, str]:
    """The window to set, and where that comes from (see `windows.advised`)."""
    return advised(parts.windows, values.path, values.per_second, values.delay)


def speeds(parts: Parts, values: Values) -> dict[str, list[float]]:
    """Suite -> Mbit/s of a core with each of our libraries, the cipher alone; empty if it was not
    measured."""
    arm = "masked" if values.instructions == "none" else "as-they-are"
    by_payload = parts.suites["arms"].get(arm, {})
    if not by_payload:
        return {suite: [] for suite in NAMES}
    nearest = min(by_payload, key=lambda payload: abs(int(payload) - values.size))
    return {suite: _speed(suite, by_payload[nearest], values.speeds) for suite in NAMES}


def _speed(
    suite: str, measured: dict[str, list[dict[str, Any]]], own: dict[str, float]
) -> list[float]:
    if suite in own:
        return [own[suite]]
    # The reader's core is to ours as for the first suite of which the reader gives a speed.
    for known in (name for name in PROPOSED if name in own):
        pairs = zip(measured[suite], measured[known], strict=True)
        return [own[known] * other["ratio"] / one["ratio"] for one, other in pairs]
    return [one["mbit"] for one in measured[suite]]


def in_esp(parts: Parts, values: Values) -> dict[str, dict[str, Any]]:
    """Suite -> what ESP of the kernel costs with it over AES-128-GCM, with such instructions."""
    levels: dict[str, dict[str, dict[str, Any]]] = parts.esp["levels"]
    return levels.get(values.instructions, {})


def proposed(parts: Parts, values: Values) -> str:
    """The suite for the configuration: by the reader's own speeds if there are some, else the one
    that costs least in ESP of the kernel, else the faster one by the slower library."""
    reference, other = PROPOSED
    measured = in_esp(parts, values)
    if other in measured and not values.speeds:
        return other if measured[other]["ratio"] < 1 else reference
    found = speeds(parts, values)
    return max(PROPOSED, key=lambda suite: min(found[suite], default=0.0))


def milliseconds(value: float) -> str:
    """A time as the page prints it."""
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def number(value: float) -> str:
    """Three significant digits, thousands separated."""
    shown = float(f"{value:.3g}")
    return f"{shown:,.0f}" if shown == int(shown) else f"{shown:,}"


def whole(value: float) -> str:
    """An integer, thousands separated; halves are rounded up, as browsers do."""
    return f"{math.floor(value + 0.5):,}"


def span(values: list[float]) -> str:
    """'22,700 to 54,000', or one number if both print alike."""
    ends = list(dict.fromkeys(number(value) for value in (min(values), max(values))))
    return " to ".join(ends)
