"""The impairment of a link by netem: parsed from the words of tc-netem(8), and from tc's output."""

import re
from dataclasses import dataclass, replace
from typing import Any

RATE_PATTERN = r"^([0-9]+(?:\.[0-9]+)?)([kmgt]?)bit$"
SIZE_PATTERN = r"^([0-9]+)(k|kb|m|mb|b)?$"
TIME_PATTERN = r"^([0-9]+(?:\.[0-9]+)?)(s|ms|us)$"
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
NETEM_PATTERN = (
    rf"^(?=.)(?:delay {_NUMBER}ms(?: {_NUMBER}ms"
    r"(?: distribution (normal|pareto|paretonormal|experimental))?)?"
    rf"(?: reorder {_NUMBER}% gap ([1-9][0-9]*))?)?"
    rf"(?: ?loss (?:random )?{_NUMBER}%)?(?: ?rate ([0-9]+(?:\.[0-9]+)?[kmg]?bit))?$"
)
_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


@dataclass(frozen=True)
class Netem:
    """Settings of netem; a setting of 0 changes nothing."""

    delay_ms: float = 0
    """mean delay of a packet [ms]"""
    jitter_ms: float = 0
    """standard deviation of the delay, as the distribution scales it [ms]"""
    distribution: str | None = None
    """distribution of the delay, a table of iproute2 (normal, pareto, ...); None: uniform"""
    loss_percent: float = 0
    """share of packets that are dropped, each independently [%]"""
    rate_bits: float = 0
    """rate at which packets leave [bit/s]; 0: no limit. With a rate, a packet's delay counts from
    the end of the packet before it, so that none overtakes another."""
    reorder_percent: float = 0
    """share of every `gap`-th packet that leaves at once; all other packets are delayed [%]"""
    gap: int = 0
    """one packet in so many may leave at once, and so overtake others; 0: none"""

    def __str__(self) -> str:
        distribution = f" distribution {self.distribution}" if self.distribution else ""
        # Checks of blocks without reordering read as they did before netem could be asked for it.
        reorder = f"reorder {self.reorder_percent:g} % gap {self.gap} " if self.gap else ""
        return (
            f"delay {self.delay_ms:g} ms jitter {self.jitter_ms:g} ms{distribution} {reorder}"
            f"loss {self.loss_percent:g} % rate {self.rate_bits:g} bit/s"
        )

    @property
    def as_reported(self) -> "Netem":
        """These settings as tc reports them: rounded to the microsecond, and without the
        distribution."""
        return replace(
            self,
            delay_ms=round(self.delay_ms, 3),
            jitter_ms=round(self.jitter_ms, 3),
            distribution=None,
            reorder_percent=round(self.reorder_percent, 4),
            loss_percent=round(self.loss_percent, 4),
        )


def parse_netem(arguments: str) -> Netem:
    """Parse the arguments of netem, such as 'delay 100ms 20ms distribution normal loss random 1%'.

    Accepts only what the proof of treatment can read back. Raises ValueError.
    """
    match = re.fullmatch(NETEM_PATTERN, arguments)
    if not match:
        raise ValueError(
            "expected arguments of netem in this order, each of which may be left out: "
            "'delay 100ms 20ms distribution normal reorder 100% gap 2 loss random 1% rate 1gbit'"
        )
    delay, jitter, distribution, reorder, gap, loss, rate = match.groups()
    for what, share in (("loss", loss), ("reorder", reorder)):
        if float(share or 0) > 100:
            raise ValueError(f"found a {what} of {share}%, expected at most 100%")
    return Netem(
        float(delay or 0),
        float(jitter or 0),
        distribution,
        float(loss or 0),
        rate_bits(rate) if rate else 0,
        float(reorder or 0),
        int(gap or 0),
    )


def read_netem(options: dict[str, Any]) -> Netem:
    """Settings from the `options` of a netem qdisc in the output of `tc -j`, which gives times in
    seconds, shares from 0 to 1, and rates in bytes/s."""
    delay = options.get("delay", {})
    return Netem(
        delay_ms=1e3 * delay.get("delay", 0),
        jitter_ms=1e3 * delay.get("jitter", 0),
        reorder_percent=1e2 * options.get("reorder", {}).get("reorder", 0),
        gap=options.get("gap", 0),
        loss_percent=1e2 * options.get("loss-random", {}).get("loss", 0),
        rate_bits=8 * options.get("rate", {}).get("rate", 0),
    ).as_reported


def rate_bits(rate: str) -> float:
    """The rate [bit/s] that tc writes as, for example, '100mbit' (1e8). Raises ValueError."""
    match = re.fullmatch(RATE_PATTERN, rate)
    if not match:
        raise ValueError(f"found {rate!r}, expected a rate such as 100mbit")
    if not float(match[1]):
        raise ValueError(f"found {rate!r}, expected more than 0")
    return float(match[1]) * _UNITS[match[2]]


def size_bytes(size: str) -> int:
    """The size [bytes] that tc writes as, for example, '128kb' (131072: tc counts sizes by 1024).
    Raises ValueError."""
    match = re.fullmatch(SIZE_PATTERN, size)
    if not match:
        raise ValueError(f"found {size!r}, expected a size such as 128kb")
    return int(match[1]) * {"k": 1024, "m": 1024**2}.get((match[2] or "b")[0], 1)


def seconds(time: str) -> float:
    """The time [s] that tc writes as, for example, '50ms'. Raises ValueError."""
    match = re.fullmatch(TIME_PATTERN, time)
    if not match:
        raise ValueError(f"found {time!r}, expected a time such as 50ms")
    return float(match[1]) / {"s": 1, "ms": 1e3, "us": 1e6}[match[2]]
