"""Faults of guests while a probe measures."""

import os
import signal

from injections import injection


@injection
def kill_guest(moment, role: str) -> None:
    os.kill(moment.guest(role), signal.SIGKILL)
