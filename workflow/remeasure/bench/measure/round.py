"""Measure the next round of a campaign: its blocks one after the other, in the drawn order, each by
`remeasure measure` in a process of its own, since a lab ends with its process."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from typing import Literal

from filelock import FileLock, Timeout

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.bench.base.interruption import Interrupted
from remeasure.bench.base.paths import ROOT, SECRETS
from remeasure.bench.campaign import attempts, folder
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.pace import spread_of_pace
from remeasure.bench.campaign.plan import known_blocks, length_of
from remeasure.bench.campaign.record import TrialRecord
from remeasure.bench.campaign.round_plan import Gate, RoundPlan
from remeasure.bench.campaign.rounds import missing_blocks, progress
from remeasure.bench.campaign.scenario import key_of
from remeasure.bench.campaign.staging import Staging
from remeasure.bench.lab.testbeds import LabTestbed, load_testbed
from remeasure.bench.measure.begin import RoundOrder, begin_on, plan_of, require_code
from remeasure.bench.measure.health import doubts
from remeasure.bench.measure.quiet import disturbances_now, wait_until_quiet
from remeasure.bench.measure.same_guests import tell_changes
from remeasure.bench.testbed.record_clock import in_utc, now_ns
from remeasure.bench.testbed.watching.facts import machine_facts

_REMEASURE = (sys.executable, "-m", "remeasure")
_OF_THE_MACHINE = {"placement", "settled"}
"""kinds of checks that fail if somebody moved guests, or changed hosts, during a trial"""


def measure_round(order: RoundOrder) -> str:
    """Measure the next unfinished round, or the rest of it. Returns how far the campaign is. Raises
    UserError, SystemExit with the status of a command that has said why it failed, and Interrupted.
    Finished trials are kept, and the next call goes on."""
    if order.commit:
        _git("rev-parse", "--verify", "HEAD", advice="leave --commit out, or work in a clone")
    with _alone(order.campaign):
        testbed = load_testbed(order.testbed)
        if not isinstance(testbed, LabTestbed):
            raise UserError(
                f"testbed {testbed.name}: rounds are measured on this machine, whose load and pace "
                "can be watched; expected a lab"
            )
        machine = machine_facts()
        campaign = begin_on(order, testbed, machine)
        frozen = folder.load_frozen(folder.frozen_path(campaign))
        require_code(frozen)
        try:
            return _Round(frozen, plan_of(frozen), order).measure()
        except Interrupted as stop:
            kept = "finished blocks are kept, run again to go on"
            raise Interrupted(stop.number, kept) from None


@contextmanager
def _alone(campaign: str) -> Iterator[None]:
    """Raises UserError if another process measures a round of a campaign here. Rounds of two
    campaigns see each other as load."""
    SECRETS.mkdir(mode=0o700, exist_ok=True)
    path = SECRETS / f"{folder.campaign_folder(campaign).name}.round.lock"
    try:
        with FileLock(path, timeout=0):
            try:
                yield
            finally:  # while it is locked: afterwards it may be another process's
                path.unlink(missing_ok=True)
    except Timeout:
        raise UserError(
            f"{campaign}: another process is measuring a round; wait for its end"
        ) from None


class _TooLate(Exception):
    """The next block would not be finished in time."""


class _Round:
    """The next round of a campaign, while it is measured."""

    def __init__(self, frozen: folder.Frozen, plan: RoundPlan, order: RoundOrder):
        self.frozen, self.plan, self.order = frozen, plan, order
        self.campaign, self.folder = frozen.campaign, folder.campaign_folder(frozen.campaign)
        self._checked = False

    def measure(self) -> str:
        """Measure it. Returns how far the campaign is."""
        self._require_clock()
        missing, rounds = missing_blocks(self.frozen), self.plan.rounds
        present = next((i for i, blocks in enumerate(missing) if blocks), len(rounds))
        measured, late = 0, ""
        try:
            for number, blocks in enumerate(rounds[: present + 1], 1):
                for place, (name, block) in enumerate(blocks, 1):
                    title = (
                        f"{self.campaign}, round {number} of {len(rounds)}, {name} block {block}"
                    )
                    where = f"{title} ({place} of {len(blocks)})"
                    measured += self._finish(folder.block_path(self.campaign, name, block), where)
        except _TooLate as reason:
            late = f"; {reason}"
        if not measured and not late and present == len(rounds):
            raise UserError(
                f"{self.folder}: {present} of {present} rounds are measured; seal the campaign: "
                f"remeasure release {self.campaign}"
            )
        said = progress(self.frozen) or f"all {len(rounds)} rounds"
        return f"{self.campaign}: {said} measured{late}"

    def _finish(self, archive: Path, where: str) -> int:
        """Measure a block until its record passes the gate, and commit it. Returns the number of
        attempts made now."""
        made = 0
        while not attempts.is_judged(archive):
            if not archive.exists():
                self._measure(archive, where)
                made += 1
                tell_changes(archive)
            reasons, most = self._reasons(archive, where), self.plan.gate.attempts
            if reasons and attempts.attempt_at(archive) < most:
                self._put_aside(archive, reasons, where)
                continue
            if reasons:
                said = f"kept, though it was disturbed: attempt {most} of {most}"
                print(f"{where}: {said}: {'; '.join(reasons)}", file=sys.stderr)
            attempts.keep(archive, reasons)
        self._commit(f"Measure {where}", archive, attempts.judged_path(archive))
        return made

    def _look(self) -> list[str]:
        """Reasons not to begin a block now. Once it is quiet, the testbed is checked, once."""
        found = disturbances_now(self.plan.gate, self._usual_ns())
        if not found and not self._checked:
            found = self._check()
            self._checked = not found
        return found

    def _check(self) -> list[str]:
        """Missing and wrong things that `remeasure check` finds, in one line. The clock of a
        guest spoils one-way delays only; its offset is stored with the block."""
        command = [*_REMEASURE, "check", self.order.testbed, "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        findings = json.loads(done.stdout or '[{"what": "no answer", "state": "missing"}]')
        bad = (one["what"] for one in findings if one["state"] != "present")
        if wrong := [what for what in dict.fromkeys(bad) if what != "clock"]:
            return [f"remeasure check {self.order.testbed}: missing or wrong: {', '.join(wrong)}"]
        return []

    def _measure(self, archive: Path, where: str) -> None:
        """Measure a block in a process of its own, once the machine is quiet. Raises _TooLate, and
        SystemExit if it fails, or if a signal asks to end: it has said so."""
        self._require_time(archive.parent.name, where)
        wait_until_quiet(self._look, self.order.wait, where)
        begun = Staging(archive).read_block() or {"sessions": []}
        if cut := self.plan.gate.of_pause([*begun["sessions"], {"start_ns": now_ns()}]):
            self._put_aside(archive, cut, where)
        print(where, file=sys.stderr)
        name, block = archive.parent.name, archive.stem.removeprefix("block-")
        settings = ["--testbed", self.order.testbed, "--seed", str(self.order.seed)]
        command = [*_REMEASURE, "measure", self.campaign, name, block, *settings]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            try:
                status = process.wait()
            except Interrupted as stop:
                process.send_signal(stop.number)
                process.wait()
                raise SystemExit(stop.status) from None
        if status:
            raise SystemExit(status)

    def _require_time(self, name: str, where: str) -> None:
        """Raises _TooLate if a block of this scenario, which may wait first, might not end in
        time."""
        scenario = self.frozen.scenario(name, folder.frozen_path(self.campaign))
        minutes = length_of(scenario, known_blocks()).minutes
        if now_ns() + (minutes + self.order.wait) * 60e9 > self.order.until_ns:
            raise _TooLate(
                f"{where} is not begun: it takes {minutes:.0f} min, may wait for "
                f"{self.order.wait:g} min, and would not end by {in_utc(int(self.order.until_ns))}"
            )

    def _usual_ns(self) -> float:
        """The pace of round 1, as far as it is measured [ns]; NaN before its first block."""
        first = (folder.block_path(self.campaign, *place) for place in self.plan.rounds[0])
        paces = [
            ns for path in filter(Path.exists, first) for ns in _paces_in(path, file_hash(path))
        ]
        return median(paces) if paces else math.nan

    def _reasons(self, archive: Path, where: str) -> list[str]:
        """Reasons to measure a block again, by its own record. Prints why trials do not count."""
        block = BlockArchive(archive)
        trials = [trial.record for trial in block.trials]
        for trial in trials:
            if trial["verdict"] != "accepted":
                said = f"trial {trial['order']} {key_of(trial['cell'])}: {trial['verdict']}"
                print(f"{where}: {said}: {'; '.join(trial['reasons'])}", file=sys.stderr)
        gate = self.plan.gate
        disturbed = disturbances_of(trials, gate, self._usual_ns())
        return [*disturbed, *gate.of_pause(block.block["sessions"])]

    def _put_aside(self, archive: Path, reasons: list[str], where: str) -> None:
        kept = attempts.put_aside(archive, reasons)
        said = f"measured again, since it was disturbed: {'; '.join(reasons)}; kept as {kept}"
        print(f"{archive.parent.name} {archive.stem}: {said}", file=sys.stderr)
        self._commit(f"Put aside {where}", kept, kept.with_suffix(".json"))

    def _commit(self, message: str, *paths: Path) -> None:
        """Commit files of a block to git, if asked to, unless they are there. Raises UserError with
        git's own reason."""
        if not self.order.commit:
            return
        replaced = self.folder / attempts.REPLACED
        every = [*paths, folder.frozen_path(self.campaign), *filter(Path.exists, [replaced])]
        # A campaign's folder is ignored until .gitignore names it.
        _git("add", "--force", "--", *every)
        if _git("status", "--porcelain", "--untracked-files=no", "--", *every):
            _git("commit", "--quiet", "-m", message, "--", *every)

    def _require_clock(self) -> None:
        """Raises UserError if this machine's clock is behind the end of a block."""
        for path in sorted(self.folder.glob("*/block-*.zip")):
            sessions = BlockArchive(path).block["sessions"]
            end_ns = max((session.get("end_ns", 0) for session in sessions), default=0)
            if end_ns > (now := now_ns()):
                raise UserError(
                    f"the clock of this machine: found {in_utc(now)}, expected a time after the "
                    f"end of {path}, {in_utc(end_ns)}; set the clock, so that the order of blocks "
                    "can be read from their times"
                )


