"""Shaping of the packets that one interface sends: a link's rate, and its impairment by netem,
parsed from the words of tc-netem(8), and from tc's output. A wire sends one frame after the other,
and each takes its bits over the rate. A link with a `rate` does the same (by disciplines.py). A
token bucket does not: while it has tokens it passes a packet of any size at once, so packets of 64
and 1400 bytes take the same time. `burst`, the size of the bucket, asks for it."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from remeasure.bench.base.config import Strict
from remeasure.bench.base.family import IPV4, Family

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


class Netem(NamedTuple):
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
        """The settings in tc's report: rounded to the microsecond, and without the distribution."""
        return self._replace(
            delay_ms=round(self.delay_ms, 3),
            jitter_ms=round(self.jitter_ms, 3),
            distribution=None,
            reorder_percent=round(self.reorder_percent, 4),
            loss_percent=round(self.loss_percent, 4),
        )


def parse_netem(arguments: str) -> Netem:
    """Parse the arguments of netem, such as 'delay 100ms 20ms distribution normal loss random 1%'.
    Accepts only arguments that the proof of treatment can read back. Raises ValueError."""
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


def _matched(pattern: str, text: str, like: str) -> re.Match[str]:
    """Raises ValueError if the text is not of that pattern, which `like` is an example of."""
    match = re.fullmatch(pattern, text)
    if not match:
        raise ValueError(f"found {text!r}, expected a {like}")
    return match


def rate_bits(rate: str) -> float:
    """The rate [bit/s] that tc writes as, for example, '100mbit' (1e8). Raises ValueError."""
    match = _matched(RATE_PATTERN, rate, "rate such as 100mbit")
    if not float(match[1]):
        raise ValueError(f"found {rate!r}, expected more than 0")
    return float(match[1]) * _UNITS[match[2]]


def size_bytes(size: str) -> int:
    """The size [bytes] that tc writes as, for example, '128kb' (131072: tc counts sizes by 1024).
    Raises ValueError."""
    match = _matched(SIZE_PATTERN, size, "size such as 128kb")
    return int(match[1]) * {"k": 1024, "m": 1024**2}.get((match[2] or "b")[0], 1)


def seconds(time: str) -> float:
    """The time [s] that tc writes as, for example, '50ms'. Raises ValueError."""
    match = _matched(TIME_PATTERN, time, "time such as 50ms")
    return float(match[1]) / {"s": 1, "ms": 1e3, "us": 1e6}[match[2]]


DSCP_PATTERN = r"^(?:ef|cs[0-7]|af[1-4][1-3]|[0-9]|[1-5][0-9]|6[0-3])$"


_DSCPS = {
    "ef": 46,
    **{f"cs{group}": 8 * group for group in range(8)},
    **{f"af{group}{drop}": 8 * group + 2 * drop for group in range(1, 5) for drop in (1, 2, 3)},
    **{str(number): number for number in range(64)},
}


def dscp(name: str) -> int:
    """'ef' -> 46, 'cs5' -> 40, 'af41' -> 34, '46' -> 46. Raises ValueError for any other name."""
    if name not in _DSCPS:
        raise ValueError("expected a DSCP: ef, cs0 to cs7, af11 to af43, or 0 to 63")
    return _DSCPS[name]


FULL_FRAME = 1514
"""length of a full Ethernet frame, as a rate counts it: 1500 bytes of IP packet and 14 of header;
without preamble, check sequence and gap [byte]"""
FASTEST = 100e9
"""greatest rate of a link [bit/s]: a full frame takes 121 ns, exact to within a hundredth on a
clock of nanoseconds"""
LONGEST_S = 60
"""longest time for which a link may delay a packet [s]"""

DELAY = "delay"
"""name of the number of netem's delay (Shaping.numbers)"""


_READERS: Mapping[str, Callable[[str], object]] = {
    "rate": rate_bits,
    "burst": size_bytes,
    "queue": seconds,
    "priority": dscp,
    "netem": parse_netem,
}
"""field of Shaping -> function that raises ValueError if it cannot read the field"""


