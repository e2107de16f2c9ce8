"""What a probe is, and what it needs from the trial that runs it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Protocol

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from remeasure.checks import Check
from remeasure.config import Strict
from remeasure.errors import UserError
from remeasure.ipsec.agreement import Carried
from remeasure.ipsec.control import Control, TunnelControl
from remeasure.ipsec.tunnel import Tunnel
from remeasure.probes.metrics import Metrics, Observation, Value
from remeasure.testbed.remote import Remote
from remeasure.testbed.tools import Tool
from remeasure.topology import Topology


class LogError(UserError):
    """A log that cannot be read: names the file, the line, what was found and expected."""

    def __init__(self, file: str, line: int, found: str, expected: str):
        super().__init__(f"{file}:{line}: found {found[:100]!r}, expected {expected}")


class Bench(Protocol):
    """What a probe may use."""

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


class Probe(Strict):
    """Base of all probes. Fields are what a scenario file may set.

    A field that names a host of the topology is a `HostName`, so that a wrong name is refused when
    the scenario is loaded.
    """

    kind: ClassVar[str]
    """its name in a scenario file"""
    metrics: ClassVar[Metrics]
    """every metric that its logs can give"""
    tools: ClassVar[dict[str, Tool]] = {}
    """name -> program that the hosts need"""
    controls_tunnel: ClassVar[bool] = False
    """whether it negotiates and deletes SAs itself, rather than using the trial's tunnel"""
    prepared_by: ClassVar[tuple[str, ...]] = ()
    """fields that say what `prepare` starts: of probes with equal values in them, one prepares for
    all"""
    verifies: ClassVar[bool] = False
    """whether `verify` does something"""

    repeats: int = Field(1, ge=1)
    """how often the probe is measured in each trial"""
    levels: SkipJsonSchema[dict[str, str]] = {}
    """factor -> level; set on the probes that `each` in a scenario file makes"""

    def seconds(self) -> float:
        """Roughly how long one repeat takes, for the progress bar [s]."""
        raise NotImplementedError

    def prepare(self, bench: Bench) -> None:
        """Start what the probe needs running (servers)."""

    def measure(self, bench: Bench, stem: str) -> None:
        """Take one repeat and save its logs under names that start with `stem`.

        Raises CommandFailed if the tool fails.
        """
        raise NotImplementedError

    def verify(self, bench: Bench, stem: str) -> None:
        """Examine what a repeat left behind, and save logs like `measure`. This runs after the
        counters were read, so its cost is not charged to the repeat."""

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """The values in one log, as `parse` wants them. Raises LogError."""
        raise NotImplementedError

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterator[Observation]:
        """The observations in one log, with the units that the probe declares.

        `file` is the log's name: what follows the repeat's number says which of a probe's logs it
        is. Raises LogError for a log that cannot be read, UndeclaredMetric for a value that the
        probe does not declare.
        """
        for metric, value, line, index, side in cls.read(file, content):
            declared = cls.metrics.of(metric)
            yield Observation(metric, value, declared.unit, line, index, side or declared.side)

    def require_complete(self, file: str, content: bytes) -> None:
        """Raises LogError unless the log is that of a whole run with these parameters."""
        for _ in self.parse(file, content):
            pass

    def carried(self, observations: list[Observation]) -> Carried | None:
        """What went through the tunnel in one repeat according to the probe itself; None if it
        does not tell."""
        return None

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """Whether the logs of one repeat agree with each other, and with what the protocol of the
        tunnel must lead to."""
        return []


def control_of(bench: Bench) -> TunnelControl:
    """What negotiates and deletes SAs, for a probe that `controls_tunnel`. Raises UserError if the
    cell has no tunnel, or one that strongSwan does not make."""
    if not isinstance(bench.tunnel, TunnelControl):
        raise UserError("the probe negotiates SAs itself; expected a tunnel between Linux hosts")
    return bench.tunnel


def require_tunnel(tunnel: Tunnel | None) -> Tunnel:
    """The tunnel of a cell, for a probe that `controls_tunnel`. Raises UserError if it has none."""
    if tunnel is None:
        raise UserError("the probe needs a tunnel, and the cell has none")
    return tunnel


def text_lines(file: str, content: bytes) -> list[str]:
    """The lines of a text log. Raises LogError if it is empty, not text, or ends within a line."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LogError(file, line, repr(content[error.start : error.end]), "UTF-8 text") from None
    if not text.endswith("\n"):
        lines = text.splitlines() or [""]
        raise LogError(file, len(lines), lines[-1], "a complete line (is the file cut?)")
    return text.splitlines()
