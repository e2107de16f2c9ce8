"""Faults of the machine that guests run on."""

import subprocess
import sys

from injections import injection

_BUSY = """
import os, sys, time
until = time.monotonic() + 120
while os.path.exists(sys.argv[1]) and time.monotonic() < until:
    sum(range(100000))
"""


@injection
def busy(ground, processes: int) -> None:
    """So many processes, none of the lab's, that keep a core busy each for as long as the ground is
    there."""
    for _ in range(processes):
        command = [sys.executable, "-c", _BUSY, str(ground.project.folder)]
        subprocess.Popen(command, start_new_session=True)
