"""Faults from outside a lab: the first argument is a struck.StruckLab, or before a command the
ground."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from injections import injection
from remeasure.bench.lab.affinity import processes_of


@injection
def call_out(moment, file: str) -> None:
    """Show the moment to who waits outside, and wait until it was used."""
    path = Path(file)
    path.touch()
    while path.exists():
        time.sleep(0.01)


@injection
def signal_job(ground, name: str) -> None:
    """To the PID of the command alone."""
    ground.sent = signal.Signals[name]
    os.kill(ground.process.pid, ground.sent)


@injection
def signal_group(ground, name: str) -> None:
    ground.sent = signal.Signals[name]
    os.killpg(ground.process.pid, ground.sent)


@injection
def kill_first_process(ground, _: object) -> None:
    """Process 1 of the lab, which measures."""
    job = ground.process.pid
    (child,) = Path(f"/proc/{job}/task/{job}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)


@injection
def stop_job(ground, length_s: float) -> None:
    """The group of the command stands still; guests go on."""
    os.killpg(ground.process.pid, signal.SIGSTOP)
    time.sleep(length_s)
    os.killpg(ground.process.pid, signal.SIGCONT)


@injection
def pause_everything(ground, length_s: float) -> None:
    """All processes of the lab stand still, as when a machine sleeps."""
    ground.signal_all(signal.SIGSTOP)
    time.sleep(length_s)
    ground.signal_all(signal.SIGCONT)


@injection
def pause_family(ground, length_s: float) -> None:
    """The command and all processes that descend from it, which in virtual time are those of the
    guest, too: nothing but its seed may be in its environment."""
    family = processes_of(ground.process.pid)
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for process in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        time.sleep(length_s)


@injection
def kill_kernels(ground, name: str) -> None:
    """The kernels of guests: those of a command's descendants that have this name."""
    for process in processes_of(ground.process.pid):
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            if Path(f"/proc/{process}/comm").read_text().strip() == name:
                os.kill(process, signal.SIGKILL)


@injection
def cut_power(ground, times: dict[str, float]) -> None:
    """`times` cuts, each up to `longest_s` after the command began, chosen by `seed`."""
    from grounds.struck import moments

    ground.cuts = moments(int(times["seed"]), int(times["times"]), times["longest_s"])


@injection
def measure_beside(ground, expected: dict[int, str]) -> None:
    """Another job for block -> what it says; nothing: it measures its block."""
    for block, says in expected.items():
        command = ["remeasure", "measure", "test", "small", str(block), "--profile", "smoke"]
        environment = ground.project.environment.copy()
        # It is no part of the command, and may take longer.
        for name in ("REMEASURE_SABOTAGE", "REMEASURE_FAULT"):
            environment.pop(name)
        done = subprocess.run(
            command, cwd=ground.project.folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == (1 if says else 0), done.stderr
        assert says in done.stderr, done.stderr


@injection
def set_clock(moment, steps: dict[str, float]) -> None:
    """`wall`: step of the wall clock; `boot`: for how long the machine slept [s]."""
    offsets = [int(1e9 * steps.get(name, 0)) for name in ("wall", "boot")]
    # A machine that sleeps finds its wall clock ahead by as much.
    offsets[0] += offsets[1]
    content = b"".join(offset.to_bytes(8, "little", signed=True) for offset in offsets)
    with Path(os.environ["CLOCK_OFFSETS"]).open("r+b") as file:
        file.write(content)
