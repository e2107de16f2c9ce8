"""The record of one trial: trial.json in a block archive."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Literal, NotRequired, TypedDict

from remeasure.campaign.scenario import Cell
from remeasure.checks import Check
from remeasure.testbed.heartbeat import Stall
from remeasure.testbed.load import NO_LOAD, Load
from remeasure.testbed.processor_time import HostTime
from remeasure.testbed.remote import Command


class Repeat(TypedDict):
    """One repeat of a probe."""

    name: str
    """name of the probe in its scenario, without the levels that `each` gave it"""
    probe: str
    """kind of probe: a key of remeasure.probes.PROBES"""
    repeat: int
    """number of the run of the probe, from 1"""
    levels: NotRequired[dict[str, str]]
    """factor -> level, of the factors that vary within the trial"""


class LogEntry(Repeat):
    """One log of a repeat."""

    file: str


class CounterEntry(TypedDict):
    """One file of counters: what one host had counted at one time."""

    file: str
    host: str
    kind: str
    """`all`: one file for all kinds, as remeasure.testbed.counters writes it"""
    number: int
    """number of the reading, from 0; all hosts are read at the same time"""
    after: str
    """name of the probe that had just run; `start` before the first"""
    repeat: int
    """number of the run of that probe, from 1; 0: nothing has run since the reading before"""
    levels: dict[str, str]


class RunEntry(Repeat):
    """How the machine was used during one run of a probe."""

    start_ns: int
    """start of the run on the clock of the measuring machine [ns since the epoch]"""
    end_ns: int
    verdict: NotRequired[Literal["accepted", "suspect", "unjudged"]]
    """whether the run was disturbed (remeasure.measure.health); missing, as what follows, where the
    hosts are other machines, which would have to be asked during the run"""
    load: NotRequired[Load]
    processors: NotRequired[dict[str, HostTime]]
    """role -> processor time that the host used on the measuring machine"""
    stalls: NotRequired[list[Stall]]
    """what stood still during the run; this and `reasons` are missing in archives of earlier
    software"""
    reasons: NotRequired[list[str]]
    """why the run is suspect, one line each"""


class Outcome(TypedDict):
    """What happened in a trial, without its place in a block."""

    verdict: Literal["accepted", "suspect", "rejected"]
    reasons: list[str]
    """why the trial is not accepted, one line each"""
    start_ns: int
    """start of the trial on the clock of the measuring machine [ns since the epoch]"""
    end_ns: int
    probe_ns: int
    """time spent inside probes [ns]"""
    health: Load
    checks: list[dict]
    """fields of remeasure.checks.Check; archives of format 1 have no `kind`"""
    logs: list[LogEntry]
    counters: list[CounterEntry]
    runs: NotRequired[list[RunEntry]]
    """runs of probes, in their order; missing in archives of earlier software"""
    commands: list[dict]
    """fields of remeasure.testbed.remote.Command, in the order in which they ended"""


class TrialRecord(Outcome):
    """The whole of trial.json."""

    order: int
    """place of the trial within its block, from 1"""
    attempt: int
    """number of the attempt, from 1; more than 1 if earlier attempts were interrupted"""
    cell: Cell


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
        "checks": [asdict(check) for check in checks],
        "logs": list(logs),
        "counters": list(counters),
        "runs": list(runs),
        "commands": [asdict(command) for command in commands],
    }
