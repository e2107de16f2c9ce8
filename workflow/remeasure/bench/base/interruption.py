"""Signals that ask a command to end: it releases its resources, and prints in one line what is
kept. By itself Python would end at SIGTERM without a word, and make SIGINT an exception, which
libraries may catch."""

import ctypes
import os
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """A signal asked this process to end. No handler of errors takes it for one."""

    def __init__(self, number: int, kept: str = ""):
        """`kept`: kept results, and how to go on."""
        super().__init__(number, kept)
        self.number, self.kept = number, kept

    @property
    def status(self) -> int:
        """The exit status that a shell gives to a command that this signal ended."""
        return 128 + self.number

    def __str__(self) -> str:
        name = signal.Signals(self.number).name
        return f"interrupted by {name}{self.kept and f'; {self.kept}'}"


def raise_when_interrupted() -> None:
    """From now on the first of SIGNALS raises Interrupted in the main thread, also one that has
    been held back until now. Later ones are ignored, so that nothing interrupts the clean-up."""
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def hold_back() -> None:
    """From now on SIGNALS wait, also for a program that this process becomes or starts."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def _interrupt(number: int, _: object) -> None:
    # A handler, not SIG_IGN, which programs started from now on would inherit.
    for every in SIGNALS:
        signal.signal(every, lambda *_: None)
    raise Interrupted(number)


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
