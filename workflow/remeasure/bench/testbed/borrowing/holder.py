"""The process on a borrowed machine that holds its private namespaces. It notes the state of the
testbed's interfaces, makes the namespaces and moves the interfaces into them. When its SSH session
has ended or been silent for SILENCE_S, it takes the interfaces back, ends the namespaces, restores
the state, and compares."""

import contextlib
import shlex

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.borrowing.namespace_setup import (
    OWN_FILES,
    OWN_NETWORK,
    REAP,
    link_lines,
)
from remeasure.bench.testbed.inventory import Host, root_of
from remeasure.bench.testbed.login import CONNECT_LIMIT_S
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import program, wait_until
from remeasure.bench.testbed.watching.unchanged import STATE

READY_LIMIT_S = 20
RESTORE_LIMIT_S = 40
SILENCE_S = 60

_INNER = f"sh -e -c {shlex.quote(OWN_FILES)} && touch /run/ready && {REAP}"


class Holder:
    """The holder on one machine. Its SSH session is open from the start of the holder until
    `end`."""

    def __init__(self, remote: Remote, topology: Topology, role: str):
        """Start the holder for a role of a topology. `remote` is root of the machine, outside the
        private namespaces."""
        self._host: Host = remote.host
        self._ended = False
        links = topology.links_of(role)
        interfaces = {link: remote.host.interfaces[link] for link in links}
        flushed = [f"ip addr flush dev {name}" for name in interfaces.values()]
        network = [OWN_NETWORK, *flushed, *link_lines(topology, role, interfaces)]
        script = _script(list(interfaces.values()), "\n".join(network))
        self._session = remote.connect().transport.open_session(timeout=CONNECT_LIMIT_S)
        self._session.settimeout(READY_LIMIT_S)
        self._session.exec_command(shlex.join([*root_of(remote.host), "sh", "-c", script]))

    def wait(self) -> str:
        """Wait until the namespaces are ready. Returns the PID of their first process on the
        machine. Raises UserError."""
        name = self._host.name
        try:
            output = self._session.makefile("r")
            # The files that a login shell reads may print lines too.
            while (line := output.readline()) and line.split()[:1] not in (["ready"], ["restored"]):
                pass
            said = line.split()
            if said[:1] == ["ready"]:
                return str(said[1])
            why = " / ".join(self._session.makefile_stderr("r").read().split("\n")).strip(" /")
        except TimeoutError:
            raise UserError(
                f"host {name}: its namespace is not there after {READY_LIMIT_S} s"
            ) from None
        self._session.close()
        self._ended = True
        state = "as it was" if said == ["restored"] else "not as it was, look at `ip addr` there"
        raise UserError(f"host {name}: {why}; it is {state}")

    def beat(self) -> None:
        """Give the holder a sign of life. A lost session raises nothing here: the next command to
        the machine will notice it."""
        with contextlib.suppress(OSError):
            self._session.sendall(b"\n")

    def end(self) -> bool:
        """End the holder. Returns True if the machine confirmed, now or in the error of `wait`,
        that it is restored."""
        import paramiko  # takes long; see remeasure.bench.testbed.remote

        if self._ended:
            return True
        try:
            self._session.settimeout(RESTORE_LIMIT_S)
            self._session.shutdown_write()
            return b"restored" in self._session.makefile("rb").read()
        except (OSError, EOFError, paramiko.SSHException):
            return False
        finally:
            self._session.close()
            self._ended = True


def _script(interfaces: list[str], network: str) -> str:
    names = " ".join(map(shlex.quote, interfaces))
    patterns = " ".join(f"-e {shlex.quote(name)}" for name in interfaces)
    return program(
        "hold.sh",
        state=STATE,
        saved=program("saved.sh"),
        names=names,
        patterns=patterns,
        inner=shlex.quote(_INNER),
        wait_ready=wait_until("ready || ! kill -0 $outer 2>/dev/null", "break", steps=200),
        network=shlex.quote(network),
        silence=SILENCE_S,
        wait_moved=wait_until('[ -e "/sys/class/net/$i" ]', "break", steps=200),
        wait_restored=wait_until('[ "$(had)" = "$before" ]', "break", steps=100),
    )
