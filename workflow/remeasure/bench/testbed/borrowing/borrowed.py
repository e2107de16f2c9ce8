"""Borrowed machines: measure inside private namespaces, and restore every interface afterwards.

On each machine a network, mount and process namespace is made, and the interfaces of the testbed
are moved into it. Everything is done there: addresses, routes, queueing disciplines, IPsec
policies, daemons and files belong to the namespace, and end with it.

  machine's own namespaces:  sshd, interfaces that are not the testbed's, its IPsec, its files
  private namespaces:        site1, wan; charon, iperf3, ...; own /run, /tmp, /etc/swanctl

One root process holds the namespaces (remeasure.bench.testbed.borrowing.holder). When the measuring
process ends, is killed, or has been silent for a minute, the holder restores everything.

An interface that moves loses its addresses, routes, queueing disciplines, and interfaces above or
below it. We refuse an interface that a daemon manages: the daemon would configure it again while
the holder restores it. Nexthop objects (ip-nexthop(8)), routes with several paths, XDP programs,
chains of nftables and joined multicast groups of the interface are lost without notice.
"""

import json
import shlex
import threading

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.borrowing.holder import Holder
from remeasure.bench.testbed.inventory import Inventory, machine_of, root_of
from remeasure.bench.testbed.remote import CommandFailed, Remote, at_once

BEAT_S = 10
"""time between two signs of life for a holder [s]"""

_LOST = "{}: did not say that its interfaces are as they were; look at `ip addr` there"

_MANAGERS = {
    "NetworkManager": (
        "nmcli -g GENERAL.STATE device show {} 2>/dev/null || true",
        "10 ",
        "say `nmcli device set {} managed no`",
    ),
    "systemd-networkd": (
        "sed -n s/^ADMIN_STATE=//p /run/systemd/netif/links/$(cat /sys/class/net/{}/ifindex) "
        "2>/dev/null || true",
        "unmanaged",
        "say `Unmanaged=yes` in the section Link of its .network file",
    ),
}
"""daemon -> command that prints its use of an interface, the beginning of the answer for an
unmanaged interface, and advice for its owner"""


class Borrowed:
    """The machines of an inventory that play the roles of a topology, as a context manager."""

    def __init__(self, inventory: Inventory, topology: Topology):
        """Choose the machine for each role. Raises UserError if a role or an interface is
        missing."""
        self.topology = topology
        self._machines = {role: machine_of(inventory, topology, role) for role in topology.hosts}
        self._holders: dict[str, Holder] = {}
        self._outer: dict[str, Remote] = {}
        self._remotes: dict[str, Remote] = {}
        self._over = threading.Event()

    def look(self) -> dict[str, Remote]:
        """Connect to each machine as root, outside the private namespaces, without changing
        anything. Returns role -> connection. Raises HostUnreachable, or UserError if an interface
        must not be borrowed."""
        self._outer = {role: Remote(host, root_of(host)) for role, host in self._machines.items()}
        at_once(self._look_at, self._outer)
        return self._outer

    def __enter__(self) -> dict[str, Remote]:
        """Start a holder on each machine. Returns role -> connection to its namespaces. Raises
        UserError; then nothing is changed, or the error names the machines that could not be
        restored."""
        self._outer = self._outer or self.look()
        try:
            inner = at_once(self._hold, self._machines)
            threading.Thread(target=self._beat, daemon=True).start()
            self._remotes = {
                role: Remote(host, (*root_of(host), "nsenter", "-t", pid, "-n", "-m", "-p"))
                for (role, host), pid in zip(self._machines.items(), inner, strict=True)
            }
            at_once(self._try_link, self.topology.links)
            return self._remotes
        except BaseException as error:
            if lost := self._give_back():
                raise UserError(f"{error}; {_LOST.format(', '.join(lost))}") from error
            raise

    def __exit__(self, *_: object) -> None:
        """Raises UserError naming each machine that does not confirm its restoration."""
        if lost := self._give_back():
            raise UserError(_LOST.format(", ".join(lost)))

    def _give_back(self) -> list[str]:
        """End all holders. Returns the names of the machines that did not confirm that they are
        restored."""
        self._over.set()
        for remote in self._remotes.values():
            remote.close()
        done = dict(zip(self._holders, at_once(Holder.end, self._holders.values()), strict=True))
        self._holders.clear()
        for remote in self._outer.values():
            remote.close()
        self._outer, self._remotes = {}, {}
        return [self._machines[role].name for role, restored in done.items() if not restored]

    def _hold(self, role: str) -> str:
        """Start the holder of a role. Returns the PID of the first process of its namespaces."""
        holder = self._holders[role] = Holder(self._outer[role], self.topology, role)
        return holder.wait()

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            for holder in list(self._holders.values()):
                holder.beat()

    def _try_link(self, link: str) -> None:
        """Check by ping that a link joins the interfaces of the inventory. Raises UserError."""
        one, other = self.topology.links[link]
        address = self.topology.address(other, link)
        # A network card may take seconds to negotiate its speed.
        ping = f"ping -q -c 1 -W 1 {address} >/dev/null"
        try:
            self._remotes[one].run(["sh", "-c", f"{ping} ||" * 7 + ping])
        except CommandFailed:
            names = [
                f"{self._machines[role].name} ({self._machines[role].interfaces[link]})"
                for role in (one, other)
            ]
            raise UserError(
                f"link {link}: {' gets no answer from '.join(names)}; is it the cable "
                "that the inventory says?"
            ) from None

    def _look_at(self, role: str) -> None:
        """Check only for possible harm to the machine; require_ready checks for harm to a block."""
        host, remote = self._machines[role], self._outer[role]
        try:
            *more, uid = remote.run("id -u").split() or [""]
        except CommandFailed as error:
            raise UserError(
                f"host {host.name}: {host.user} does not become root: "
                f"{str(error).rpartition('id -u: ')[2]}; `sudo -n true` must succeed there, "
                "without a password and a terminal"
            ) from None
        if more and uid.isdigit():
            raise UserError(
                f"host {host.name}: found {' '.join(more)!r} printed at log-in, expected nothing; "
                "let its shells print only where there is a terminal"
            )
        if uid != "0":
            raise UserError(
                f"host {host.name}: {host.user} is not root; say `sudo: true` if it may become so"
            )
        carrying = _interfaces_of_ssh(remote)
        for link in self.topology.links_of(role):
            interface = host.interfaces[link]
            reason = (
                f"{interface} carries the SSH connection; it is not touched"
                if interface in carrying
                else why_not(remote, interface)
            )
            if reason:
                raise UserError(f"host {host.name}: interfaces.{link}: {reason}")


