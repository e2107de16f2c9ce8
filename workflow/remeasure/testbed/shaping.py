"""Link shaping with tc: a rate limit (TBF) and an impairment (netem) on the egress of an interface.

With both, netem is the root and TBF its child, so packets are delayed first and then queue for the
link. See tc-tbf(8), tc-netem(8).
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import Field, field_validator

from remeasure.checks import Check, equal
from remeasure.config import Strict
from remeasure.testbed.netem import (
    NETEM_PATTERN,
    RATE_PATTERN,
    SIZE_PATTERN,
    TIME_PATTERN,
    Netem,
    parse_netem,
    rate_bits,
    read_netem,
    size_bytes,
)
from remeasure.testbed.tools import Tool
from remeasure.testbed.treatment import Prover, Question, Setter

MODULES = {"sch_netem": "NET_SCH_NETEM", "sch_tbf": "NET_SCH_TBF"}
"""kernel module -> option of the kernel's configuration that builds it"""
TOOLS = {"tc": Tool(["tc", "-V"])}


class Shaping(Strict):
    """The shaping of the packets that one interface sends."""

    rate: str | None = Field(None, json_schema_extra={"pattern": RATE_PATTERN})
    """rate limit, such as 100mbit; it counts Ethernet frames without preamble and check sequence"""
    burst: str = Field("128kb", json_schema_extra={"pattern": SIZE_PATTERN})
    """size of the token bucket; a kernel that ticks at HZ needs at least rate / HZ, so 125 kB for
    100 Mbit/s at 100 Hz (tc-tbf(8))"""
    queue: str = Field("50ms", json_schema_extra={"pattern": TIME_PATTERN})
    """longest time that a packet may wait for the link; packets that would wait longer are
    dropped"""
    netem: str | None = Field(None, json_schema_extra={"pattern": NETEM_PATTERN})
    """delay, loss and rate, as arguments of tc-netem(8): delay 100ms 20ms distribution normal loss
    random 1% rate 1gbit"""
    netem_limit: int = Field(1000, ge=1)
    """number of packets that netem can hold"""

    @field_validator("rate")
    @classmethod
    def _rate_can_be_read(cls, rate: str | None) -> str | None:
        if rate is not None:
            rate_bits(rate)
        return rate

    @field_validator("burst")
    @classmethod
    def _burst_can_be_read(cls, burst: str) -> str:
        size_bytes(burst)
        return burst

    @field_validator("queue")
    @classmethod
    def _queue_can_be_read(cls, queue: str) -> str:
        if not re.fullmatch(TIME_PATTERN, queue):
            raise ValueError("expected a time such as 50ms")
        return queue

    @field_validator("netem")
    @classmethod
    def _netem_can_be_read(cls, netem: str | None) -> str | None:
        if netem is not None:
            parse_netem(netem)
        return netem

    @property
    def rate_bits(self) -> float | None:
        """`rate` as a number [bit/s]; None if there is no limit."""
        return rate_bits(self.rate) if self.rate else None

    @property
    def burst_bytes(self) -> int:
        """`burst` as a number [bytes]."""
        return size_bytes(self.burst)

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

    def __str__(self) -> str:
        return f"{self.host}.{self.link}"


def shaping_setters(
    wanted: Mapping[Place, Shaping | None], randomness: Callable[[str], int] | None = None
) -> list[Setter]:
    """Setters that replace all queueing disciplines of these interfaces; None: leave the interface
    bare. `randomness` gives the seed of an interface's netem (<host>.<link>); None: the kernel
    draws one."""

    def seed_of(place: Place) -> list[str]:
        return ["seed", str(randomness(str(place)))] if randomness else []

    return [
        Setter(
            place.host,
            f"tc qdisc del dev {shlex.quote(place.interface)} root 2>/dev/null; "
            + (
                " && ".join(map(shlex.join, _commands(place.interface, shaping, seed_of(place))))
                or "true"
            ),
        )
        for place, shaping in wanted.items()
    ]


def shaping_provers(wanted: Mapping[Place, Shaping | None]) -> Iterable[Prover]:
    """Provers that the queueing disciplines of these interfaces are exactly those of the cell."""
    for place, shaping in wanted.items():
        ask = ["tc", "-j", "-s", "qdisc", "show", "dev", place.interface]
        question = Question(f"proof.{place}.qdisc.json", ask)
        yield Prover(place.host, [question], partial(check_shaping, str(place), shaping))


def check_shaping(place: str, shaping: Shaping | None, qdiscs_json: str) -> list[Check]:
    """Compare the output of `tc -j -s qdisc` for one interface (`place`, <host>.<link>) with the
    cell."""
    qdiscs = {qdisc["kind"]: qdisc.get("options", {}) for qdisc in json.loads(qdiscs_json)}
    shaping = shaping or Shaping()
    checks = [
        equal("link", f"{place}: {kind}", kind in qdiscs, wanted is not None)
        for kind, wanted in (("tbf", shaping.rate), ("netem", shaping.netem))
    ]
    if shaping.rate and "tbf" in qdiscs:
        found = 8 * qdiscs["tbf"]["rate"]
        checks.append(equal("link", f"{place}: rate (bit/s)", found, shaping.rate_bits))
    if shaping.netem and "netem" in qdiscs:
        found = _with_limit(read_netem(qdiscs["netem"]), qdiscs["netem"]["limit"])
        wanted = _with_limit(shaping.impairment.as_reported, shaping.netem_limit)
        checks.append(equal("link", f"{place}: netem", found, wanted))
    return checks


def _with_limit(netem: Netem, limit: int) -> str:
    return f"{netem}, holding {limit} packets"


def _commands(interface: str, shaping: Shaping | None, seed: Sequence[str] = ()) -> list[list[str]]:
    """The tc commands that shape a bare interface. `seed`: further words for netem."""
    if shaping is None:
        return []
    add = ["tc", "qdisc", "add", "dev", interface]
    commands, parent = [], ["root"]
    if shaping.netem:
        limit = ["limit", str(shaping.netem_limit)]
        commands.append(
            [*add, *parent, "handle", "1:", "netem", *limit, *shaping.netem.split(), *seed]
        )
        parent = ["parent", "1:1"]
    if shaping.rate:
        bucket = ["rate", shaping.rate, "burst", shaping.burst, "latency", shaping.queue]
        commands.append([*add, *parent, "handle", "10:", "tbf", *bucket])
    return commands
