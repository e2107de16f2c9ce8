"""Required contents of a block archive, whatever tools wrote its logs: block.json, and for each
planned trial a trial.json with exactly these fields. Further facts of hosts, image and machine are
not listed. Hashes show that a file was changed later (archive.py, release.py)."""

from collections.abc import Collection
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, Field, with_config
from typing_extensions import TypedDict

from remeasure.bench.base.checks import KINDS
from remeasure.bench.base.config import EXACT, exact
from remeasure.bench.campaign.scenario import Cell
from remeasure.bench.probes import PROBES
from remeasure.bench.testbed.host_kind import Nature
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
    """processor time of a fixed computation on the machine just before the trial
    (testbed.watching.processor_time); missing if the profile or the hosts have no pace, and in
    archives of earlier software without rounds [ns]"""
    pace_after_ns: NotRequired[Ns]
    """the same just after the trial; missing in archives of earlier software [ns]"""


@exact
class TrialRecord(Outcome):
    """The whole of trial.json."""

    order: Count
    """place of the trial within its block, from 1"""
    attempt: Count
    """number of the attempt, from 1; more than 1 if earlier attempts were interrupted, or were at
    another pace than the block"""
    cell: Cell
    measured_again: NotRequired[str]
    """why the trial was measured again (campaign.pace); only in folders of earlier attempts"""
    members: NotRequired[dict[FileName, Sha256]]
    """SHA-256 of each file of the trial but trial.json; missing in archives up to format 3"""


def not_run(at_ns: int, reason: str) -> Outcome:
    """The outcome of a trial that hosts cannot run [ns since the epoch]."""
    return {
        "verdict": "rejected",
        "reasons": [reason],
        "start_ns": at_ns,
        "end_ns": at_ns + 1,
        "probe_ns": 0,
        "health": NO_LOAD,
        "checks": [],
        "logs": [],
        "counters": [],
        "runs": [],
        "commands": [],
    }


_with_facts = with_config({**EXACT, "extra": "allow"})
"""for facts of a host or machine: the fields below, and further ones"""
Kernel = Annotated[str, Field(pattern=r"^\S+ \S")]
"""name and version, as uname(1) prints them"""


@_with_facts
class GuestsRecord(Nature):
    """The nature of the hosts."""

    backend: str
    """name of the back end that made them"""
    accelerator: str


@_with_facts
class HostFacts(TypedDict):
    """One host."""

    cpus: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,4}$")]
    """number of its processors, as it printed it"""
    kernel: Kernel


@_with_facts
class MachineFacts(TypedDict):
    """The machine that measured."""

    cpus: Annotated[int, Field(ge=1, lt=2**16)]
    cpu: str
    kernel: Kernel


@_with_facts
class SessionRecord(TypedDict):
    """The hosts from one start to their end. A block has several if it was interrupted, or if its
    cells differ in the processors of their guests."""

    start_ns: Ns
    end_ns: NotRequired[Ns]
    """end of its last trial so far; missing until there is one"""
    start: str
    """`start_ns` in words (UTC)"""
    software: str
    """commit of this repository"""
    testbed: dict[str, Any]
    guests: GuestsRecord
    hosts: dict[str, HostFacts]
    """role -> host"""
    machine: MachineFacts
    kernel: NotRequired[dict[str, str]]
    """the kernel of guests (lab.image.kernel_facts); missing in archives of earlier software"""
    changed_packages: NotRequired[dict[str, list[str]]]
    """packages of guests that changed since the first block of a campaign with rounds
    (measure.same_guests.Changes)"""


@exact
class BlockRecord(TypedDict):
    """The whole of block.json."""

    format: NotRequired[Count]
    """version of the format of the archive"""
    campaign: str
    scenario: str
    block: Annotated[Count, Field(ge=1)]
    profile: str
    seed: int
    order: Annotated[list[Cell], Field(min_length=1)]
    """the cells in the order of the trials"""
    sessions: list[SessionRecord]
    """none if no trial could be run"""
