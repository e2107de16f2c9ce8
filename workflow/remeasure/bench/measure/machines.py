"""The Linux machines of an inventory, borrowed for a block."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.measure.block_hosts import Session
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.testbed.borrowing.borrowed import Borrowed
from remeasure.bench.testbed.host_kind import NATURES
from remeasure.bench.testbed.inventory import Inventory
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.treatments.instructions import Wanted, first_reason
from remeasure.bench.testbed.watching.facts import facts_of
from remeasure.bench.testbed.watching.load import RemoteMeter
from remeasure.bench.testbed.watching.processor_time import (
    ASK_PROCESSORS,
    Processors,
    read_processors,
)
from remeasure.bench.testbed.watching.readiness import Needs, require_ready
from remeasure.bench.testbed.watching.unchanged import remember


class Machines:
    """Borrowed machines, as a remeasure.bench.measure.block_hosts.BlockHosts."""

    repeats = False

    def __init__(self, testbed: Inventory, topology: Topology, needs: Needs):
        """Choose the machine for each role. Raises UserError if a role or an interface is
        missing."""
        self._borrowed, self._needs = Borrowed(testbed, topology), needs
        self._remotes: Mapping[str, Remote] = {}
        self._cpus: dict[str, int] = {}

    def require(self, wanted: set[Wanted]) -> None:
        remotes = self._borrowed.look()
        require_ready(remotes, self._needs)
        self._cpus = {remote.name: int(remote.run("nproc")) for remote in remotes.values()}
        if all(map(self.why_not, wanted)):
            raise UserError(f"no cell can be measured here: {first_reason(self.why_not, wanted)}")

    def why_not(self, wanted: Wanted) -> str | None:
        if wanted.instructions is not None:
            return "which instructions a kernel uses is decided when it boots; use a lab"
        cpus = wanted.cpus
        other = {name: has for name, has in self._cpus.items() if cpus not in (None, has)}
        if not other:
            return None
        found = ", ".join(f"{name} has {has}" for name, has in other.items())
        return f"the scenario asks for {cpus} processors per host; {found}"

    def after_panic(self, folder: Path) -> None:
        """Nobody but its owner may start a machine again."""

    def credentials(self, folder: Path, seed: int) -> Credentials:
        return Credentials(folder)

    def meter(self) -> RemoteMeter:
        return RemoteMeter(lambda: at_once(_processors, self._remotes.values()))

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> LinuxDriver:
        return LinuxDriver(task, remotes)

    def __enter__(self) -> "Machines":
        self._remotes = self._borrowed.__enter__()
        return self

    def session(self, wanted: Wanted) -> Session:
        return self._session

    @cached_property
    def _session(self) -> Session:
        hosts = facts_of(self._remotes, self._needs.tools)
        guests = {"backend": "ssh", "accelerator": "none", **NATURES["machines"]}
        remember(self._remotes.values())
        return Session(self._remotes, {"guests": guests, "hosts": hosts})

    def __exit__(self, error_type: object, error: BaseException | None, _: object) -> None:
        """Raises UserError naming machines that are not as they were, and `error` with them."""
        try:
            self._borrowed.__exit__()
        except UserError as lost:
            raise lost if error is None else UserError(f"{error}; {lost}") from error


def _processors(remote: Remote) -> Processors:
    return read_processors(remote.run(ASK_PROCESSORS))
