"""What hosts of every kind can do for a block."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.measure.driver import Driver
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
    """facts stored in block.json: `guests` (back end, accelerator, processors, placement on
    the cores of the machine), `hosts` (role ->
    system, processor, versions of tools, ...), for a lab `image`, and where it is not this
    machine's to tell, `machine`"""
    clock: RecordClock = field(default_factory=RecordClock)
    """the clock of records"""


class BlockHosts(Protocol):
    """The hosts of one block, as a context manager.

    `require` is called before the context is entered, everything else within it. When it is left,
    guests have ended and machines are restored.
    """

    repeats: bool
    """whether hosts that are started again do the same to the bit"""

    def require(self, wanted: set[Wanted]) -> None:
        """Check that hosts can measure; nothing is changed. `wanted`: what the cells ask of
        the processors of hosts.

        Raises UserError naming everything that is missing, or if no cell can be measured here.
        """

    def __enter__(self) -> "BlockHosts":
        """Make hosts ready. Raises UserError; then nothing is changed, or the error names the
        machines that could not be restored."""

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Raises UserError naming machines that are not as they were."""

    def why_not(self, wanted: Wanted) -> str | None:
        """The reason why a cell that asks for such processors is not measured here; None if it can
        be."""

    def session(self, wanted: Wanted) -> Session:
        """Hosts with the processors that are `wanted`. Returns the same object for as long as these
        hosts are not restarted. Raises UserError."""

    def after_panic(self, folder: Path) -> str | None:
        """What to do when a host is lost. Where the kernel of a guest panicked: end all guests, so
        that the next `session` starts others, save what its console says of it in `folder`, and
        return that in short. Else change nothing, and return None."""

    def credentials(self, folder: Path, seed: int) -> Credentials:
        """The credentials of a campaign with this seed; they may be kept in `folder`."""

    def meter(self) -> Meter:
        """A meter that has begun to measure how busy the machines are."""

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> Driver:
        """The driver that sets up the hosts of a session for one trial."""
