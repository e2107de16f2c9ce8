"""The base of all probes, and a trial's services for them."""

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Protocol

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from remeasure.bench.base.checks import Check
from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.agreement import Carried
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.tunnel import Control, Tunnel
from remeasure.bench.probes.metrics import Metrics, Value, declare
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import Tool

_MALFORMED = (ValueError, LookupError, ArithmeticError, TypeError, AttributeError, struct.error)
"""errors of parsers for text of an unexpected form"""

Reader = Callable[[str, bytes], Iterable[Value]]
"""yields the values in a log, of which it gets name and content"""


class LogError(UserError):
    """A log cannot be read. The message gives the file, the line, the value found and the expected
    one."""

    def __init__(self, file: str, line: int, found: str, expected: str):
        shown = repr(found[:100]) if found else "an empty line"
        super().__init__(f"{file}:{line}: found {shown}, expected {expected}")


class Bench(Protocol):
    """The part of a trial that a probe may use."""

    topology: Topology
    seed: int
    """the campaign's"""

    @property
    def remotes(self) -> Mapping[str, Remote]:
        """role -> host"""

    @property
    def tunnel(self) -> Control | None:
        """None in a cell without IPsec."""

    def save(self, log: str, content: str | bytes) -> None:
        """Keep one log; `log` is its file name within the trial."""

    def set_up(self) -> None:
        """Give hosts the settings of the cell again, which one that booted has lost."""


class Ends(NamedTuple):
    """The two hosts between which a probe measures a rate."""

    sender: str
    """host that sends the payload"""
    receiver: str
    """host that receives it"""
    datagrams: bool = False
    """True if the payload goes in UDP, whose sender waits for nobody"""


class Probe(Strict):
    """Base of all probes. A scenario file may set the fields. A field with the name of a host is a
    `HostName`, so that a wrong name is refused when the scenario is loaded."""

    kind: ClassVar[str]
    """name of the kind of probe in scenario files"""
    meanings: ClassVar[Mapping[str, str]] = {}
    """all metrics that logs of this probe can give, as `declare` takes them"""
    metrics: ClassVar[Metrics]
    """the same, made from `meanings`"""
    readers: ClassVar[Mapping[str, Reader]] = {}
    """end of a log's name -> its reader, of a probe with several kinds of logs; "": any other"""
    tools: ClassVar[dict[str, Tool]] = {}
    """name -> program that the hosts need"""
    controls_tunnel: ClassVar[bool] = False
    """True if the probe negotiates and deletes SAs itself, instead of using the trial's tunnel"""
    any_tunnel: ClassVar[bool] = False
    """True if a probe that `controls_tunnel` takes tunnels of all kinds, not only of IPsec"""
    many_tunnels: ClassVar[bool] = False
    """True if the probe sets up as many IKE_SAs as the cell's tunnel counts"""
    may_leak: ClassVar[bool] = False
    """True if packets may leave a gateway in the clear during a run, because the probe takes the
    tunnel away under traffic; their number is then an observation, not a reason for rejection"""
    prepared_by: ClassVar[tuple[str, ...]] = ()
    """names of the fields that decide the work of `prepare`; of several probes with equal values in
    these fields, only the first is prepared"""
    verifies: ClassVar[bool] = False
    """True if `verify` does anything"""
    needs_machine: ClassVar[bool] = False
    """True if it measures a machine or its clock, or logs in to one; in virtual time there is
    none"""
    takes_ipv6: ClassVar[bool] = False
    """True if commands, captures and readers of the probe are known to take IPv6 addresses, or if
    it uses none"""
    reads_log: ClassVar[bool] = False
    """True if the receiver of the payload works on a log of it before counters are read, for longer
    the more arrived; its processor time is then more than the traffic's"""

    size_fields: ClassVar[frozenset[str]] = frozenset()
    """names of the fields that decide the length of packets with payload"""
    cost_fields: ClassVar[frozenset[str]] = frozenset()
    """names of further fields that decide the processor's work per bit of payload"""

    repeats: int = Field(1, ge=1, le=10_000)
    """number of runs of the probe in each trial"""
    spread: bool = False
    """whether runs of other probes come between these runs: the first is at the probe's place, and
    the others are spread evenly from there to the end of the trial; false: one after the other"""
    levels: SkipJsonSchema[dict[str, str]] = {}
    """factor -> level, set on the probes that `each` in a scenario file makes"""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.metrics = declare(cls.meanings)

    @property
    def boots(self) -> bool:
        """Whether a host boots again during a run."""
        return False

    def seconds(self) -> float:
        """Rough duration of one run [s], for the progress bar."""
        raise NotImplementedError

    def build(self) -> None:
        """Make, on this machine, programs that the probe brings to hosts, before anything is
        measured and while the network can be reached. Raises UserError."""

    def prepare(self, bench: Bench) -> None:
        """Start the servers that the probe needs."""

    def measure(self, bench: Bench, stem: str) -> None:
        """Run the tool once and save its logs under names that start with `stem`. Raises
        CommandFailed if the tool fails."""
        raise NotImplementedError

    def verify(self, bench: Bench, stem: str) -> None:
        """Examine results of a run, and save logs as `measure` does. This happens after the
        counters were read, so its cost is not counted as the run's."""

    def finish(self, bench: Bench) -> None:
        """Wait until the probe sends no more packets, after the last run of a trial: they would
        leave in the clear while the next trial's tunnel is set up."""

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield the values in one log, in the form that `parse` needs: by the first of `readers`
        that fits. Raises LogError."""
        return next(read for end, read in cls.readers.items() if file.endswith(end))(file, content)

    @classmethod
    @lru_cache(maxsize=1)  # completeness of a log is checked before, or after, it is read
    def parse(cls, file: str, content: bytes) -> tuple[Value, ...]:
        """The values in one log, with units and sides. `file` is the log's name: the part after the
        number of the run distinguishes a probe's logs. Raises LogError for a log that cannot be
        read, or has a value that cannot be true; UserError for a value that the probe does not
        declare."""
        last, found = 1, list[Value]()
        try:
            for value in cls.read(file, content):
                last, declared = value.line, cls.metrics.of(value.metric)
                if expected := declared.impossible(value.value):
                    raise LogError(file, last, f"{value.metric} {value.value}", expected)
                side = value.side or declared.side
                found.append(value._replace(side=side, unit=declared.unit))
        except _MALFORMED as error:
            # No parser can foresee all contents of a damaged log.
            wrong = f"{type(error).__name__}: {error}"
            raise LogError(file, last, wrong, f"a log of {cls.kind} (behind this line)") from None
        return tuple(found)

    def require_complete(self, file: str, content: bytes) -> None:
        """Check that the log comes from a whole run. Raises LogError if not."""
        self.parse(file, content)

    def carried(self, observations: list[Value]) -> Carried | None:
        """The traffic of one run that went through the tunnel, by the probe itself; None if the
        probe does not count it."""
        return None

    def ends(self) -> Ends | None:
        """The hosts between which the probe measures a rate; None if it measures none."""
        return None

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check the logs of one run against each other, and against the tunnel's protocol."""
        return []