@cache
def _paces_in(path: Path, sha256: str) -> list[float]:
    """The pace before each trial of a block [ns]. The block at a path may be measured again, so its
    hash is part of the question."""
    return [
        trial.record["pace_ns"] for trial in BlockArchive(path).trials if "pace_ns" in trial.record
    ]


def disturbances_of(trials: Sequence[TrialRecord], gate: Gate, usual_ns: float) -> list[str]:
    """Reasons to measure a block with these trials again, by its own record and by no result.
    `usual_ns`: the pace of round 1 [ns]; NaN: there is none yet."""
    disturbed = sum(map(_is_disturbed, trials))
    share = disturbed / len(trials) if disturbed > 1 else 0.0
    pace = pace_of(trials) / usual_ns
    loads = _average(trials, "foreign"), _average(trials, "steal")
    return gate.after(*loads, pace, spread_of_pace(trials), share)


def _is_disturbed(trial: TrialRecord) -> bool:
    """Whether a trial is suspect, also if it was rejected for something else, or was rejected for a
    fault of the machine."""
    verdicts = [run["verdict"] for run in trial.get("runs", []) if "verdict" in run]
    failed = {check["kind"] for check in trial["checks"] if not check["passed"]}
    return (
        trial["verdict"] == "suspect"
        or bool(failed & _OF_THE_MACHINE)
        or bool(doubts(trial["health"], verdicts, ()))
    )


def pace_of(trials: Sequence[TrialRecord]) -> float:
    """The median time of the fixed computation before these trials [ns]; NaN without any."""
    found = [trial["pace_ns"] for trial in trials if "pace_ns" in trial]
    return median(found) if found else math.nan


def _average(trials: Sequence[TrialRecord], kind: Literal["foreign", "steal"]) -> float:
    """A load on average over the time of these trials."""
    lengths = [trial["end_ns"] - trial["start_ns"] for trial in trials]
    loads = (trial["health"][kind] for trial in trials)
    return sum(load * ns for load, ns in zip(loads, lengths, strict=True)) / sum(lengths)


def _git(*arguments: str | Path, advice: str = "the block is kept, commit it by hand") -> str:
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    if done.returncode:
        why = " ".join((done.stderr or done.stdout).split())
        raise UserError(f"git {arguments[0]}: {why}; {advice}")
    return done.stdout
