"""How a cell's settings reach its hosts, and how a trial proves that they did. For each setting of
a cell (the rate of a link, an SA, ...), its module has functions that return setters and provers. A
driver collects them; nothing else knows their commands."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from remeasure.bench.base.checks import Check
from remeasure.bench.testbed.remote import Remote, at_once

_MALFORMED = (LookupError, ArithmeticError, TypeError, AttributeError, RecursionError)
"""errors of checks for an answer of unexpected form, in addition to ValueError"""
Remotes = Mapping[str, Remote]
"""role of the host"""


class Setter(NamedTuple):
    """One command that gives a host a setting of the cell."""

    host: str
    """role of the host"""
    command: str
    """the command, for a shell; it does the same when it is run again"""


class Prover(NamedTuple):
    """Questions to one host, and the function that checks its answers."""

    host: str
    """role"""
    questions: Mapping[str, str]
    """file within the trial that keeps the answer -> a line for a shell that changes nothing"""
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
    commands: dict[str, dict[str, str]] = {}
    for prover in provers:
        commands.setdefault(prover.host, {}).update(prover.questions)
    found = at_once(lambda host: remotes[host].run_each([*commands[host].values()]), commands)
    answers = {
        host: dict(zip(asked, said, strict=True))
        for (host, asked), said in zip(commands.items(), found, strict=True)
    }
    for prover in provers:
        said = {file: answers[prover.host][file] for file in prover.questions}
        for file, answer in said.items():
            keep(file, answer.encode())
        try:
            yield from prover.check(*said.values())
        except _MALFORMED as error:
            raise ValueError(f"{', '.join(said)}: found {type(error).__name__}: {error}") from None