def control_of(bench: Bench) -> TunnelControl:
    """Negotiates and deletes SAs, for a probe that `controls_tunnel`: the scenario has made sure
    that the cell has a tunnel of IPsec."""
    assert isinstance(bench.tunnel, TunnelControl)
    return bench.tunnel


def text_lines(file: str, content: bytes) -> list[str]:
    """The lines of a text log. Raises LogError if it is empty or its last line is cut off, and
    ValueError if it is not text."""
    *lines, rest = content.decode().replace("\r\n", "\n").split("\n")
    if rest or not lines:
        found = rest or "no bytes"
        raise LogError(file, len(lines) + 1, found, "a complete line (is the file cut?)")
    return lines


def match_line(
    form: re.Pattern[str], file: str, number: int, line: str, expected: str
) -> re.Match[str]:
    """The match of a whole line of a log. Raises LogError if the line has another form."""
    if match := form.fullmatch(line):
        return match
    raise LogError(file, number, line, expected)


def matched_lines(
    form: re.Pattern[str], file: str, content: bytes, expected: str
) -> Iterator[tuple[int, re.Match[str]]]:
    """Number and match of each line of a text log. Raises LogError if one has another form."""
    for number, line in enumerate(text_lines(file, content), 1):
        yield number, match_line(form, file, number, line, expected)


def sections(
    file: str, lines: list[str], head: re.Pattern[str], expected: str, begin: int = 0
) -> Iterator[tuple[re.Match[str], int, list[str]]]:
    """Each heading from line `begin` on (from 0), the number of the line below it, and the lines up
    to the next heading. Raises LogError if no heading is there."""
    heads = {at: match for at, match in enumerate(map(head.fullmatch, lines)) if match}
    if next(iter(heads), None) != begin:
        raise LogError(file, begin + 1, "".join(lines[begin : begin + 1]), expected)
    for at, end in pairwise([*heads, len(lines)]):
        yield heads[at], at + 2, lines[at + 1 : end]
