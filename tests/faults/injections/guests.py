"""Faults of guests while a probe measures."""

import os
import signal
import time

from injections import injection


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
