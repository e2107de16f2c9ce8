"""How a cell's settings reach its hosts, and how a trial proves that they did.

Beside each thing that a cell can set (a link's rate, an SA, ...) stand functions that return
setters and provers for it. A driver collects them; nothing else knows their commands.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from remeasure.checks import Check
from remeasure.testbed.remote import Remote, at_once

Remotes = Mapping[str, Remote]
"""role -> connection to its host"""


@dataclass(frozen=True)
class Setter:
    """One command that makes a host what the cell asks for."""

    host: str
    """role"""
    command: str
    """for a shell"""


class Question(NamedTuple):
    """One thing that a host is asked."""

    file: str
    """name of the answer within the trial"""
    ask: str | Sequence[str] | PurePosixPath
    """a command (a line for a shell, or argv), or a file of the host"""


@dataclass(frozen=True)
class Prover:
    """What one host is asked, and how its answers are checked."""

    host: str
    """role"""
    questions: Sequence[Question]
    check: Callable[..., list[Check]]
    """takes the answers, as text, in the order of `questions`"""


def apply(setters: Iterable[Setter], remotes: Remotes) -> None:
    """Run all commands at the same time. Raises CommandFailed, HostUnreachable."""
    at_once(lambda setter: remotes[setter.host].run(setter.command), setters)


def prove(
    provers: Iterable[Prover], remotes: Remotes, keep: Callable[[str, bytes], None]
) -> Iterable[Check]:
    """The checks of each prover in turn, every answer handed to `keep` with its file name.

    Raises CommandFailed, HostUnreachable, and ValueError as a prover's check does.
    """
    for prover in provers:
        answers = []
        for question in prover.questions:
            answer = _answer(remotes[prover.host], question)
            keep(question.file, answer)
            answers.append(answer.decode())
        yield from prover.check(*answers)


def _answer(remote: Remote, question: Question) -> bytes:
    if isinstance(question.ask, PurePosixPath):
        return remote.read(str(question.ask))
    return remote.run(question.ask).encode()
