"""Measure one block: the job that Snakemake runs."""

import datetime
import math
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from remeasure.bench.base.errors import UserError, advice
from remeasure.bench.base.files import file_hash
from remeasure.bench.base.interruption import Interrupted
from remeasure.bench.base.paths import SECRETS
from remeasure.bench.base.worktree import software_commit
from remeasure.bench.campaign.archive import FORMAT
from remeasure.bench.campaign.folder import (
    block_path,
    check_block,
    choose_scenario,
    freeze,
    read_frozen,
)
from remeasure.bench.campaign.pace import off_pace
from remeasure.bench.campaign.plan import (
    Task,
    block_order,
    block_seconds,
    probe_order,
    require_time,
    trial_seconds,
)
from remeasure.bench.campaign.profiles import profile_of
from remeasure.bench.campaign.record import Outcome, not_run
from remeasure.bench.campaign.release import require_not_released
from remeasure.bench.campaign.rounds import require_begun
from remeasure.bench.campaign.scenario import Scenario, key_of
from remeasure.bench.campaign.staging import Staging
from remeasure.bench.campaign.virtual_blocks import Measurement, add_measurement, require_fit
from remeasure.bench.lab.testbeds import LabTestbed, Testbed, document_of, load_testbed
from remeasure.bench.measure.block_hosts import Session
from remeasure.bench.measure.hosts import make_hosts
from remeasure.bench.measure.same_guests import compare_guests
from remeasure.bench.measure.trial import OnProbe, Trial
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.record_clock import in_utc, now_ns
from remeasure.bench.testbed.watching.facts import machine_facts, node_facts
from remeasure.bench.testbed.watching.processor_time import pace_ns

ATTEMPTS = 3
"""how often a trial is begun at most, if each time the kernel of a guest panics"""


class BlockOrder(NamedTuple):
    """The arguments of `remeasure measure`."""

    campaign: str
    scenario: str
    block: int
    profile: str | None
    testbed: str
    seed: int
    hours: float = math.inf
    """longest time that the probes may take by estimate [h]"""
    keep_staging: bool = False
    """whether the folder of trials stays next to the archive"""


def measure_block(order: BlockOrder) -> Path:
    """Measure the trials that a block still lacks, and pack it. Returns the archive. Raises
    UserError, and Interrupted if a signal asks this process to end. Every finished trial is kept,
    and the next call continues after it."""
    require_not_released(order.campaign)
    archive = block_path(order.campaign, order.scenario, order.block)
    if archive.exists():
        raise UserError(f"{archive}: measured already")
    staging = Staging(archive)
    try:
        _measure_block(order, staging)
    except Interrupted as stop:
        raise Interrupted(stop.number, _kept(staging)) from None
    except HostUnreachable as error:
        raise HostUnreachable("; ".join(filter(None, [str(error), _kept(staging)]))) from error
    except OSError as error:
        error.filename = error.filename or archive
        line = advice(error) or f"{error.filename}: {error.strerror}"
        raise UserError("; ".join(filter(None, [line, _kept(staging)]))) from error
    return archive


def _kept(staging: Staging) -> str:
    """The kept part of an unfinished block, for people; empty if it was not begun."""
    if not staging.folder.exists():
        return ""
    return f"finished trials are kept in {staging.folder}, run again to go on"


def _measure_block(order: BlockOrder, staging: Staging) -> None:
    scenario = choose_scenario(order.campaign, order.scenario, order.profile)
    check_block(scenario, order.block)
    require_begun(order.campaign, scenario.profile)
    require_time(f"{scenario.name} block {order.block}", block_seconds(scenario), order.hours)
    testbed = load_testbed(order.testbed)
    require_fit(scenario, testbed)
    block = Block(order, scenario, testbed, software_commit())
    block.require()
    machine = machine_facts() if isinstance(testbed, LabTestbed) else None
    freeze(order.campaign, [scenario], order.seed, document_of(testbed), block.software, machine)
    staging.archive.parent.mkdir(parents=True, exist_ok=True)
    measured = block.make_archive(staging, order.keep_staging)
    if block.hosts.repeats and measured.trials:
        add_measurement(staging.archive, measured)


