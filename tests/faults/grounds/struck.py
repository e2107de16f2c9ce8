"""Labs that are struck from outside: by signals, by power cuts, or by a clock that is set."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

from injections import inject

from grounds import GROUNDS, MARK, PROGRAMS, LabGround, Said
from remeasure.bench.campaign.archive import BlockArchive

MOMENT_LIMIT_S = 120
"""time within which the moment of a fault must come [s]"""
GONE_LIMIT_S = 60
"""time within which what was killed must have ended [s]"""
SILENT = {signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT}
"""signals at which a job ends without a word"""


class StruckLab(LabGround):
    """What is injected gets this ground, outside the lab, at the moment that the saboteur shows by
    a file. Before a probe goes on, or a lab boots, or a block is packed, the saboteur waits until
    the file is gone, so that the moment is met however busy the machine is."""

    blocks = 2

    def prepare(self) -> None:
        super().prepare()
        self._wanted: dict = {}
        self._failed: list[BaseException] = []
        self.sent: signal.Signals | None = None
        """signal that asked the job to end"""
        self.cuts: list[float] = []
        """times from the start of the command to a power cut, one after the other [s]"""

    def sabotage(
        self, during: str, after_s: float, wanted: dict, each_attempt: bool = False
    ) -> None:
        self._wanted = wanted
        super().sabotage(during, after_s, {"call-out": str(self._moment)}, each_attempt)

    def run(self, command: list[str], **options) -> Said:
        for after_s in self.cuts:
            self._cut(command, after_s)
        self.cuts = []
        wanted, self._wanted = self._wanted, {}
        striking = threading.Thread(target=self._strike, args=(wanted,), daemon=True)
        if wanted:
            striking.start()
        said = super().run(command, **options)
        if wanted:
            striking.join()
        for error in self._failed:
            raise error
        if self.sent in SILENT:
            assert said.status == -self.sent, said
            self._require_gone()
            self.sabotage_no_more()
            return super().run(command)
        assert not self.sent or said.status == 128 + self.sent, said
        self.sent = None
        return said

    def marked(self) -> list[int]:
        """PIDs of all processes of the command, guests included."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                mark = f"{MARK}={self.project.environment[MARK]}".encode()
                if mark in (process / "environ").read_bytes():
                    found.append(int(process.name))
        return found

    def signal_all(self, number: signal.Signals) -> None:
        for process in self.marked():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def _require_gone(self) -> None:
        """A process that is killed takes a moment to end, and nobody waited for these."""
        deadline = time.monotonic() + GONE_LIMIT_S
        while left := self.marked():
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
        assert not list(self.temporary.iterdir())

    @property
    def _moment(self) -> Path:
        return self.project.folder.parent / "moment"

    def _strike(self, wanted: dict) -> None:
        try:
            deadline = time.monotonic() + MOMENT_LIMIT_S
            while not self._moment.exists():
                assert time.monotonic() < deadline, "the moment did not come"
                time.sleep(0.02)
            inject(self, wanted)
        except BaseException as error:  # noqa: BLE001 - raised where the thread is awaited
            self._failed.append(error)
        finally:
            self._moment.unlink(missing_ok=True)

    def _cut(self, command: list[str], after_s: float) -> None:
        """End every process of a command at once. Nothing that was finished may change. A block
        that is complete begins anew."""
        trials = self.block.with_suffix(".staging") / "trials"
        before = {path: path.read_bytes() for path in trials.glob("[0-9]*[0-9]/*")}
        power = threading.Timer(after_s, self.signal_all, [signal.SIGKILL])
        power.start()
        said = super().run(command)
        power.cancel()
        power.join()
        self._require_gone()
        if self.block.exists():
            assert len(BlockArchive(self.block).trials) == 2, said
            self.block.unlink()
            shutil.rmtree(trials.parent, ignore_errors=True)
            return
        assert said.status == -signal.SIGKILL, said
        for path, content in before.items():
            assert path.read_bytes() == content, path


class SetClocks(LabGround):
    """The measuring process alone sees clocks that a fault may set: no machine's clock is touched.
    What it asks of libc goes through set_clock.c; guests, whose libc is another, do not see
    it."""

    def prepare(self) -> None:
        super().prepare()
        folder = self.project.folder.parent
        library, offsets = folder / "set_clock.so", folder / "offsets"
        source = PROGRAMS / "set_clock.c"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        offsets.write_bytes(bytes(16))
        self.project.environment |= {"LD_PRELOAD": str(library), "CLOCK_OFFSETS": str(offsets)}


def moments(seed: int, times: int, longest_s: float) -> list[float]:
    chosen = random.Random(seed)
    return [chosen.uniform(0, longest_s) for _ in range(times)]


GROUNDS |= {"struck": StruckLab, "clocks": SetClocks}
