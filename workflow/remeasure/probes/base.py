"""What a probe is, and what it needs of whoever runs it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from pydantic import Field

from remeasure.checks import Check
from remeasure.config import Strict
from remeasure.errors import UserError
from remeasure.ipsec.agreement import Carried
from remeasure.ipsec.control import TunnelControl
from remeasure.ipsec.tunnel import Tunnel
from remeasure.testbed.remote import Remote
from remeasure.topology import Topology


class LogError(UserError):
    """A log that cannot be read: names the file, the line, what was found and expected."""

    def __init__(self, file: str, line: int, found: str, expected: str):
        super().__init__(f"{file}:{line}: found {found[:100]!r}, expected {expected}")


@dataclass(frozen=True)
class Observation:
    """One measured value."""

    metric: str
    value: float
    unit: str
    line: int
    """of the log it was read from, from 1; the packet's number in a capture"""
    index: int = 0
    """position within the repeat: sequence number of a ping, second of a throughput run"""


class Bench(Protocol):
    """What a probe may use."""

    topology: Topology
    seed: int
    """of the campaign"""
    remotes: Mapping[str, Remote]
    tunnel: TunnelControl | None

    def save(self, log: str, content: str | bytes) -> None:
        """Keep one log; `log` is its file name within the trial."""


class Probe(Strict):
    """Base of all probes. Fields are what a scenario file may set."""

    kind: ClassVar[str]
    """its name in a scenario file"""
    tools: ClassVar[dict[str, list[str]]] = {}
    """tool -> command that prints its version"""
    controls_tunnel: ClassVar[bool] = False
    """whether it negotiates and deletes SAs itself, rather than using the trial's tunnel"""
    prepared_by: ClassVar[tuple[str, ...]] = ()
    """fields that say what `prepare` starts; of probes that are alike in them, one does it for all
    """
    verifies: ClassVar[bool] = False
    """whether `verify` does something"""

    repeats: int = Field(1, ge=1)
    levels: dict[str, str] = {}
    """factor -> level, of a probe that a scenario's `each` made one of several"""

    def seconds(self) -> float:
        """Roughly how long one repeat takes, for the progress bar."""
        raise NotImplementedError

    def prepare(self, bench: Bench) -> None:
        """Start what the probe needs running (servers)."""

    def measure(self, bench: Bench, stem: str) -> None:
        """Take one repeat and save its logs under names that start with `stem`.

        Raises CommandFailed if the tool fails.
        """
        raise NotImplementedError

    def verify(self, bench: Bench, stem: str) -> None:
        """Look at what a repeat left, after its counters were read: what this costs is not the
        repeat's. Saves logs like `measure`."""

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """Read one log. Raises LogError."""
        raise NotImplementedError

    def carried(self, observations: list[Observation]) -> Carried | None:
        """What went through the tunnel by one repeat's own account, where it has one."""
        return None

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """Whether the logs of one repeat agree with each other, and with what the protocol of the
        tunnel must lead to."""
        return []

    def check(self, file: str, content: bytes) -> None:
        """Raises LogError if the log is not a complete one of these parameters."""
        for _ in self.parse(file, content):
            pass


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
