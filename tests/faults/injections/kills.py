"""Kills of a command, or of one of its processes, at a moment that a file tells."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

from injections import injection
from injections.files import _path

_WAIT_S = 120
_END_S = 20
"""time in which processes end that notice the end of another one"""


@injection
def killed_while(ground, what: dict) -> None:
    """The process of `command`, and it alone, was killed once a file of pattern `there` was
    there. What it had started ends by itself."""
    ground.project.environment["TMPDIR"] = str(ground.temporary)
    process = ground.project.start(*what["command"], start_new_session=True)
    assert _wait_for(ground, what["there"]), process.communicate()
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + _END_S
    while (left := _processes_in(ground.project.folder)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left, left


@injection
def kill_when(ground, what: dict[str, str]) -> None:
    """Once a file of pattern `there` is there, those processes of the command are killed whose
    command lines have the words `process`."""

    def watch() -> None:
        if _wait_for(ground, what["there"]):
            for process, words in _processes_in(ground.project.folder).items():
                if what["process"] in words:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


@injection
def executable(ground, programs: dict[str, str]) -> None:
    """Program, before all others in PATH -> its text."""
    folder = ground.project.folder.parent / "before"
    folder.mkdir(exist_ok=True)
    for name, text in programs.items():
        (folder / name).write_text(text.format(**ground.names))
        (folder / name).chmod(0o755)
    ground.project.environment["PATH"] = f"{folder}:{ground.project.environment['PATH']}"


def _wait_for(ground, pattern: str) -> bool:
    until = time.monotonic() + _WAIT_S
    while time.monotonic() < until:
        if list(_path(ground, ".").glob(pattern)):
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
