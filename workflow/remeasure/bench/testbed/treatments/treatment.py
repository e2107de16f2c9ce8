"""How a cell's settings reach its hosts, and how a trial proves that they did. For each setting of
a cell (the rate of a link, an SA, ...), its module has functions that return setters and provers. A
driver collects them; nothing else knows their commands."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from remeasure.bench.base.checks import Check
from remeasure.bench.testbed.remote import Remote, at_once

_MALFORMED = (LookupError, ArithmeticError, TypeError, AttributeError, RecursionError)
"""errors of checks for an answer of unexpected form, in addition to ValueError"""
Remotes = Mapping[str, Remote]
"""role of the host"""


@dataclass(frozen=True)
class Setter:
    """One command that gives a host a setting of the cell."""

    host: str
    """role of the host"""
    command: str
    """the command, for a shell; it does the same when it is run again"""


class Question(NamedTuple):
    """One question to a host: a command, or a file to read."""

    file: str
    """name of the file within the trial that keeps the answer"""
    ask: str | Sequence[str] | PurePosixPath
    """a command that changes nothing (a line for a shell, or argv), or a file of the host, whose
    bytes are kept unchanged"""


@dataclass(frozen=True)
class Prover:
    """Questions to one host, and the function that checks its answers."""

    host: str
    """role"""
    questions: Sequence[Question]
    check: Callable[..., list[Check]]
    """takes the answers as texts, in the order of `questions`, and returns the checks"""


def apply(setters: Iterable[Setter], remotes: Remotes) -> None:
    """Run the commands of all setters, on each host in their order, on all hosts at the same time.
    Raises CommandFailed, HostUnreachable."""
    of_hosts: dict[str, list[str]] = {}
    for setter in setters:
        of_hosts.setdefault(setter.host, []).append(setter.command)
    at_once(lambda host: remotes[host].run_each(of_hosts[host]), of_hosts)


def prove(
    provers: Iterable[Prover], remotes: Remotes, keep: Callable[[str, bytes], None]
) -> Iterable[Check]:
    """Yield the checks of each prover in turn; every answer is handed to `keep` with its file name.
    All hosts are asked at the same time. Raises CommandFailed, HostUnreachable, and ValueError if a
    prover cannot read an answer."""
    provers = list(provers)
    of_hosts: dict[str, list[Question]] = {}
    for prover in provers:
        of_hosts.setdefault(prover.host, []).extend(prover.questions)
    asked = at_once(lambda host: _answers(remotes[host], of_hosts[host]), of_hosts)
    answers = {host: iter(found) for host, found in zip(of_hosts, asked, strict=True)}
    for prover in provers:
        found = [next(answers[prover.host]) for _ in prover.questions]
        for question, answer in zip(prover.questions, found, strict=True):
            keep(question.file, answer)
        try:
            yield from prover.check(*(answer.decode() for answer in found))
        except _MALFORMED as error:
            files = ", ".join(question.file for question in prover.questions)
            raise ValueError(f"{files}: found {type(error).__name__}: {error}") from None


def _answers(remote: Remote, questions: Sequence[Question]) -> list[bytes]:
    """In the order of the questions."""
    commands = {
        file: ask if isinstance(ask, str) else shlex.join(ask)
        for file, ask in questions
        if not isinstance(ask, PurePosixPath)
    }
    said = dict(zip(commands, remote.run_each(list(commands.values())), strict=True))
    return [
        said[file].encode() if file in said else remote.read(str(ask)) for file, ask in questions
    ]