class Shaping(Strict):
    """The shaping of the packets that one interface sends."""

    rate: str | None = Field(None, json_schema_extra={"pattern": RATE_PATTERN})
    """rate of the link, such as 100mbit; it counts Ethernet frames without preamble and check
    sequence. Each frame takes its bits over the rate"""
    burst: str | None = Field(None, json_schema_extra={"pattern": SIZE_PATTERN})
    """size of a token bucket, such as 128kb, which then limits the rate; while it has tokens, a
    packet of any size passes at once. A kernel that ticks at HZ needs at least rate / HZ
    (tc-tbf(8)). null: no bucket"""
    queue: str = Field("50ms", json_schema_extra={"pattern": TIME_PATTERN})
    """longest time that a packet may wait behind full frames; packets that would wait longer are
    dropped. The queue is as many frames long, so behind smaller packets the longest wait is
    shorter"""
    priority: str | None = Field(None, json_schema_extra={"pattern": DSCP_PATTERN})
    """DSCP of packets that leave before all others (strict priority), such as ef or cs5; both
    classes have a queue each, as long as `queue`. Needs a `burst`: behind a bucket a packet is
    chosen when it may leave"""
    netem: str | None = Field(None, json_schema_extra={"pattern": NETEM_PATTERN})
    """delay, reordering, loss and rate, as arguments of tc-netem(8): delay 100ms 20ms distribution
    normal loss random 1% rate 1gbit; or delay 2ms reorder 100% gap 2, which lets every second
    packet leave at once, like two paths that take packets in turn"""
    netem_limit: int = Field(1000, ge=1, le=1_000_000)
    """number of packets that netem can hold"""

    @field_validator("rate", "burst", "queue", "priority", "netem")
    @classmethod
    def _can_be_read(cls, text: str | None, info: ValidationInfo) -> str | None:
        if text is not None and info.field_name:
            _READERS[info.field_name](text)
        return text

    @model_validator(mode="after")
    def _as_links_are(self) -> Self:
        if self.priority and not (self.rate and self.burst):
            raise ValueError("priority: needs rate and burst, a token bucket")
        netem, fastest, longest = self.impairment, (FASTEST / 1e9, "gbit"), (LONGEST_S, "s")
        for what, value, (most, unit) in (
            ("rate", (self.rate_bits or 0) / 1e9, fastest),
            ("netem: rate", netem.rate_bits / 1e9, fastest),
            ("netem: delay", netem.delay_ms / 1e3, longest),
            ("netem: jitter", netem.jitter_ms / 1e3, longest),
            ("queue", seconds(self.queue), longest),
        ):
            if value > most:
                raise ValueError(f"{what}: found {value:g}{unit}, expected at most {most:g}{unit}")
        return self

    def numbers(self) -> dict[str, dict[str, tuple[float, str, str]]]:
        netem = self.impairment
        found = {
            DELAY: (netem.delay_ms, "ms", "mean delay of a packet, of all links together"),
            "jitter": (netem.jitter_ms, "ms", "standard deviation of the delay"),
            "loss": (netem.loss_percent, "%", "share of packets that are dropped"),
        }
        if netem.rate_bits:
            found["netem_rate"] = (netem.rate_bits / 1e6, "Mbit/s", "rate at which netem sends")
        rate = self.rate_bits
        of_link = {"rate": {"rate": (rate / 1e6, "Mbit/s", "rate of the link")}} if rate else {}
        return of_link | {"netem": found}

    @property
    def rate_bits(self) -> float | None:
        """`rate` as a number [bit/s]; None if there is no limit."""
        return rate_bits(self.rate) if self.rate else None

    @property
    def burst_bytes(self) -> int | None:
        """`burst` as a number [bytes]; None if there is no token bucket."""
        return size_bytes(self.burst) if self.burst else None

    @property
    def takes_time(self) -> bool:
        """True if a packet takes time to send: its bits over `rate`."""
        return self.rate is not None and self.burst is None

    @property
    def queue_frames(self) -> int:
        """Full frames in a link with this `rate` and no bucket, the one that it sends among them: a
        frame that finds the queue with one place left waits for all others, which take no longer
        than `queue`. Raises ValueError without a rate."""
        return int(seconds(self.queue) * rate_bits(self.rate or "") / (8 * FULL_FRAME)) + 1

    @property
    def impairment(self) -> Netem:
        """`netem` as numbers; all are 0 if it is not given."""
        return parse_netem(self.netem) if self.netem else Netem()


class Place(NamedTuple):
    """One interface of a host, named by its link and by the host's kernel."""

    host: str
    """role"""
    link: str
    interface: str
    family: Family = IPV4
    """family of the packets that it carries"""

    def __str__(self) -> str:
        return f"{self.host}.{self.link}"
