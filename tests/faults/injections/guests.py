"""Faults of guests while a probe measures."""

import contextlib
import os
import signal

from injections import injection
from remeasure.errors import UserError


@injection
def kill_guest(moment, role: str) -> None:
    os.kill(moment.guest(role), signal.SIGKILL)


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