def _interfaces_of_ssh(remote: Remote) -> set[str]:
    """The interface by which the machine answers this one (or the jump host in between), and the
    interface that has the address of the SSH connection."""
    plain = Remote(remote.host)  # sudo takes the variable away
    try:
        said = plain.run("echo $SSH_CONNECTION").split()
        if len(said) != 4:
            raise UserError(
                f"host {remote.name}: found no SSH_CONNECTION, expected addresses and ports of the "
                "connection, by which its interface is known and left alone; use OpenSSH's server"
            )
        client, _, server, _ = said
        asked = plain.run_each([f"ip -j route get {shlex.quote(client)}", "ip -j addr"])
        route, links = map(json.loads, asked)
    finally:
        plain.close()
    return {route[0].get("dev", "")} | {
        link["ifname"]
        for link in links
        for address in link["addr_info"]
        if address.get("local") == server
    }


def why_not(remote: Remote, interface: str) -> str | None:
    """The reason why an interface must not be borrowed; None if it may be. Raises CommandFailed."""
    links = {link["ifname"]: link for link in json.loads(remote.run(["ip", "-d", "-j", "link"]))}
    if interface not in links:
        return f"no interface {interface}; while another job measures here, it is not to be seen"
    if master := links[interface].get("master"):
        return f"{interface} is part of {master}; take it out first"
    if kind := links[interface].get("linkinfo", {}).get("info_kind"):
        return f"{interface} is virtual ({kind}) and would vanish with the namespace it is moved to"
    if above := [name for name, link in links.items() if link.get("link") == interface]:
        return f"{', '.join(above)} is on top of {interface}; remove it first"
    name = shlex.quote(interface)
    asked = [f"ip route show dev {name}", f"tc -j qdisc show dev {name} || true"]
    routes, shaped = remote.run_each(asked)
    if "default" in routes:
        return f"{interface} has a default route, by which the machine may be reached"
    # Queueing disciplines that the kernel makes itself have no number.
    if kinds := [qdisc["kind"] for qdisc in json.loads(shaped or "[]") if qdisc["handle"] != "0:"]:
        return f"{interface} has a queueing discipline ({', '.join(kinds)}); remove it first"
    asked = [asked.format(name) for asked, _, _ in _MANAGERS.values()]
    said = remote.run_each(asked)
    for (manager, (_, free, advice)), state in zip(_MANAGERS.items(), said, strict=True):
        if state.strip() and not state.startswith(free):
            return f"{interface} is managed by {manager}; {advice.format(interface)} first"
    return None
