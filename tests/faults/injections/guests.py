"""Faults of guests while a probe measures."""

import contextlib
import os
import signal
import subprocess
import sys
import time

from injections import injection
from remeasure.bench.base.errors import UserError

_BUSY = """
import os, sys, time
until = time.monotonic() + 120
while os.path.exists(sys.argv[1]) and time.monotonic() < until:
    sum(range(100000))
"""


@injection
def kill_guest(moment, role: str) -> None:
    os.kill(moment.guest(role), signal.SIGKILL)


@injection
def stop_guest(moment, stops: dict[str, float]) -> None:
    """Role -> for how long the kernel of its guest is stopped [s]."""
    for role, length_s in stops.items():
        os.kill(moment.guest(role), signal.SIGSTOP)
        time.sleep(length_s)
        os.kill(moment.guest(role), signal.SIGCONT)


@injection
def shell(moment, commands: dict[str, str]) -> None:
    """Role -> lines for its shell, host after host."""
    for role, lines in commands.items():
        moment.remotes[role].run(lines, timeout=60)


@injection
def take_down(moment, interface: str) -> None:
    """An interface on this machine's side of the lab."""
    subprocess.run(["ip", "link", "set", interface, "down"], check=True)


@injection
def move_guest(moment, role: str) -> None:
    """Let a guest's kernel run on any core of the machine."""
    os.sched_setaffinity(moment.guest(role), range(os.cpu_count() or 1))


@injection
def lose_guest(moment, commands: dict[str, str]) -> None:
    """Role -> lines for its shell, after which the guest does not answer any more."""
    for role, lines in commands.items():
        with contextlib.suppress(UserError):
            moment.remotes[role].run(lines, timeout=5)


@injection
def stutter(moment, how: dict) -> None:
    """The kernel of a guest (`role`) stops for `stopped_s` and goes on for `running_s`, so many
    `times`, like under a quota of processor time."""
    guest = moment.guest(how["role"])
    for _ in range(how["times"]):
        os.kill(guest, signal.SIGSTOP)
        time.sleep(how["stopped_s"])
        os.kill(guest, signal.SIGCONT)
        time.sleep(how["running_s"])


@injection
def busy(ground, processes: int) -> None:
    """Processes, none of the lab's, that keep a core busy each for as long as the ground exists."""
    for _ in range(processes):
        command = [sys.executable, "-c", _BUSY, str(ground.project.folder)]
        subprocess.Popen(command, start_new_session=True)


@injection
def ctrl_c(moment, _: bool) -> None:
    """SIGINT to the process group of the measuring process, as a terminal sends it."""
    os.kill(0, signal.SIGINT)
