"""The namespaces of a lab, and its requirements on this machine.

A command runs again as process 1 of a new PID namespace, with a network and a mount namespace of
its own. When the command exits or is killed, the kernel kills every guest and removes every
interface. Nothing outside can be reached from inside: there is no other interface. The original
process becomes the supervisor of the command (lab/supervise.py), which passes signals on.
"""

import os
import resource
import select
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.interruption import hold_back, raise_when_interrupted
from remeasure.bench.base.paths import CACHE
from remeasure.bench.testbed.tools import environment

_PARENT = "REMEASURE_PARENT_PIDFD"
_SPACES = ["--net", "--mount", "--pid"]
RUN = CACHE / "run"
"""folder for running files: empty outside a lab; inside, a tmpfs that ends with the namespace"""


def enter(*, tun: bool = True, several_users: bool = False) -> None:
    """Run this command again inside new namespaces; returns only there. From then on a signal that
    asks this process to end raises Interrupted. Raises UserError if the machine does not allow
    that, or, with `tun`, if no taps can be made. `several_users`: this process becomes root of
    several users, as sshd needs, which changes to another user before a login."""
    if _PARENT in os.environ:
        _end_with_parent(int(os.environ.pop(_PARENT)))
        raise_when_interrupted()
        run_tool(["mount", "-t", "proc", "-o", "nosuid,nodev,noexec", "proc", "/proc"])
        run_tool(["mount", "-t", "tmpfs", "-o", "mode=700", "lab", str(RUN)])
        return
    _require_files()
    if tun:
        _require_tun()
    options = _root_options(several_users)
    RUN.mkdir(parents=True, exist_ok=True)
    # A file descriptor survives the change of namespace; a process number would not.
    # Process 1 of a container has no parent; it watches itself, which ends with it.
    parent = os.pidfd_open(os.getppid() or os.getpid())
    os.set_inheritable(parent, True)
    os.environ[_PARENT] = str(parent)
    supervisor = [sys.executable, "-IS", str(Path(__file__).with_name("supervise.py"))]
    # A signal that comes before process 1 can handle it waits.
    hold_back()
    os.execvp("unshare", ["unshare", *options, *_SPACES, *supervisor, *sys.orig_argv[1:]])


def _root_options(several_users: bool) -> list[str]:
    """Options of unshare(1) that make this process root of the namespaces of a lab; empty if it is
    root already, and no user namespace is needed or allowed. Raises UserError if this process may
    not make these namespaces."""
    ways = [["--user", "--map-root-user", *(["--map-auto"] if several_users else [])]]
    if os.geteuid() == 0:
        ways = [[]] if several_users else [*ways, []]
    for options in ways:
        probe = subprocess.run(
            ["unshare", *options, *_SPACES, "--fork", "--mount-proc", "true"],
            capture_output=True,
            text=True,
        )
        if probe.returncode == 0:
            return options
    raise UserError(
        f"lab: this machine gives you no namespaces ({probe.stderr.strip()}); run where root has "
        "all capabilities (a container: --privileged), or where users may make them"
        + (" and have a range in /etc/subuid and /etc/subgid" if several_users else "")
    )


def _end_with_parent(parent: int) -> None:
    def watch() -> None:
        select.select([parent], [], [])
        os._exit(137)  # process 1: its end ends everything here

    threading.Thread(target=watch, daemon=True).start()


_PACKAGES = {"unshare": "util-linux", "mount": "util-linux", "ip": "iproute2"}
"""program -> Debian package"""
_ID_MAPPERS = ("newuidmap", "newgidmap")
_TUN = Path("/dev/net/tun")

_FILES = 256
"""files that the measuring process and its guests may have to keep open"""


def require_programs(*wanted: str) -> None:
    """Raises UserError naming every program that is missing."""
    path = environment()["PATH"]
    missing = [program for program in wanted if shutil.which(program, path=path) is None]
    if missing:
        packages = " ".join(sorted({_PACKAGES[program] for program in missing}))
        raise UserError(
            f"lab: {', '.join(missing)}: not found in PATH; on Debian: apt-get install {packages}"
        )


def require_id_mappers() -> None:
    """Raises UserError if this user cannot unpack Debian packages, whose files belong to several
    users: anyone but root needs a program of root's that gives ids of other users."""
    missing = [name for name in _ID_MAPPERS if not shutil.which(name, path=environment()["PATH"])]
    if missing and os.geteuid() != 0:
        raise UserError(
            f"lab: {', '.join(missing)}: not found in PATH, and the guest image cannot be made "
            "without by a user who is not root; on Debian, once: sudo apt-get install uidmap"
        )


def _require_files() -> None:
    """Allow this process as many open files as possible. Raises UserError if they are too few."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < _FILES:
        raise UserError(
            f"lab: found {most} open files allowed to a process, expected {_FILES}; see ulimit -n"
        )


def _require_tun() -> None:
    if not _TUN.exists():
        raise UserError(
            f"lab: {_TUN}: not there; load it (modprobe tun), or give it to this container "
            f"(--device {_TUN})"
        )
    if not os.access(_TUN, os.R_OK | os.W_OK):
        raise UserError(f"lab: {_TUN}: not open to you; run as root, or once: chmod 666 {_TUN}")


def run_ip(*lines: str) -> None:
    """Run `ip` commands, in order. Raises UserError with the error output of one that failed."""
    run_tool(["ip", "-batch", "-"], "\n".join(lines))


def run_tool(argv: list[str], text: str = "") -> None:
    """Run a command with `text` as its standard input. Raises UserError with the error output of a
    command that failed, or if it is not installed."""
    try:
        done = subprocess.run(argv, input=text, text=True, capture_output=True, env=environment())
    except FileNotFoundError:
        raise UserError(f"lab: {argv[0]} is not installed") from None
    if done.returncode:
        why = " / ".join(done.stderr.split("\n")).strip(" /")
        raise UserError(f"lab: {' '.join(argv)}: {why or f'exit {done.returncode}'}")
