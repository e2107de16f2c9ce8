"""Measure the next round of a campaign: its blocks one after the other, in the drawn order, each by
`remeasure measure` in a process of its own, since a lab ends with its process."""

import fcntl
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.interruption import Interrupted
from remeasure.bench.base.paths import ROOT, SECRETS
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import (
    Frozen,
    block_path,
    campaign_folder,
    frozen_path,
    load_frozen,
)
from remeasure.bench.campaign.record import TrialRecord
from remeasure.bench.campaign.round_plan import Gate, RoundPlan
from remeasure.bench.campaign.rounds import missing_blocks, progress
from remeasure.bench.campaign.staging import write_json
from remeasure.bench.lab.testbeds import LabTestbed, load_testbed
from remeasure.bench.measure.begin import RoundOrder, begin_on, plan_of, require_code
from remeasure.bench.measure.same_guests import tell_changes
from remeasure.bench.testbed.record_clock import RecordClock, in_utc, now_ns
from remeasure.bench.testbed.watching.facts import machine_facts
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.processor_time import pace_ns

_REMEASURE = (sys.executable, "-m", "remeasure")
_BAD = re.compile(r"│ .*│ (MISSING|WRONG) ").match
"""a line of the table of `remeasure check`"""
_LOOK_S = 5
"""how long the machine is watched at once [s]: 10 ticks on two processors are 1 %"""
_AGAIN_S = 10
"""time between two looks at a machine that is not quiet [s]"""
REPLACED = "replaced"
"""folder of a campaign: attempts at blocks that were measured again, with the reasons"""


def measure_round(order: RoundOrder) -> str:
    """Measure the next unfinished round, or the rest of it. Returns how far the campaign is. Raises
    UserError, SystemExit with the status of a command that has said why it failed, and Interrupted.
    Finished trials are kept, and the next call goes on."""
    with _alone(order.campaign):
        testbed = load_testbed(order.testbed)
        if not isinstance(testbed, LabTestbed):
            raise UserError(
                f"testbed {testbed.name}: rounds are measured on this machine, whose load and pace "
                "can be watched; expected a lab"
            )
        machine = machine_facts()
        campaign = begin_on(order, testbed, machine)
        frozen = load_frozen(frozen_path(campaign))
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
    SECRETS.mkdir(exist_ok=True)
    with (SECRETS / f"{campaign_folder(campaign).name}.round.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{campaign}: another process is measuring a round; wait for its end"
            ) from None
        yield


class _Round:
    """The next round of a campaign, while it is measured."""

    def __init__(self, frozen: Frozen, plan: RoundPlan, order: RoundOrder):
        self.frozen, self.plan, self.order = frozen, plan, order
        self.campaign, self.folder = frozen.campaign, campaign_folder(frozen.campaign)
        self._checked = False

    def measure(self) -> str:
        """Measure it. Returns how far the campaign is."""
        self._require_clock()
        missing, rounds = missing_blocks(self.frozen), self.plan.rounds
        present = next((i for i, blocks in enumerate(missing) if blocks), len(rounds))
        measured = 0
        # A call that was killed may not have looked at the record of its last block.
        for number in range(max(present - 1, 0), min(present + 1, len(rounds))):
            for place, (name, block) in enumerate(rounds[number], 1):
                title = (
                    f"{self.campaign}, round {number + 1} of {len(rounds)}, {name} block {block}"
                )
                where = f"{title} ({place} of {len(rounds[number])})"
                measured += self._finish(block_path(self.campaign, name, block), where)
        if not measured and present == len(rounds):
            raise UserError(
                f"{self.folder}: {present} of {present} rounds are measured; seal the campaign: "
                f"remeasure release {self.campaign}"
            )
        return f"{self.campaign}: {progress(self.frozen) or f'all {len(rounds)} rounds'} measured"

    def _finish(self, archive: Path, where: str) -> int:
        """Measure a block until its record passes the gate, and commit it. Returns the number of
        attempts made now."""
        made = 0
        while not archive.exists() or self._is_put_aside(archive):
            _wait_until_quiet(self._look, self.order.wait, where)
            print(where, file=sys.stderr)
            self._measure(archive)
            made += 1
            tell_changes(archive)
        if self.order.commit:
            self._commit(archive, where)
        return made

    def _look(self) -> list[str]:
        """Reasons not to begin a block now. Once it is quiet, the testbed is checked, once."""
        found = _disturbances(self.plan.gate, self._usual_ns())
        if not found and not self._checked:
            found = self._check()
            self._checked = not found
        return found

    def _check(self) -> list[str]:
        """Missing and wrong things that `remeasure check` finds, in one line. The clock of a
        guest spoils one-way delays only; its offset is stored with the block."""
        done = subprocess.run(
            [*_REMEASURE, "check", self.order.testbed],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"COLUMNS": "1000"},  # each finding on one line
        )
        rows = [line.split("│")[1].strip() for line in done.stdout.splitlines() if _BAD(line)]
        wrong = [row for row in rows if row != "clock"]
        if wrong or (done.returncode and not rows):
            what = ", ".join(wrong) or "no answer"
            return [f"remeasure check {self.order.testbed}: missing or wrong: {what}"]
        return []

    def _measure(self, archive: Path) -> None:
        """Measure a block in a process of its own. Raises SystemExit if it fails, or if a signal
        asks to end: it has said so."""
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

    def _usual_ns(self) -> float:
        """The pace of round 1, as far as it is measured [ns]; NaN before its first block."""
        first = (block_path(self.campaign, *place) for place in self.plan.rounds[0])
        return _pace_of_blocks(tuple(filter(Path.exists, first)))

    def _is_put_aside(self, archive: Path) -> bool:
        """Whether a block was disturbed by its own record and is to be measured again; then it is
        kept in REPLACED, with the reasons."""
        trials = [trial.record for trial in BlockArchive(archive).trials]
        reasons = disturbances_of(trials, self.plan.gate, self._usual_ns())
        folder = self.folder / REPLACED / archive.parent.name
        attempt = 1 + len(list(folder.glob(f"{archive.stem}.attempt-*.zip")))
        if not reasons or attempt >= self.plan.gate.attempts:
            return False
        kept = folder / f"{archive.stem}.attempt-{attempt}.zip"
        folder.mkdir(parents=True, exist_ok=True)
        write_json(kept.with_suffix(".json"), {"reasons": reasons})
        archive.replace(kept)
        said = f"measured again, since it was disturbed: {'; '.join(reasons)}; kept as {kept}"
        print(f"{archive.parent.name} {archive.stem}: {said}", file=sys.stderr)
        return True

    def _commit(self, archive: Path, where: str) -> None:
        """Commit a block to git, unless it is there. Raises UserError with git's own reason."""
        replaced = self.folder / REPLACED
        paths = [archive, frozen_path(self.campaign), *([replaced] if replaced.exists() else [])]
        # A campaign's folder is ignored until .gitignore names it.
        _git("add", "--force", "--", *paths)
        if _git("status", "--porcelain", "--untracked-files=no", "--", *paths):
            _git("commit", "--quiet", "-m", f"Measure {where}", "--", *paths)

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
def _pace_of_blocks(blocks: tuple[Path, ...]) -> float:
    """The median pace before the trials of these blocks [ns]; NaN without any."""
    return pace_of([trial.record for path in blocks for trial in BlockArchive(path).trials])


