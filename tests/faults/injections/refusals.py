"""Refusals by the machine, and changes of the clone before or meanwhile (grounds/built.py)."""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from injections import injection
from injections.files import path_of

_WAIT_S = 120
"""time within which the file of a moment must be there [s]"""
_END_S = 20
"""time in which processes end that notice the end of another one [s]"""


@injection
def forbid(ground, names: list[str]) -> None:
    """The folders are another user's. Only root can give them away; it then gives up the right to
    write there all the same. In a namespace of its own it has that again, but not over files of an
    unknown user."""
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    for name in names:
        path = ground.project.folder / name
        os.chown(path, 1, 1)
        path.chmod(0o555)
    ground.wrapper = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


@injection
def under(ground, command: list[str]) -> None:
    """A command that starts the ground's command."""
    ground.wrapper = command


@injection
def killed_while(ground, what: dict) -> None:
    """Only the process of `command` was killed once a file of pattern `there` was there. Its
    children end by themselves."""
    ground.project.environment["TMPDIR"] = str(ground.temporary)
    process = ground.project.start(*what["command"], start_new_session=True)
    assert _wait_for(ground, what["there"]), process.communicate()
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + _END_S
    while (left := _processes_in(ground.project.folder)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left, left
    # Snakemake and its solver cannot remove their own files when they are killed.
    for own in ground.temporary.glob("snakemake*"):
        shutil.rmtree(own)
    for own in ground.temporary.glob("*-pulp.*"):
        own.unlink()


def _wait_for(ground, pattern: str) -> bool:
    until = time.monotonic() + _WAIT_S
    while time.monotonic() < until:
        if list(path_of(ground, ".").glob(pattern)):
            return True
        time.sleep(0.01)
    return False


def _processes_in(folder: Path) -> dict[int, str]:
    """Processes that work in this folder -> their command lines."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # A process that has ended, and that nobody asked about, has no command line.
            words = (process / "cmdline").read_text().replace("\0", " ")
            if words and (process / "cwd").readlink() == folder:
                found[int(process.name)] = words
    return found
