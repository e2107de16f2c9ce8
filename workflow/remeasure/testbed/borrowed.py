"""Machines that are somebody's, measured on without a trace.

On each machine we make a network, mount and process namespace of our own, move the interfaces of
the testbed into it, and do everything there: addresses, routes, queueing disciplines, IPsec
policies, daemons and files are the namespace's, and end with it.

    machine's own namespaces:  sshd, interfaces that are not the testbed's, its IPsec, its files
    ours:                      site1, wan; charon, iperf3, ...; own /run, /tmp, /etc/swanctl

One process of root holds the namespace. It lives as long as it hears from us by its SSH session:
when we end, are killed, or are not heard of for a minute, it takes the interfaces back, ends the
namespace, and gives them their addresses and routes again.
"""

import contextlib
import json
import shlex
import threading
from collections.abc import Mapping

import paramiko

from remeasure.errors import UserError
from remeasure.testbed.interfaces import restoring, why_not
from remeasure.testbed.inventory import Host, Inventory
from remeasure.testbed.namespace_setup import OWN_FILES, OWN_NETWORK, REAP
from remeasure.testbed.remote import CONNECT_LIMIT_S, CommandFailed, Remote, at_once
from remeasure.topology import Topology

READY_LIMIT_S = 20
RESTORE_LIMIT_S = 20
BEAT_S, SILENCE_S = 10, 60
"""how often we say that we are there, and after what silence interfaces are taken back"""

_LOST = "{}: did not say that its interfaces are as they were; look at `ip addr` there"
_INNER = f"sh -e -c {shlex.quote(OWN_FILES)} && touch /run/ready && {REAP}"
# A hang-up must not keep the rest from being done. The interfaces are taken out before the
# namespace is ended: a socket with something left to send could keep it, and them, for minutes.
_HOLDER = """\
trap '' HUP INT TERM PIPE
unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private \\
  sh -c {inner} </dev/null >/dev/null & outer=$!
failed="" moved=""
n=0; until inner=$(pgrep -P $outer) && nsenter -t $inner -m -p test -e /run/ready 2>/dev/null; do
  n=$((n+1)); [ $n -le 200 ] && kill -0 $outer 2>/dev/null || {{
    failed="it has no namespaces for us"; break
  }}; sleep 0.05
done
[ -n "$failed" ] || for i in {interfaces}; do
  ip link set "$i" netns $inner || {{ failed="$i cannot be moved"; break; }}
  moved="$moved $i "
done
[ -n "$failed" ] || nsenter -t $inner -n sh -e -c {network} || failed="no network in the namespace"
if [ -n "$failed" ]; then echo "$failed" >&2; else
  echo "ready $inner"
  while [ "$(timeout {silence} head -c 1 | wc -c)" = 1 ]; do :; done
fi
for i in $moved; do nsenter -t $inner -n ip link set "$i" netns $$; done
kill -9 $inner $outer 2>/dev/null; wait $outer 2>/dev/null
for i in $moved; do
  n=0; until [ -e "/sys/class/net/$i" ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done
done
bad=""
{restore}
[ -n "$bad" ] || echo restored
"""


