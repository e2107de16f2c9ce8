"""Operations of hosts of every kind for a block, and their driver for a trial."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from remeasure.bench.base.checks import Check
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.agreement import Carried
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.ipsec.tunnel import Control
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.record_clock import RecordClock
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import Wanted
from remeasure.bench.testbed.watching.load import Meter


@dataclass(frozen=True)
class Session:
    """Hosts that are ready, and the facts about them."""

    remotes: Mapping[str, Remote]
    """role -> connection"""
    facts: dict[str, Any]
    """facts stored in block.json: `guests` (back end, accelerator, processors, placement on the
    cores of the machine), `hosts` (role -> system, processor, versions of tools, ...), for a lab
    `image`, and `machine` if it is not this one"""
    clock: RecordClock = field(default_factory=RecordClock)
    """the clock of records"""


class Driver(Protocol):
    """Sets up hosts of one kind for one trial, asks them, and cleans up. Methods raise
    CommandFailed if a host refuses, HostUnreachable if one is lost."""

    @property
    def remotes(self) -> Mapping[str, Remote]:
        """role -> connection"""

    @property
    def tunnel(self) -> Control | None:
        """Settings of the cell's tunnel, from `set_up` on; None: without IPsec."""

    def set_up(self) -> Mapping[str, Probe]:
        """Give hosts the settings of the cell, its tunnel included. Returns the probes as these
        hosts run them, in their order. Raises UserError if the hosts cannot measure the cell."""

    def count(self) -> Sequence[str]:
        """Counters of each host until now (in the form of testbed.watching.counters), in the order
        of `remotes`; all hosts are read at the same time."""

    def check_carried(
        self, name: str, probe: Probe, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        """Compare a probe's traffic to a host (`name` in its scenario) with the counters of the SA
        or interface by which it must have arrived. `counts`: role -> counters, before and after
        it."""

    def prove(self, keep: Callable[[str, bytes], None]) -> Iterable[Check]:
        """Check, once the probes have run, whether hosts have the settings of the cell. Every
        answer of a host is handed to `keep` with a file name."""

    def facts_after(self) -> Mapping[str, dict[str, Any]]:
        """Facts about hosts that show only once the tunnel was up: role -> facts."""

    def clean_up(self) -> list[str]:
        """Restore hosts. Returns failures, one line each."""


class BlockHosts(Protocol):
    """The hosts of one block, as a context manager. `require` is called before the context is
    entered, everything else within it. At its end, guests have ended and machines are restored."""

    repeats: bool = False
    """whether hosts that are started again do the same to the bit"""

    def require(self, wanted: set[Wanted]) -> None:
        """Check that hosts can measure; nothing is changed. `wanted`: the cells' requirements of
        the processors of hosts. Raises UserError naming everything that is missing, or if no cell
        can be measured here."""

    def __enter__(self) -> Self:
        """Make hosts ready. Raises UserError; then nothing is changed, or the error names the
        machines that could not be restored."""
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Raises UserError naming machines that are not as they were."""

    def why_not(self, wanted: Wanted) -> str | None:
        """The reason why a cell with these requirements is not measured here; None if it can be."""

    def session(self, wanted: Wanted) -> Session:
        """Hosts with the `wanted` processors. Returns the same object for as long as these hosts
        are not restarted. Raises UserError."""

    def after_panic(self, folder: Path) -> str | None:
        """Called when a host is lost. If the kernel of a guest panicked: end all guests, so that
        the next `session` starts others, save the panic in its console in `folder`, and return it
        in short. Otherwise change nothing, and return None: a machine is started again by its
        owner only, and a guest in virtual time would panic again."""
        return None

    def credentials(self, folder: Path, seed: int) -> Credentials:
        """The credentials of a campaign with this seed; they may be kept in `folder`."""
        return Credentials(folder)

    def meter(self) -> Meter:
        """A meter that has begun to measure the load of the machines."""
        return Meter()

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> Driver:
        """The driver that sets up the hosts of a session for one trial."""