def _disturbances(gate: Gate, usual_ns: float) -> list[str]:
    """Disturbances of this machine now, one line each, while nothing of ours runs. `usual_ns`: its
    pace in round 1 [ns]; NaN: not known yet."""
    clocks = RecordClock().watch()
    meter = LocalMeter()
    time.sleep(_LOOK_S)
    load = meter.read()
    # All that is busy is foreign here: no guest runs, and this process sleeps.
    pace = pace_ns() / usual_ns if not math.isnan(usual_ns) else math.nan
    return [*gate.before(load["busy"], load["steal"], pace), *clocks()]


def _wait_until_quiet(look: Callable[[], list[str]], minutes: float, title: str) -> None:
    """Wait until `look` finds nothing, and print the reasons. `title` names the block. Raises
    UserError after so many minutes."""
    until, told = time.monotonic() + 60 * minutes, False
    while found := look():
        if time.monotonic() + _AGAIN_S > until:
            raise UserError(
                f"{title}: not begun in {minutes:g} min: {'; '.join(found)}; end the disturbance, "
                "and give the same command again, or let it wait longer: --wait MINUTES"
            )
        if not told:
            print(f"{title}: waits for a quiet machine: {'; '.join(found)}", file=sys.stderr)
            told = True
        time.sleep(_AGAIN_S)


def disturbances_of(trials: Sequence[TrialRecord], gate: Gate, usual_ns: float) -> list[str]:
    """Reasons to measure a block with these trials again, by its own record and by no result.
    `usual_ns`: the pace of round 1 [ns]; NaN: there is none yet."""
    refused = sum(trial["verdict"] != "accepted" for trial in trials)
    share = refused / len(trials) if refused > 1 else 0.0
    pace = pace_of(trials) / usual_ns
    return gate.after(_average(trials, "foreign"), _average(trials, "steal"), pace, share)


def pace_of(trials: Sequence[TrialRecord]) -> float:
    """The median time of the fixed computation before these trials [ns]; NaN without any."""
    found = [trial["pace_ns"] for trial in trials if "pace_ns" in trial]
    return median(found) if found else math.nan


def _average(trials: Sequence[TrialRecord], kind: Literal["foreign", "steal"]) -> float:
    """A load on average over the time of these trials."""
    lengths = [trial["end_ns"] - trial["start_ns"] for trial in trials]
    loads = (trial["health"][kind] for trial in trials)
    return sum(load * ns for load, ns in zip(loads, lengths, strict=True)) / sum(lengths)


def _git(*arguments: str | Path) -> str:
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    if done.returncode:
        why = " ".join((done.stderr or done.stdout).split())
        raise UserError(f"git {arguments[0]}: {why}; the block is kept, commit it by hand")
    return done.stdout
