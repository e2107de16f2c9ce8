"""Jobs of a workflow end with the Snakemake that started them, whatever ends that. A job that went
on would write what the next Snakemake builds, too."""

import ctypes
import os
import signal

_PARENT = "REMEASURE_WORKFLOW"
"""environment variable: process number of the Snakemake that starts jobs"""
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def say_parent() -> None:
    """Let jobs that this process starts know that they are its jobs."""
    os.environ[_PARENT] = str(os.getpid())


def end_with_parent() -> bool:
    """Whether this process is a job of a workflow; if it is, SIGTERM reaches it when Snakemake
    ends."""
    parent = os.environ.get(_PARENT)
    if parent != str(os.getppid()):
        return False
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != int(parent):
        os.kill(os.getpid(), signal.SIGTERM)
    return True