class Block:
    """One block, while it is measured."""

    def __init__(self, order: BlockOrder, scenario: Scenario, testbed: Testbed, software: str):
        self.order, self.scenario, self.testbed = order, scenario, testbed
        self.software = software
        self.hosts = make_hosts(testbed, scenario)
        self.cells = block_order(scenario, order.seed, order.block)
        """the cells in the order of the trials"""
        frozen = read_frozen(order.campaign)
        self._in_rounds = frozen if frozen and frozen.rounds else None
        """the campaign, if it has rounds"""
        # The pace of this machine says nothing of machines of an inventory, or of virtual time.
        self.paced = profile_of(scenario.profile).pace and isinstance(testbed, LabTestbed)
        """whether each trial records the pace of the machine"""
        self._session: Session | None = None
        """the hosts of the previous trial"""
        self._pace_ns: int | None = None
        """the pace after the previous trial, unless other hosts were started since [ns]"""

    def require(self) -> None:
        """Check that hosts can measure, and build their parts and probes. On a lab this process
        starts again in the lab's namespaces, and returns only there. Raises UserError."""
        settings = [self.scenario.settings(cell) for cell in self.scenario.cells]
        for probe in (probe for cell in settings for probe in cell.probes.values()):
            probe.build()
        self.hosts.require({cell.wanted for cell in settings})

    def make_archive(self, staging: Staging, keep_staging: bool = False) -> Measurement:
        """Measure every unfinished trial, then those at another pace again, and pack them all.
        Returns what was measured now. Raises UserError."""
        start, begun = datetime.datetime.now(datetime.UTC), time.monotonic()
        software, trials_ns = software_commit(), list[int]()
        with staging:
            if todo := self._todo(staging):
                with self.hosts:
                    while todo:
                        trials_ns += self._measure(staging, todo)
                        todo = self._todo(staging)
            staging.pack(keep_staging)
        return Measurement(
            sha256=file_hash(staging.archive),
            start=start.isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - begun, 1),
            virtual_seconds=round(sum(trials_ns) / 1e9, 1),
            trials=len(trials_ns),
            load=round(os.getloadavg()[0], 2),
            software=software,
            machine=machine_facts(),
        )

    def _todo(self, staging: Staging) -> list[int]:
        """Order numbers of trials to measure next: of all that are unfinished, else of those at
        another pace, which are put aside."""
        unfinished = {*range(1, len(self.cells) + 1)} - staging.finished
        if unfinished:
            return sorted(unfinished)
        again = off_pace(staging.attempts)
        for order, reason in again.items():
            staging.put_aside(order, reason)
            title = f"trial {order}/{len(self.cells)} {key_of(self.cells[order - 1])}"
            print(f"{title}: measured again: {reason}", file=sys.stderr)
        return [*again]

    def _measure(self, staging: Staging, todo: list[int]) -> list[int]:
        """Measure trials, by their order numbers. Returns their durations by the clock of records
        [ns]. Raises UserError."""
        order, scenario, cells = self.order, self.scenario, self.cells
        record = staging.read_block() or {
            "format": FORMAT,
            "campaign": order.campaign,
            "scenario": order.scenario,
            "block": order.block,
            "profile": scenario.profile,
            "seed": order.seed,
            "order": cells,
            "sessions": [],
        }
        trials_ns = []
        credentials = self.hosts.credentials(SECRETS / order.campaign, order.seed)
        planned = {i: trial_seconds(scenario, cells[i - 1]) for i in todo}
        with _bar(order, sum(planned.values())) as bar:
            for i in todo:
                cell, before = cells[i - 1], bar.n
                title = f"trial {i}/{len(cells)} {key_of(cell)}"
                probes = probe_order(scenario, order.seed, order.block, cell)
                task = Task(scenario, cell, probes, order.seed, credentials, order.block, i)
                done, attempt = self._attempt(task, record, staging, bar, title)
                bar.update(before + planned[i] - bar.n)
                trials_ns.append(done["end_ns"] - done["start_ns"])
                staging.finish(i, {"order": i, "attempt": attempt, "cell": cell, **done})
                if done["verdict"] != "accepted":
                    why = "; ".join(done["reasons"])
                    bar.write(f"{title}: {done['verdict']}: {why}", file=sys.stderr)
        return trials_ns

    def _attempt(
        self, task: Task, record: dict[str, Any], staging: Staging, bar: tqdm, title: str
    ) -> tuple[Outcome, int]:
        """Run one trial, and again if the kernel of a guest panics, as one of QEMU did under load.
        Returns the outcome, and the number of the attempt that had it."""
        for attempts_left in reversed(range(ATTEMPTS)):
            folder, attempt = staging.begin(task.order, self.hosts.repeats)
            try:
                return self._run(task, folder, record, staging, _progress(bar, title)), attempt
            except HostUnreachable:
                panic = self.hosts.after_panic(folder) if attempts_left else None
                if panic is None:
                    raise
            again = "guests are started again, and the trial is measured again"
            bar.write(f"{title}: {panic}; {again}", file=sys.stderr)
        raise RuntimeError("the last attempt neither returned nor raised")

    def _run(
        self, task: Task, folder: Path, record: dict[str, Any], staging: Staging, on_probe: OnProbe
    ) -> Outcome:
        """Run one trial, on hosts with as many processors as its cell asks for."""
        wanted = task.settings.wanted
        if reason := self.hosts.why_not(wanted):
            return not_run(now_ns(), reason)
        session = self.hosts.session(wanted)
        if session is not self._session:
            self._session, self._pace_ns = session, None
            if not (self.hosts.repeats and record["sessions"]):
                record["sessions"].append(self._begun(session))
            staging.write_block(record)
        driver = self.hosts.driver(task, session.remotes)
        before = self._pace_ns or (pace_ns() if self.paced else 0)
        done = Trial(task, folder, driver, self.hosts.meter, session.clock).run(on_probe)
        if self.paced:
            # The next trial begins now, so this time is also the one before it.
            self._pace_ns = pace_ns()
            done |= {"pace_ns": before, "pace_after_ns": self._pace_ns}
        present = record["sessions"][-1]
        present["end_ns"] = done["end_ns"]
        for role, facts in driver.facts_after().items():
            for kind, found in facts.items():
                known = present["hosts"][role].get(kind, {})
                present["hosts"][role][kind] = dict(sorted((known | found).items()))
        staging.write_block(record)
        return done

    def _begun(self, session: Session) -> dict[str, Any]:
        """A session as block.json stores it. Raises UserError if the campaign has rounds and these
        are not its guests."""
        changes = compare_guests(self._in_rounds, session.facts) if self._in_rounds else {}
        start = session.clock.now_ns()
        return {
            "start_ns": start,
            "software": self.software,
            "start": in_utc(start),
            "testbed": document_of(self.testbed),
            "machine": machine_facts() | node_facts(),
            **session.facts,
            **({"changed_packages": changes} if changes else {}),
        }


def _bar(order: BlockOrder, seconds: float) -> tqdm:
    return tqdm(
        total=seconds,
        unit="s",
        file=sys.stderr,
        dynamic_ncols=True,
        mininterval=0.5 if sys.stderr.isatty() else 20,
        desc=f"{order.scenario} block {order.block}",
        bar_format="{desc} {percentage:3.0f}%|{bar:12}| {remaining} left {postfix}",
    )


def _progress(bar: tqdm, trial: str) -> OnProbe:
    """Moves the bar by the planned seconds of a probe when the next one of its trial begins."""
    last = {"seconds": 0.0}

    def on_probe(name: str, seconds: float) -> None:
        bar.update(min(last["seconds"], bar.total - bar.n))
        last["seconds"] = seconds
        bar.set_postfix_str(f"{trial} {name}", refresh=sys.stderr.isatty())

    return on_probe
