"""What a trial needs of its hosts, whatever they run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from remeasure.bench.base.checks import Check
from remeasure.bench.ipsec.agreement import Carried
from remeasure.bench.ipsec.control import Control
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.remote import Remote


class Driver(Protocol):
    """Sets up hosts of one kind for one trial, asks them, and cleans up.

    Methods raise CommandFailed if a host refuses, HostUnreachable if one is lost.
    """

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
        """Counters of each host so far (in the form of testbed.watching.counters), in
        the order of `remotes`; all hosts are read at the same time."""

    def check_carried(
        self,
        name: str,
        probe: Probe,
        carried: Carried,
        before: Mapping[str, str],
        after: Mapping[str, str],
    ) -> list[Check]:
        """Compare what a probe (`name` in its scenario) says went to a host with the counters of
        the SA or interface by which it must have arrived. `before` and `after`: role ->
        counters."""

    def prove(self, keep: Callable[[str, bytes], None]) -> Iterable[Check]:
        """Check, once the probes have run, whether hosts have the settings of the cell. Every
        answer of a host is handed to `keep` with a file name."""

    def facts_after(self) -> Mapping[str, dict[str, Any]]:
        """Facts about hosts that show only once the tunnel was up: role -> facts."""

    def clean_up(self) -> list[str]:
        """Restore hosts. Returns what did not succeed, one line each."""
