"""Measure the next round of a campaign: its blocks one after the other, in the drawn order, each by
`remeasure measure` in a process of its own, since a lab ends with its process."""

import fcntl
import os
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.interruption import Interrupted
from remeasure.bench.base.paths import CACHE, ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import (
    Frozen,
    block_path,
    campaign_folder,
    frozen_path,
    load_frozen,
    read_frozen,
)
from remeasure.bench.campaign.judged_block import disturbances_of, pace_of
from remeasure.bench.campaign.machine_kind import Machine, are_alike, in_words
from remeasure.bench.campaign.profiles import gate_of
from remeasure.bench.campaign.register import register
from remeasure.bench.campaign.release import require_not_released
from remeasure.bench.campaign.round_plan import RoundPlan, measuring_code
from remeasure.bench.campaign.rounds import campaign_rounds
from remeasure.bench.campaign.staging import write_json
from remeasure.bench.campaign.unfinished import missing_blocks, progress
from remeasure.bench.lab.testbeds import LabTestbed, document_of, load_testbed
from remeasure.bench.measure.begin import begin_campaign
from remeasure.bench.measure.quiet import disturbances, wait_until_quiet
from remeasure.bench.testbed.record_clock import in_utc, now_ns
from remeasure.bench.testbed.watching.facts import machine_facts

_BAD = re.compile(r"│ .*│ (MISSING|WRONG) ").match
"""a line of the table of `remeasure check`"""
REPLACED = "replaced"
"""folder of a campaign: attempts at blocks that were measured again, with the reasons"""


@dataclass(frozen=True)
class RoundOrder:
    """The arguments of `remeasure round`."""

    campaign: str
    profile: str | None
    testbed: str
    seed: int
    wait: float
    """how long to wait for a quiet machine before a block [min]"""
    commit: bool
    """whether each finished block is committed to git"""


def measure_round(order: RoundOrder) -> str:
    """Measure the next unfinished round, or the rest of it. Returns how far the campaign is. Raises
    UserError, SystemExit with the status of a command that has said why it failed, and Interrupted.
    Finished trials are kept, and the next call goes on."""
    with _alone():
        testbed = load_testbed(order.testbed)
        if not isinstance(testbed, LabTestbed):
            raise UserError(
                f"testbed {testbed.name}: rounds are measured on this machine, whose load and pace "
                "can be watched; expected a lab"
            )
        machine = machine_facts()
        campaign = _begun(order, testbed, machine)
        frozen = load_frozen(frozen_path(campaign))
        _require_code(frozen)
        return _Round(frozen, _plan_of(frozen), order).measure()


@contextmanager
def _alone() -> Iterator[None]:
    """Raises UserError if another round is being measured on this machine."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "round.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another round is being measured on this machine, and two would disturb each "
                "other; wait for its end"
            ) from None
        yield


def _begun(order: RoundOrder, testbed: LabTestbed, machine: Machine) -> str:
    """The campaign to which this machine belongs, which is begun if need be: the one of the order,
    or one with the same plan for another kind of machine."""
    first = read_frozen(order.campaign)
    if first is None:
        require_not_released(order.campaign)
        new = campaign_rounds(order.campaign, order.profile, order.seed)
        profile = next(iter(new.scenarios.values())).profile
        drawn = RoundPlan.drawn(gate_of(profile), new.rounds)
        begin_campaign(
            order.campaign, new.scenarios, profile, testbed.name, order.seed, True, drawn, machine
        )
        return order.campaign
    plan = _plan_of(first)
    _require_plan(first, order, testbed)
    for suffix in ("", *(f"-{letter}" for letter in string.ascii_lowercase[1:])):
        campaign = order.campaign + suffix
        frozen = first if not suffix else read_frozen(campaign)
        if frozen is None or frozen.machine is None or are_alike(frozen.machine, machine):
            break
    if suffix:
        print(
            f"{order.campaign}: measured on {in_words(first.machine or {})}; this machine, "
            f"{in_words(machine)}, measures {campaign} with the same plan",
            file=sys.stderr,
        )
    require_not_released(campaign)
    if frozen is None:
        drawn = RoundPlan.drawn(plan.gate, plan.rounds)
        begin_campaign(
            campaign, first.scenarios, first.profile, testbed.name, first.seed, True, drawn, machine
        )
    elif suffix:
        _require_plan(frozen, order, testbed)
    return campaign


def _require_plan(frozen: Frozen, order: RoundOrder, testbed: LabTestbed) -> None:
    """Raises UserError unless a campaign has rounds, and was begun with the present settings,
    scenarios and claims."""
    path = frozen_path(frozen.campaign)
    frozen.require_profile(order.profile)
    for name in frozen.scenarios:
        frozen.require_settings(frozen.scenario(name, path), order.seed, document_of(testbed))
        then, now = frozen.registered[name], register(name, frozen.rules)
        if changed := sorted(c for c in then.keys() | now.keys() if then.get(c) != now.get(c)):
            raise UserError(
                f"{path}: registered.{name}: claim {changed[0]} in data/published is not as it was "
                f"when {frozen.campaign} began; restore it, or name another campaign"
            )


def _plan_of(frozen: Frozen) -> RoundPlan:
    """The plan of a campaign. Raises UserError if it has no rounds."""
    if frozen.rounds is None:
        raise UserError(
            f"{frozen_path(frozen.campaign)}: rounds: not there: this campaign has none; measure "
            "it by snakemake, or name another campaign"
        )
    return frozen.rounds


def _require_code(frozen: Frozen) -> None:
    """Raises UserError if the code that measures has changed since the campaign began."""
    found, expected = measuring_code(), _plan_of(frozen).code
    if expected != found:
        raise UserError(
            f"{frozen_path(frozen.campaign)}: rounds.code: found {found} in workflow/remeasure/"
            f"bench, expected {expected}; measure the other rounds by the same code: git checkout "
            f"{frozen.software.rstrip('+')}, or name another campaign"
        )


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
            wait_until_quiet(self._look, self.order.wait, where)
            print(where, file=sys.stderr)
            self._measure(archive)
            made += 1
        if self.order.commit:
            self._commit(archive, where)
        return made

    def _look(self) -> list[str]:
        """Reasons not to begin a block now. Once it is quiet, the testbed is checked, once."""
        found = disturbances(self.plan.gate, self._usual_ns())
        if not found and not self._checked:
            found = self._check()
            self._checked = not found
        return found

    def _check(self) -> list[str]:
        """Missing and wrong things that `remeasure check` finds, in one line. The clock of a
        guest spoils one-way delays only; its offset is stored with the block."""
        done = subprocess.run(
            self._command("check", self.order.testbed),
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
        command = self._command("measure", self.campaign, name, block, *settings)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            try:
                status = process.wait()
            except Interrupted as stop:
                process.send_signal(stop.number)
                process.wait()
                raise SystemExit(stop.status) from None
        if status:
            raise SystemExit(status)

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "remeasure", *words]

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


def _git(*arguments: str | Path) -> str:
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    if done.returncode:
        why = " ".join((done.stderr or done.stdout).split())
        raise UserError(f"git {arguments[0]}: {why}; the block is kept, commit it by hand")
    return done.stdout
