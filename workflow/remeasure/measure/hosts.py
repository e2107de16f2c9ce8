"""The hosts of a block, whichever kind they are."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Protocol

from remeasure.campaign.task import Task
from remeasure.ipsec.pki import Credentials
from remeasure.lab.testbeds import LabTestbed, Testbed
from remeasure.lab.virtual.testbed import VirtualTestbed
from remeasure.measure.driver import Driver
from remeasure.measure.guests import Guests
from remeasure.measure.machines import Machines
from remeasure.measure.virtual import VirtualHosts
from remeasure.testbed.load import Meter
from remeasure.testbed.readiness import Needs
from remeasure.testbed.remote import Remote
from remeasure.testbed.session import Session
from remeasure.topology import Topology
from remeasure.windows.hosts import WindowsMachines


class BlockHosts(Protocol):
    """The hosts of one block, as a context manager.

    `require` is called before the context is entered, everything else within it. When it is left,
    guests have ended and machines are restored.
    """

    repeats: bool
    """whether hosts that are started again do the same to the bit"""

    def require(self, wanted: set[int | None]) -> None:
        """Check that hosts can measure; nothing is changed. `wanted`: the numbers of processors per
        host that the cells ask for (None: a cell does not say).

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

    def why_not(self, cpus: int | None) -> str | None:
        """The reason why a cell that asks for `cpus` processors per host is not measured here; None
        if it can be."""

    def session(self, cpus: int | None) -> Session:
        """Hosts with `cpus` processors each. Returns the same object for as long as these hosts are
        not restarted. Raises UserError."""

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


def make_hosts(testbed: Testbed, topology: Topology, needs: Needs) -> BlockHosts:
    """The hosts of a testbed that play the roles of a topology. Raises UserError if a role or an
    interface is missing."""
    if isinstance(testbed, LabTestbed):
        return Guests(testbed, topology, needs)
    if isinstance(testbed, VirtualTestbed):
        return VirtualHosts(testbed, topology, needs)
    if testbed.os == "windows":
        return WindowsMachines(testbed, topology)
    return Machines(testbed, topology, needs)
