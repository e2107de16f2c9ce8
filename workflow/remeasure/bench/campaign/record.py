"""The record of one trial: trial.json in a block archive, with exactly these fields
(block_record.py)."""

from collections.abc import Collection, Iterable
from typing import Annotated, Literal, NotRequired, cast

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from remeasure.bench.base.checks import KINDS, Check
from remeasure.bench.base.config import exact
from remeasure.bench.campaign.scenario import Cell
from remeasure.bench.probes import PROBES
from remeasure.bench.testbed.remote import Command
from remeasure.bench.testbed.watching.heartbeat import Stall
from remeasure.bench.testbed.watching.load import NO_LOAD, Load
from remeasure.bench.testbed.watching.processor_time import HostTime

FILE = r"[A-Za-z0-9+_-][A-Za-z0-9+._-]*"
"""regular expression of the name of a file in a block: every file system takes it, and no shell or
terminal obeys it"""
Ns = Annotated[int, Field(ge=0, lt=2**63)]
"""time since the epoch, or duration [ns]"""
Count = Annotated[int, Field(ge=0, lt=2**31)]
FileName = Annotated[str, Field(pattern=rf"^{FILE}$")]
"""file within the folder of its trial"""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def _known(what: str, known: Collection[str]) -> AfterValidator:
    def check(name: str) -> str:
        if name not in known:
            raise ValueError(f"not a {what}; expected {', '.join(known)}")
        return name

    return AfterValidator(check)


@exact
class Repeat(TypedDict):
    """One repeat of a probe."""

    name: str
    """name of the probe in its scenario, without the levels that `each` gave it"""
    probe: Annotated[str, _known("probe", PROBES)]
    """kind of probe: a key of remeasure.bench.probes.PROBES"""
    repeat: Count
    """number of the run of the probe, from 1"""
    levels: NotRequired[dict[str, str]]
    """factor -> level, of the factors that vary within the trial"""


@exact
class LogEntry(Repeat):
    """One log of a repeat."""

    file: FileName


@exact
class CounterEntry(TypedDict):
    """One file of counters: readings of one host at one time."""

    file: FileName
    host: str
    kind: str
    """`all`: one file for all kinds, as remeasure.bench.testbed.watching.counters writes it"""
    number: Count
    """number of the reading, from 0; all hosts are read at the same time"""
    after: str
    """name of the probe that had just run; `start` before the first"""
    repeat: Count
    """number of the run of that probe, from 1; 0: nothing has run since the reading before"""
    levels: dict[str, str]


@exact
class RunEntry(Repeat):
    """How the machine was used during one run of a probe."""

    start_ns: Ns
    """start of the run on the clock of the measuring machine [ns since the epoch]"""
    end_ns: Ns
    verdict: NotRequired[Literal["accepted", "suspect", "unjudged"]]
    """whether the run was disturbed (measure.health); missing, like the following fields, for hosts
    on other machines, which would have to be asked during the run"""
    load: NotRequired[Load]
    processors: NotRequired[dict[str, HostTime]]
    """role -> processor time that the host used on the measuring machine"""
    stalls: NotRequired[list[Stall]]
    """stops during the run; this and `reasons` are missing in archives of earlier software"""
    reasons: NotRequired[list[str]]
    """why the run is suspect, one line each"""


@exact
class CheckEntry(TypedDict):
    """Fields of remeasure.bench.base.checks.Check; archives of format 1 have no `kind`."""

    kind: Annotated[str, _known("kind of check", KINDS)]
    name: str
    passed: bool
    found: str
    expected: str


@exact
class CommandEntry(TypedDict):
    """Fields of remeasure.bench.testbed.remote.Command."""

    host: str
    argv: list[str]
    start_ns: Ns
    end_ns: Ns
    exit: int | None


class Outcome(TypedDict):
    """The events of a trial, without its place in a block."""

    verdict: Literal["accepted", "suspect", "rejected"]
    reasons: list[str]
    """why the trial is not accepted, one line each"""
    start_ns: Ns
    """start of the trial on the clock of the measuring machine [ns since the epoch]"""
    end_ns: Ns
    probe_ns: Ns
    """time spent inside probes [ns]"""
    health: Load
    checks: list[CheckEntry]
    logs: list[LogEntry]
    counters: list[CounterEntry]
    runs: NotRequired[list[RunEntry]]
    """runs of probes, in their order; missing in archives of earlier software"""
    commands: list[CommandEntry]
    """in the order in which they ended"""
    pace_ns: NotRequired[Ns]
    """processor time of a fixed computation on the machine before the trial
    (testbed.watching.processor_time); only in campaigns with rounds [ns]"""


@exact
class TrialRecord(Outcome):
    """The whole of trial.json."""

    order: Count
    """place of the trial within its block, from 1"""
    attempt: Count
    """number of the attempt, from 1; more than 1 if earlier attempts were interrupted"""
    cell: Cell
    members: NotRequired[dict[FileName, Sha256]]
    """SHA-256 of each file of the trial but trial.json; missing in archives up to format 3"""


def outcome(
    start_ns: int,
    end_ns: int,
    *,
    reasons: list[str],
    doubts: Iterable[str] = (),
    probe_ns: int = 0,
    health: Load = NO_LOAD,
    checks: Iterable[Check] = (),
    logs: Iterable[LogEntry] = (),
    counters: Iterable[CounterEntry] = (),
    runs: Iterable[RunEntry] = (),
    commands: Iterable[Command] = (),
) -> Outcome:
    """The outcome of a trial: rejected if there are `reasons`, else suspect if there are `doubts`,
    else accepted."""
    doubts = list(doubts)
    return {
        "verdict": "rejected" if reasons else "suspect" if doubts else "accepted",
        "reasons": reasons or doubts,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "probe_ns": probe_ns,
        "health": health,
        "checks": [cast(CheckEntry, {**vars(check)}) for check in checks],
        "logs": list(logs),
        "counters": list(counters),
        "runs": list(runs),
        "commands": [cast(CommandEntry, {**vars(command)}) for command in commands],
    }
