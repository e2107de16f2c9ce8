"""Whether a block is what its campaign planned: its trials in the order that the seed gives, and in
each trial every run of every probe, with logs that are whole and of these hosts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive, Trial
from remeasure.bench.campaign.folder import Frozen
from remeasure.bench.campaign.plan import block_order, probe_order
from remeasure.bench.campaign.record import LogEntry, Run, run_of
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.lab.testbeds import is_virtual
from remeasure.bench.measure.other_systems import run_by
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.belonging import Window, require_own


@dataclass(frozen=True)
class Plan:
    """What a campaign planned for the blocks of one scenario."""

    frozen: Frozen
    scenario: Scenario

    def check_block(self, source: str, block: dict[str, Any]) -> None:
        """Check block.json, of which the campaign has the same fields as `check_place` asked for.
        Raises UserError."""
        expected = block_order(self.scenario, self.frozen.seed, block["block"])
        for place, (found, cell) in enumerate(zip(block["order"], expected, strict=True)):
            if found != cell:
                raise UserError(
                    f"{source}: order.{place}: found {found}, expected {cell}, as seed "
                    f"{self.frozen.seed} gives it"
                )
        testbed = self.frozen.testbed
        for place, session in enumerate(block["sessions"]):
            told = {
                "testbed": (session["testbed"], testbed),
                "guests.virtual_clock": (session["guests"]["virtual_clock"], is_virtual(testbed)),
            }
            for field, (found, wanted) in told.items():
                if found != wanted:
                    raise UserError(
                        f"{source}: sessions.{place}.{field}: found {found}, expected {wanted}, "
                        "as campaign.yaml has it"
                    )

    def of_trials(self, archive: BlockArchive) -> "PlannedTrials":
        return PlannedTrials(self, archive)


class PlannedTrials:
    """The trials of one block, as they were planned."""

    def __init__(self, plan: Plan, archive: BlockArchive):
        self._plan, self._archive = plan, archive
        self._virtual = any(s["guests"]["virtual_clock"] for s in archive.block["sessions"])
        sessions = archive.block["sessions"]
        self._hosts = [h for session in sessions for h in session["testbed"].get("hosts", [])]
        self._runs: dict[tuple[tuple[str, str], ...], dict[Run, tuple[str, Probe]]] = {}

    def check_runs(self, trial: Trial) -> None:
        """Check that a trial has logs of every planned run, and of no other, and that all runs of a
        probe have logs of the same kinds. Raises UserError."""
        source = f"{self._archive.path}: {trial.folder}/trial.json"
        planned, kinds = self._runs_of(trial), defaultdict[Run, set[str]](set)
        for place, entry in enumerate(trial.record["logs"]):
            if run_of(entry) not in planned:
                raise UserError(
                    f"{source}: logs.{place}: found a log of {_words(run_of(entry))}, which "
                    "campaign.yaml does not plan"
                )
            name, _ = planned[run_of(entry)]
            stem = f"{name}-{entry['repeat']:02d}."
            if not entry["file"].startswith(stem):
                raise UserError(
                    f"{source}: logs.{place}.file: found {entry['file']}, expected {stem}..., as "
                    "it is a log of this run"
                )
            kinds[run_of(entry)].add(entry["file"].removeprefix(stem))
        if missing := [run for run in planned if run not in kinds]:
            raise UserError(
                f"{source}: logs: found none of {_words(missing[0])}, expected one, as "
                "campaign.yaml plans it"
            )
        first = {run[:3]: kinds[run] for run in reversed(planned)}
        for run in planned:
            if kinds[run] != first[run[:3]]:
                raise UserError(
                    f"{source}: logs: of {_words(run)}: found {', '.join(sorted(kinds[run]))}, "
                    f"expected {', '.join(sorted(first[run[:3]]))}, as of another run of the probe"
                )

    def check_log(self, trial: Trial, entry: LogEntry, file: str, content: bytes) -> None:
        """Check that a log is of a whole run with the planned parameters, and of its hosts and
        time; `file` names it in messages. Raises LogError (a UserError)."""
        _, probe = self._runs_of(trial)[run_of(entry)]
        probe.require_complete(file, content)
        topology = self._plan.scenario.topology
        require_own(probe, file, content, topology, self._window(trial, entry))

    def _window(self, trial: Trial, entry: LogEntry) -> Window | None:
        """When the run of a log was; the whole trial, where runs were not noted; None if a clock
        was set meanwhile, so that nothing can be said."""
        record = trial.record
        runs = {run_of(run): run for run in record.get("runs", [])}
        run = runs.get(run_of(entry))
        suspect = run.get("verdict") == "suspect" if run else record["verdict"] == "suspect"
        one = run or record
        if suspect or one["end_ns"] <= one["start_ns"]:
            return None
        return Window(one["start_ns"], one["end_ns"], self._clock_off_s)

    @cached_property
    def _clock_off_s(self) -> float:
        """How far the clocks of hosts were from the record's at the beginning of sessions, at most
        [s]."""
        hosts = [host for s in self._archive.block["sessions"] for host in s["hosts"].values()]
        found = [host.get("clock_offset_s") for host in hosts]
        return max((abs(off) for off in found if isinstance(off, float | int)), default=0.0)

    def _runs_of(self, trial: Trial) -> dict[Run, tuple[str, Probe]]:
        """Each planned run of a trial, in the order of measuring -> name and settings of its
        probe."""
        cell = trial.record["cell"]
        key = tuple(cell.items())
        if key not in self._runs:
            plan, block = self._plan, self._archive.block
            ordered = probe_order(plan.scenario, plan.frozen.seed, block["block"], cell)
            probes = run_by(self._hosts, ordered)
            self._runs[key] = dict(_planned(probes.items(), self._virtual))
        return self._runs[key]


def _planned(
    probes: Iterable[tuple[str, Probe]], virtual: bool
) -> Iterator[tuple[Run, tuple[str, Probe]]]:
    for name, probe in probes:
        if virtual and probe.needs_machine:
            continue
        base = name.partition(".")[0] if probe.levels else name
        for repeat in range(1, probe.repeats + 1):
            entry = {"name": base, "probe": probe.kind, "levels": probe.levels, "repeat": repeat}
            yield run_of(entry), (name, probe)


def _words(run: Run) -> str:
    levels = ", ".join(f"{factor}={level}" for factor, level in run[2])
    return f"run {run[3]} of {run[0]}" + (f" ({levels})" if levels else "")
