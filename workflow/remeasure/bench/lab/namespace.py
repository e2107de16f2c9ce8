"""The namespaces of a lab: everything that a command starts inside them ends when the command ends.
The command runs again as process 1 of a new PID namespace, with a network and a mount namespace of
its own. When the command exits or is killed, the kernel kills every guest and removes every
interface. Nothing outside can be reached from inside: there is no other interface. The original
process becomes the supervisor of the command (lab/supervise.py), which passes signals on."""

import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.interruption import hold_back, raise_when_interrupted
from remeasure.bench.base.paths import CACHE
from remeasure.bench.lab.this_machine import (
    require_files,
    require_namespaces,
    require_tun,
    run_tool,
)

_PARENT = "REMEASURE_PARENT_PIDFD"
_SPACES = ["--net", "--mount", "--pid"]
_TRIED = [*_SPACES, "--fork", "--mount-proc"]
"""shows whether such namespaces can be made"""

RUN = CACHE / "run"
"""folder for running files: empty outside a lab; inside, a tmpfs that ends with the namespace"""


def guest_root_options() -> list[str]:
    """Options of unshare(1) that make this process root of the namespaces of a lab of guests; empty
    if only the real root may make namespaces, and this process is root. Raises UserError if
    /dev/net/tun cannot be opened, or as `lone_root_options`."""
    require_tun()
    return lone_root_options()


def lone_root_options() -> list[str]:
    """Options of unshare(1) for a lab with none of this machine's links. Raises UserError if the
    machine allows no user namespaces and this process is not root."""
    rootless = ["--user", "--map-root-user"]
    probe = subprocess.run(["unshare", *rootless, *_TRIED, "true"], capture_output=True, text=True)
    if probe.returncode == 0:
        return rootless
    if os.geteuid() == 0:
        return []
    raise UserError(
        f"lab: this machine allows no user namespaces to you ({probe.stderr.strip()}); run as root"
    )


def enter(root_options: Callable[[], list[str]] = guest_root_options) -> None:
    """Run this command again inside new namespaces; returns only there. From then on a signal that
    asks this process to end raises Interrupted. `root_options` gives the options of unshare(1) that
    make this process root of them. Raises UserError, and whatever `root_options` raises."""
    if _PARENT in os.environ:
        _end_with_parent(int(os.environ.pop(_PARENT)))
        raise_when_interrupted()
        run_tool(["mount", "-t", "proc", "-o", "nosuid,nodev,noexec", "proc", "/proc"])
        run_tool(["mount", "-t", "tmpfs", "-o", "mode=700", "lab", str(RUN)])
        return
    require_files()
    options = root_options()
    require_namespaces(["unshare", *options, *_TRIED])
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


def _end_with_parent(parent: int) -> None:
    def watch() -> None:
        select.select([parent], [], [])
        os._exit(137)  # process 1: its end ends everything here

    threading.Thread(target=watch, daemon=True).start()
