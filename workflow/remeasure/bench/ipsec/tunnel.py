"""Settings that a tunnel of any kind has: its ends, its path, and the networks behind it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Protocol

from pydantic import Field

from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import Families, Family
from remeasure.bench.base.topology import HostName, Topology

if TYPE_CHECKING:
    from remeasure.bench.base.checks import Check
    from remeasure.bench.ipsec.agreement import Carried
    from remeasure.bench.ipsec.pki import Credentials
    from remeasure.bench.testbed.remote import Remote
    from remeasure.bench.testbed.treatments.treatment import Prover
    from remeasure.bench.testbed.watching.readiness import Needs

UDP_HEADER = 8


@dataclass(frozen=True)
class Growth:
    """How packets grow in a tunnel: a part that is protected is padded, and all else is fixed."""

    fixed: int
    """length of every packet without the padded part, its header in front included [bytes]"""
    block: int
    """the padded part is a multiple of this [bytes]"""
    added: int
    """length of the padded part, before it is padded, over the packet; below zero in transport
    mode, which leaves the packet's own header in front [bytes]"""

    most: int | None = None
    """largest packet that the tunnel takes, and no padding goes beyond it; None: any [bytes]"""

    def on_wire(self, packet: int) -> int:
        """Size of the packet that carries one of `packet` bytes [bytes]."""
        padded = -(-(packet + self.added) // self.block) * self.block
        return self.fixed + (padded if self.most is None else min(padded, self.most))


class Outer(NamedTuple):
    """The packets between the gateways by which a tunnel of one kind is known on its link."""

    name: str
    """in messages"""
    protocols: tuple[int, ...] = ()
    """protocols of IP"""
    ports: tuple[int, ...] = ()
    """ports of UDP, of either end"""
    refused: bool = False
    """True if one end may send before the other listens, and is told so in the clear (ICMP)"""


class Tunnel(Strict):
    """A tunnel between two gateways. Each kind derives its own settings from these."""

    kind: ClassVar[str]
    """name of the kind in scenario files"""
    outer: ClassVar[Outer]
    """its packets on the link"""
    protection_fields: ClassVar[frozenset[str]] = frozenset()
    """names of the fields that decide how packets are protected"""
    cost_fields: ClassVar[frozenset[str]] = frozenset()
    """names of the fields that decide the processor's work per bit of payload"""
    set_up_fields: ClassVar[frozenset[str]] = frozenset()
    """names of the fields that decide only how the tunnel is set up"""

    initiator: HostName
    """host that begins to set the tunnel up"""
    responder: HostName
    """host that answers it"""
    link: str | Annotated[list[str], Field(min_length=1)]
    """link between the two gateways; a list: the links of the path between them, the initiator's
    first"""
    protects: dict[HostName, str] = {}
    """gateway -> link of the network behind it; empty: the tunnel protects the
    gateways' own packets"""
    filtered: bool = False
    """whether a filter (tc(8)) of each gateway drops packets from its protected network to its
    peer's that would leave by the link unprotected"""
    roams: bool = False
    """whether the initiator may get another address meanwhile"""

    @abstractmethod
    def growth(self, family: Family) -> Growth:
        """Growth of packets, if the gateways' addresses are of this family."""

    def why_not(self, families: Families) -> str:
        """The field that cannot be measured with addresses of these families, its value, and the
        expected one; empty if there is none."""
        return ""

    @property
    def debian_lacks(self) -> bool:
        """Whether Debian's kernel for guests of User Mode Linux lacks it; a compiled one has it."""
        return False

    @property
    def hosts(self) -> list[str]:
        """The hosts that set it up."""
        return self.gateways

    @property
    def gateways(self) -> list[str]:
        return [self.initiator, self.responder]

    def link_of(self, gateway: str) -> str:
        """The link by which packets of the tunnel leave a gateway."""
        path = [self.link] if isinstance(self.link, str) else self.link
        return path[0] if gateway == self.initiator else path[-1]

    def families(self, topology: Topology) -> Families:
        """The families of its packets on a topology."""
        outer = topology.family_on(self.link_of(self.initiator))
        inside = self.protects.get(self.initiator)
        return Families(topology.family_on(inside) if inside else outer, outer)

    def broken_path(self, topology: Topology) -> str:
        """Why the links do not lead from the initiator to the responder; empty if they do."""
        here = self.initiator
        for link in [self.link] if isinstance(self.link, str) else self.link:
            ends = topology.links.get(link, {})
            if here not in ends:
                known = ", ".join(topology.links_of(here))
                return f"found {link}, expected a link of {here}: {known}"
            (here,) = ends.keys() - {here}
        return "" if here == self.responder else f"ends at {here}, expected {self.responder}"

    def peer(self, gateway: str) -> str:
        return self.responder if gateway == self.initiator else self.initiator

    def gateway_before(self, host: str, topology: Topology) -> str:
        """The gateway through which packets of the tunnel reach a host; a gateway's own is itself.
        Raises UserError if neither protects it."""
        for gateway in self.gateways:
            if host == gateway or host in topology.links.get(self.protects.get(gateway, ""), {}):
                return gateway
        raise UserError(f"no gateway of the tunnel protects host {host}")

    def protected(self, topology: Topology, gateway: str) -> str:
        """The network that a gateway protects, or its own address, as in a policy."""
        if self.protects:
            return str(topology.links_of(gateway)[self.protects[gateway]].network)
        link = self.link_of(gateway)
        return f"{topology.address(gateway, link)}/{topology.family_on(link).prefix}"


class Control(Protocol):
    """Sets up the tunnel of a cell on any kind of gateways. Every method raises CommandFailed if a
    host refuses."""

    def configure(self) -> None:
        """Configure both gateways again; no earlier SA is left."""

    def bring_up(self) -> None:
        """Negotiate new SAs; traffic finds them when this returns."""


class LinuxControl(Control, ABC):
    """A tunnel of one kind on Linux hosts: its set-up, as a Control, its proofs, and its
    requirements of hosts. All other code asks this, and knows none of its tools."""

    settings: ClassVar[type[Tunnel]]
    """its fields in scenario files"""

    def __init__(
        self,
        tunnel: Tunnel,
        topology: Topology,
        remotes: Mapping[str, Remote],
        credentials: Credentials,
    ):
        self.tunnel, self.topology, self._credentials = tunnel, topology, credentials
        self._remotes = remotes
        self.gateways = {name: remotes[name] for name in tunnel.gateways}
        """name -> gateway, the initiator first"""
        self.initiator, self.responder = self.gateways.values()
        self._fresh = False
        """True if nothing was negotiated since `configure`"""

    @property
    def interfaces(self) -> dict[str, str]:
        """gateway -> its interface to the link by which packets of the tunnel leave it"""
        return {
            name: remote.host.interfaces[self.tunnel.link_of(name)]
            for name, remote in self.gateways.items()
        }

    @staticmethod
    @abstractmethod
    def make_secrets(tunnel: Any, credentials: Credentials) -> None:
        """Make, before anything is measured, all credentials that the tunnel asks for."""

    @staticmethod
    @abstractmethod
    def needs(tunnel: Any, topology: Topology) -> Needs:
        """Programs and modules of the kernel."""

    @abstractmethod
    def stop(self) -> None:
        """Remove everything that `configure` and `bring_up` made on hosts."""

    @abstractmethod
    def restart(self, gateway: str, lasts_s: float) -> None:
        """Stop the tunnel's service at a gateway, and start it `lasts_s` seconds later."""

    @abstractmethod
    def provers(self, carried: bool, may_leak: bool, cpus: int | None) -> Iterable[Prover]:
        """Provers, once the probes have run, that a trial had this tunnel, and that nothing left in
        the clear. `carried`: probes sent packets through it; `may_leak`: packets may have left in
        the clear; `cpus`: processors of each host, if the cell sets their number."""

    @abstractmethod
    def check_carried(
        self, where: str, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        """Compare traffic with the packets that the gateway before the receiver decrypted;
        `counts`: before and after it, kind of counters -> text (testbed.watching.counters)."""

    @property
    def own_state(self) -> str:
        """Regular expression of the lines that the tunnel adds to the state of a gateway
        (testbed.watching.unchanged); empty if it adds none."""
        return ""
