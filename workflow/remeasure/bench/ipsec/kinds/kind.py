"""A kind of tunnel: set-up, proofs, counters, and requirements of hosts. All other code asks the
kind, and knows none of its tools."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from remeasure.bench.base.checks import Check
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.agreement import Carried
from remeasure.bench.ipsec.tunnel import LinuxControl, Tunnel
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.watching.readiness import Needs

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials


@dataclass(frozen=True)
class Used:
    """The tunnel of a trial, after its probes."""

    topology: Topology
    interfaces: Mapping[str, str]
    """gateway -> its interface to the link of the tunnel"""
    carried: bool = True
    """whether probes sent packets through it"""
    may_leak: bool = False
    """whether packets may have left in the clear"""
    cpus: int | None = None
    """processors of each host, if the cell sets their number"""


T = TypeVar("T", bound=Tunnel)


class TunnelKind(ABC, Generic[T]):
    """A kind of tunnel on Linux hosts."""

    settings: type[T]
    """its fields in scenario files"""
    control: Callable[[T, Topology, Mapping[str, Remote], Credentials], LinuxControl]
    """class of the object that sets a tunnel up, on hosts by role"""

    @abstractmethod
    def make_secrets(self, tunnel: T, credentials: Credentials) -> None:
        """Make, before anything is measured, all credentials that the tunnel asks for."""

    @abstractmethod
    def provers(self, tunnel: T, used: Used) -> Iterable[Prover]:
        """Provers that a trial had this tunnel, and that nothing left in the clear."""

    @abstractmethod
    def check_carried(
        self,
        tunnel: T,
        where: str,
        carried: Carried,
        before: Mapping[str, str],
        after: Mapping[str, str],
    ) -> list[Check]:
        """Compare traffic with the packets that the gateway before the receiver decrypted;
        `before` and `after`: kind of counters -> text (testbed.watching.counters)."""

    @abstractmethod
    def needs(self, tunnel: T, topology: Topology) -> Needs:
        """Programs and modules of the kernel."""

    def own_state(self, tunnel: T) -> str:
        """Regular expression of the lines that the tunnel adds to the state of a gateway
        (testbed.watching.unchanged); empty if it adds none."""
        return ""