class Borrowed:
    """The machines of an inventory that play the roles of a topology. A context manager."""

    def __init__(self, inventory: Inventory, topology: Topology):
        """Raises UserError if a role or an interface is missing."""
        self.topology = topology
        self._machines = {role: machine_of(inventory, topology, role) for role in topology.hosts}
        self._sessions: dict[str, paramiko.Channel] = {}
        self._outer: dict[str, Remote] = {}
        self._remotes: dict[str, Remote] = {}
        self._over = threading.Event()

    def look(self) -> dict[str, Remote]:
        """role -> connection to its machine, as root, outside of any namespace: to look, and to
        change nothing.

        Raises HostUnreachable, or UserError if an interface is not to be touched.
        """
        self._outer = {role: Remote(host, root_of(host)) for role, host in self._machines.items()}
        at_once(self._look_at, self._outer.items())
        return self._outer

    def __enter__(self) -> dict[str, Remote]:
        """role -> connection to its namespace. Raises UserError; then nothing is changed, or the
        error names the machine."""
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

    def __exit__(self, *_) -> None:
        """Raises UserError naming a machine that does not say that it is as it was."""
        if lost := self._give_back():
            raise UserError(_LOST.format(", ".join(lost)))

    def _give_back(self) -> list[str]:
        """The machines that did not say that they are as they were."""
        self._over.set()
        for remote in self._remotes.values():
            remote.close()
        done = dict(zip(self._sessions, at_once(_end, self._sessions.values()), strict=True))
        self._sessions.clear()
        for remote in self._outer.values():
            remote.close()
        self._outer, self._remotes = {}, {}
        return [self._machines[role].name for role, restored in done.items() if not restored]

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            for session in list(self._sessions.values()):
                # Whoever is lost is noticed by what is asked of it.
                with contextlib.suppress(OSError):
                    session.sendall(b"\n")

    def _try_link(self, link: str) -> None:
        """Whether a link joins the interfaces that the inventory says it joins."""
        one, other = self.topology.links[link]
        address = self.topology.address(other, link)
        # A card may take seconds until it has agreed on a speed.
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

    def _look_at(self, item: tuple[str, Remote]) -> None:
        # The rest is require_ready's to say: what is missing spoils a block, this a machine.
        role, remote = item
        host = self._machines[role]
        if remote.run("id -u", check=False).strip() != "0":
            raise UserError(
                f"host {host.name}: {host.user} is not root"
                + (
                    ", and sudo asks for a password or is not there"
                    if host.sudo
                    else "; say `sudo: true` if it may become so"
                )
            )
        carrying = interfaces_of_ssh(remote)
        for link, interface in host.interfaces.items():
            if link not in self.topology.links_of(role):
                continue
            if interface in carrying:
                raise UserError(
                    f"host {host.name}: interfaces.{link}: {interface} carries the SSH "
                    "connection; it is not touched"
                )
            if reason := why_not(remote, interface):
                raise UserError(f"host {host.name}: interfaces.{link}: {reason}")

    def _hold(self, role: str) -> str:
        """Make the namespace of a role; PID of its first process, as its machine sees it."""
        host, remote = self._machines[role], self._outer[role]
        interfaces = {link: host.interfaces[link] for link in self.topology.links_of(role)}
        script = _HOLDER.format(
            inner=shlex.quote(_INNER),
            interfaces=" ".join(map(shlex.quote, interfaces.values())),
            network=shlex.quote(network_script(self.topology, role, interfaces)),
            silence=SILENCE_S,
            restore="\n".join(
                _if_moved(name, restoring(remote, name)) for name in interfaces.values()
            ),
        )
        channel = remote.connect().transport.open_session(timeout=CONNECT_LIMIT_S)
        channel.settimeout(READY_LIMIT_S)
        channel.exec_command(shlex.join([*root_of(host), "sh", "-c", script]))
        self._sessions[role] = channel
        try:
            output = channel.makefile("r")
            # The files that a login shell reads may have something to say as well.
            while (line := output.readline()) and line.split()[:1] not in (["ready"], ["restored"]):
                pass
            said = line.split()
            if said[:1] == ["ready"]:
                return said[1]
            why = " / ".join(channel.makefile_stderr("r").read().split("\n")).strip(" /")
        except TimeoutError:
            raise UserError(
                f"host {host.name}: its namespace is not there after {READY_LIMIT_S} s"
            ) from None
        self._sessions.pop(role).close()
        raise UserError(
            f"host {host.name}: {why}; it is "
            + ("as it was" if said == ["restored"] else "not as it was, look at `ip addr` there")
        )


def network_script(topology: Topology, role: str, interfaces: Mapping[str, str]) -> str:
    """What gives a namespace the addresses and routes of a host of the topology."""
    lines = [OWN_NETWORK]
    for link, address in topology.links_of(role).items():
        lines += [
            f"ip addr flush dev {interfaces[link]}",
            f"ip addr add {address} dev {interfaces[link]}",
            f"ip link set {interfaces[link]} up",
        ]
    lines += [
        f"ip route add {destination} via {gateway}"
        for destination, gateway in topology.routes.get(role, {}).items()
    ]
    return "\n".join(lines)


def machine_of(inventory: Inventory, topology: Topology, role: str) -> Host:
    """The host that plays a role. Raises UserError naming what its inventory lacks."""
    host = inventory.host(role)
    for link in topology.links_of(role):
        if link not in host.interfaces:
            raise UserError(
                f"testbed {inventory.name}: host {host.name}: interfaces.{link}: "
                f"missing; role {role} of topology {topology.name} is on that link"
            )
    if sum(other in host.roles for other in topology.hosts) > 1:
        raise UserError(
            f"testbed {inventory.name}: host {host.name}: has several roles of "
            f"topology {topology.name}; each needs a machine of its own"
        )
    return host


def root_of(host: Host) -> list[str]:
    """What makes a command root's."""
    return ["sudo", "-n"] if host.sudo else []


def interfaces_of_ssh(remote: Remote) -> set[str]:
    """By which interface the machine answers us, or the jump host before it; and which has the
    address that we came to."""
    plain = Remote(remote.host)  # sudo takes the variable away
    try:
        client, _, server, _ = plain.run("echo $SSH_CONNECTION").split()
        route = json.loads(plain.run(["ip", "-j", "route", "get", client]))
        links = json.loads(plain.run(["ip", "-j", "addr"]))
    finally:
        plain.close()
    return {route[0].get("dev", "")} | {
        link["ifname"]
        for link in links
        for address in link["addr_info"]
        if address.get("local") == server
    }


def _if_moved(interface: str, lines: list[str]) -> str:
    """Lines of the holder, each of which must succeed, for an interface that was away."""
    commands = "\n".join(f"{{ {line}; }} || bad=1" for line in lines or [":"])
    return f'case "$moved" in *" {interface} "*)\n{commands}\n;; esac'


def _end(session: paramiko.Channel) -> bool:
    """Whether the machine said that it is as it was."""
    try:
        session.settimeout(RESTORE_LIMIT_S)
        session.shutdown_write()
        return b"restored" in session.makefile("rb").read()
    except (OSError, EOFError, paramiko.SSHException):
        return False
    finally:
        session.close()
