"""Every script that a trial runs on Windows hosts, for the trial itself and for a dry run.

The work folder has all files that a trial makes on a host, and the programs that the trial runs.
Programs are copied into the folder and started from there. A process of the trial is therefore
recognised by its path, and no other process is ended. A file marks the folder; a folder without
that mark is not touched.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.testbed.inventory import Host, WindowsSettings
from remeasure_windows import advfirewall, interfaces, netsecurity
from remeasure_windows.powershell import quote, read, script
from remeasure_windows.suites import GatewayEnds, Pairs, WindowsTool, ends_of, require_ipv4

MARK = "made-by-remeasure.txt"


def path(folder: str, name: str) -> str:
    return folder.rstrip("\\") + "\\" + name


TOOLS: dict[WindowsTool, ModuleType] = {"netsecurity": netsecurity, "advfirewall": advfirewall}
"""tool that manages IPsec in an inventory -> its module, which has AVAILABLE, NAME, set_up(ends),
remove(pairs), state() and read_state(text)"""


class Step(NamedTuple):
    """One script on one host."""

    role: str
    text: str
    timeout: float = 60
    """time limit of the script [s]"""
    secret: bool = False
    """True if the script needs the pre-shared key"""


def _of_work(role: str, host: WindowsSettings, title: str, *parts: str) -> Step:
    folder, mark = quote(path(host.work, "")), quote(path(host.work, MARK))
    words = {"folder": folder, "mark": mark, "tools": quote(path(host.tools, "*"))}
    ours = read("ours", folder=folder)
    return Step(role, script(title, *(read(part, ours=ours, **words) for part in parts)))


class Plan:
    """The scripts of one cell. Raises UserError for a cell that Windows hosts cannot measure."""

    def __init__(self, settings: Settings, topology: Topology, hosts: Mapping[str, Host]):
        require_ipv4(topology)
        self.settings, self.topology, self.hosts = settings, topology, hosts
        self._own = {role: host.windows_settings for role, host in hosts.items()}
        for place, shaping in settings.shaping.items():
            if shaping.netem:
                raise UserError(f"shaping.{place}.netem: found {shaping.netem!r}; Windows has none")
        for field in ("steering", "gro"):
            if getattr(settings, field) is not None:
                raise UserError(f"{field}: expected none on Windows hosts")
        tunnel = settings.tunnel
        if tunnel is not None and not isinstance(tunnel, IpsecTunnel):
            raise UserError(f"tunnel.kind: found {tunnel.kind}, expected ipsec on Windows hosts")
        self.ends: dict[str, GatewayEnds] = {}
        if tunnel:
            self.ends = {name: ends_of(tunnel, topology, name) for name in tunnel.gateways}

    def begin(self) -> list[Step]:
        """End programs in the work folder of an earlier run, and make the folder again, with a copy
        of the tools."""
        parts = "make the work folder", "remove", "make"
        return [_of_work(role, own, *parts) for role, own in self._own.items()]

    def clear(self) -> list[Step]:
        """Remove from every host the IPsec that an earlier step made."""
        return [Step(role, self.tool(role).remove(self._pairs(role))) for role in self.hosts]

    def set_up(self) -> list[Step]:
        """Make the rules of both gateways."""
        return [Step(gw, self.tool(gw).set_up(ends), secret=True) for gw, ends in self.ends.items()]

    def reach(self) -> Step:
        """Send packets through the tunnel until one is answered; the first make the gateways
        negotiate."""
        tunnel = next(iter(self.ends.values())).tunnel
        source, target = (
            next(host for host in self.topology.links[tunnel.protects[gateway]] if host != gateway)
            for gateway in self.ends
        )
        address = self.topology.address(target, tunnel.protects[tunnel.responder])
        return Step(source, script("bring the tunnel up", read("reach", address=address)))

    def count(self) -> list[Step]:
        """Read the counters of every host."""
        return [Step(role, interfaces.count(self._names(role))) for role in self.hosts]

    def links(self) -> list[Step]:
        """Print the network connections of every host."""
        return [Step(role, interfaces.look(self._names(role))) for role in self.hosts]

    def state(self) -> list[Step]:
        """Look at the IPsec of every host."""
        return [Step(role, self.tool(role).state()) for role in self.hosts]

    def end(self) -> list[Step]:
        """End the programs that run from the work folder of each host, and remove it."""
        parts = "remove the work folder", "remove"
        return [_of_work(role, own, *parts) for role, own in self._own.items()]

    def tool(self, role: str) -> ModuleType:
        return TOOLS[self._own[role].ipsec]

    def _names(self, role: str) -> list[str]:
        return [self.hosts[role].interfaces[link] for link in self.topology.links_of(role)]

    def _pairs(self, role: str) -> Pairs:
        pairs = []
        for link, own in self.topology.links_of(role).items():
            (other,) = (end for host, end in self.topology.links[link].items() if host != role)
            pairs.append((str(own.ip), str(other.ip)))
        return pairs
