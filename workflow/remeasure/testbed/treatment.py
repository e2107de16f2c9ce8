"""How a cell's settings reach its hosts, and how a trial proves that they did.

For each thing that a cell can set (the rate of a link, an SA, ...), the module that sets it has
functions that return setters and provers. A driver collects them; nothing else knows their
commands.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from remeasure.checks import Check
from remeasure.testbed.remote import Remote, at_once

Remotes = Mapping[str, Remote]
"""role of the host"""


@dataclass(frozen=True)
class Setter:
    """One command that gives a host a setting of the cell."""

    host: str
    """role of the host"""
    command: str
    """the command, for a shell"""


class Question(NamedTuple):
    """One question to a host: a command, or a file to read."""

    file: str
    """name of the file within the trial that keeps the answer"""
    ask: str | Sequence[str] | PurePosixPath
    """a command (a line for a shell, or argv), or a file of the host"""


@dataclass(frozen=True)
class Prover:
    """Questions to one host, and the function that checks its answers."""

    host: str
    """role"""
    questions: Sequence[Question]
    check: Callable[..., list[Check]]
    """takes the answers as texts, in the order of `questions`, and returns the checks"""


def apply(setters: Iterable[Setter], remotes: Remotes) -> None:
    """Run the commands of all setters at the same time. Raises CommandFailed, HostUnreachable."""
    at_once(lambda setter: remotes[setter.host].run(setter.command), setters)


def prove(
    provers: Iterable[Prover], remotes: Remotes, keep: Callable[[str, bytes], None]
) -> Iterable[Check]:
    """Yield the checks of each prover in turn; every answer is handed to `keep` with its file name.
    All hosts are asked at the same time.

    Raises CommandFailed, HostUnreachable, and ValueError if a prover cannot read an answer.
    """
    provers = list(provers)
    hosts = dict.fromkeys(prover.host for prover in provers)
    asked = {host: [prover for prover in provers if prover.host == host] for host in hosts}

    def ask(host: str) -> list[list[bytes]]:
        return [[_answer(remotes[host], q) for q in prover.questions] for prover in asked[host]]

    answers = {host: iter(found) for host, found in zip(asked, at_once(ask, asked), strict=True)}
    for prover in provers:
        found = next(answers[prover.host])
        for question, answer in zip(prover.questions, found, strict=True):
            keep(question.file, answer)
        yield from prover.check(*(answer.decode() for answer in found))


def _answer(remote: Remote, question: Question) -> bytes:
    if isinstance(question.ask, PurePosixPath):
        return remote.read(str(question.ask))
    return remote.run(question.ask).encode()
