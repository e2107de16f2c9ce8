"""Every script that a trial runs on Windows hosts, for the trial itself and for a dry run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.testbed.inventory import Host
from remeasure_windows import advfirewall, interfaces, netsecurity, work
from remeasure_windows.ends import Ends, Pairs, ends_of, require_ipv4
from remeasure_windows.powershell import script
from remeasure_windows.suites import Tool

TOOLS: dict[Tool, ModuleType] = {"netsecurity": netsecurity, "advfirewall": advfirewall}
"""tool that manages IPsec in an inventory -> its module, which has AVAILABLE, NAME, set_up(ends),
remove(pairs), state() and read_state(text)"""

# Gateways learn the MTU of a path, as Linux hosts do (testbed/treatments/receiving.py).
_FORGET = "$null = & netsh interface ipv4 delete destinationcache"
# ping.exe would also succeed if a gateway answers that it cannot reach the host.
_REACH = """\
$ping = New-Object Net.NetworkInformation.Ping
for ($n = 0; $n -lt 20; $n++) {{
    $reply = $ping.Send('{address}', 1000)
    if ($reply.Status -eq 'Success') {{ return }}
    Start-Sleep -Milliseconds 200
}}
throw ('no answer from {address} through the tunnel: ' + $reply.Status)"""
REACH_LIMIT_S = 60


@dataclass(frozen=True)
class Step:
    """One script on one host."""

    role: str
    text: str
    timeout: float = 60
    """time limit of the script [s]"""
    secret: bool = False
    """True if the script needs the pre-shared key"""


class ScriptedProbe(Protocol):
    """A probe that is run by scripts."""

    def preparation(self, hosts: Mapping[str, Host]) -> Step:
        """Starts the server of the probe."""

    def steps(self, hosts: Mapping[str, Host], topology: Topology) -> list[Step]:
        """One repeat."""


class Plan:
    """The scripts of one cell. Raises UserError for a cell that Windows hosts cannot measure."""

    def __init__(self, settings: Settings, topology: Topology, hosts: Mapping[str, Host]):
        """`hosts`: role -> host."""
        require_ipv4(topology)
        self.settings, self.topology, self.hosts = settings, topology, hosts
        for place, shaping in settings.shaping.items():
            if shaping.netem:
                raise UserError(f"shaping.{place}.netem: found {shaping.netem!r}; Windows has none")
        if settings.steering is not None:
            raise UserError("steering: expected none on Windows hosts")
        if settings.gro is not None:
            raise UserError("gro: expected none on Windows hosts")
        self.ends: dict[str, Ends] = {}
        if tunnel := settings.tunnel:
            self.ends = {name: ends_of(tunnel, topology, name) for name in tunnel.gateways}

    def begin(self) -> list[Step]:
        """Make the work folder with the tools in it, and make hosts forget the MTU of paths."""
        return [
            Step(role, f"{work.make(host.windows_settings)}{_FORGET}\n")
            for role, host in self.hosts.items()
        ]

    def clear(self) -> list[Step]:
        """Remove from every host the IPsec that an earlier step made."""
        return [
            Step(role, TOOLS[host.windows_settings.ipsec].remove(self._pairs(role)))
            for role, host in self.hosts.items()
        ]

    def set_up(self) -> list[Step]:
        """Make the rules of both gateways."""
        return [
            Step(
                gateway, TOOLS[self.hosts[gateway].windows_settings.ipsec].set_up(ends), secret=True
            )
            for gateway, ends in self.ends.items()
        ]

    def reach(self) -> Step:
        """Send packets through the tunnel until one is answered; the first make the gateways
        negotiate."""
        tunnel = self._tunnel
        source, target = self._behind(tunnel.initiator), self._behind(tunnel.responder)
        address = self.topology.address(target, tunnel.protects[tunnel.responder])
        return Step(
            source, script("bring the tunnel up", _REACH.format(address=address)), REACH_LIMIT_S
        )

    def count(self) -> list[Step]:
        """Read the counters of every host."""
        return [Step(role, interfaces.count(self._names(role))) for role in self.hosts]

    def links(self) -> list[Step]:
        """Print the network connections of every host."""
        return [Step(role, interfaces.look(self._names(role))) for role in self.hosts]

    def state(self) -> list[Step]:
        """Look at the IPsec of every host."""
        return [
            Step(role, TOOLS[host.windows_settings.ipsec].state())
            for role, host in self.hosts.items()
        ]

    def end(self) -> list[Step]:
        """Remove the work folder from every host."""
        return [Step(role, work.remove(host.windows_settings)) for role, host in self.hosts.items()]

    def all_steps(self, probes: Mapping[str, ScriptedProbe]) -> Iterator[tuple[str, Step]]:
        """(title, step) of a whole trial with these probes (of `flows.on_windows`), in order."""
        stages = {
            "before": [*self.begin(), *self.clear()],
            "tunnel": [*self.set_up(), self.reach()] if self.ends else [],
            "servers": prepared(probes, self.hosts),
            "counters, before and after each flow": self.count(),
            **{
                f"probe {name}": probe.steps(self.hosts, self.topology)
                for name, probe in probes.items()
            },
            "proof": [*self.state(), *self.links()],
            "clean up": [*self.clear(), *self.end(), *self.state()],
        }
        return ((title, step) for title, steps in stages.items() for step in steps)

    @property
    def _tunnel(self) -> Tunnel:
        if self.settings.tunnel is None:
            raise ValueError("the cell has no tunnel")
        return self.settings.tunnel

    def _behind(self, gateway: str) -> str:
        link = self._tunnel.protects[gateway]
        return next(host for host in self.topology.links[link] if host != gateway)

    def _names(self, role: str) -> list[str]:
        return [self.hosts[role].interfaces[link] for link in self.topology.links_of(role)]

    def _pairs(self, role: str) -> Pairs:
        pairs = []
        for link, own in self.topology.links_of(role).items():
            (other,) = (end for host, end in self.topology.links[link].items() if host != role)
            pairs.append((str(own.ip), str(other.ip)))
        return pairs


def prepared(probes: Mapping[str, ScriptedProbe], hosts: Mapping[str, Host]) -> list[Step]:
    """The steps that start the servers of all probes, each server once."""
    steps = [probe.preparation(hosts) for probe in probes.values()]
    return list(dict.fromkeys(steps))
