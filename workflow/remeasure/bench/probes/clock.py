"""A host's clock as seen from the measuring machine, before and after a known step."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.probes.base import Bench, LogError, Probe, matched_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.remote import CommandFailed, Remote
from remeasure.bench.testbed.tools import PERL, Tool
from remeasure.bench.testbed.watching.clock_offset import ask_clock, clock_offset

PHASES = ("before", "stepped", "restored")
QUESTIONS = 20
_LINE = re.compile(rf"({'|'.join(PHASES)}) ([0-9]+) ([0-9]+) ([0-9]+)")
# ADJ_SETOFFSET of adjtimex(2), for which date(1) has no option. The system call has number 159 on
# x86-64, the architecture of all guests. modes is ADJ_SETOFFSET | ADJ_NANO; the time is 72 bytes
# into the structure.
_STEP = (
    'perl -e \'$t = pack("L x68 q q x120", 0x2100, {seconds}, {nanoseconds}); '
    "exit(syscall(159, $t) < 0)'"
)


class Clock(Probe):
    """The offset of a host's clock: before a step, after it, and after the step back."""

    kind: ClassVar = "clock"
    takes_ipv6: ClassVar = True
    needs_machine: ClassVar = True
    tools: ClassVar = PERL | {"bash": Tool(["bash", "--version"], "bash")}
    meanings: ClassVar = MEANINGS["clock"]

    host: HostName
    """host whose clock is stepped"""
    step_ms: float = Field(ge=-1e6, le=1e6)
    """step of the clock [ms]: positive forward, negative back"""

    def seconds(self) -> float:
        return 1

    def measure(self, bench: Bench, stem: str) -> None:
        remote, step = bench.remotes[self.host], round(self.step_ms * 1e6)
        if not remote.host.own_kernel:
            raise CommandFailed(
                f"{remote.name}: refusing to set the clock: this host shares its kernel with a "
                "machine we do not own"
            )
        answers = {"before": ask_clock(remote, QUESTIONS)}
        _step_clock(remote, step)
        try:
            answers["stepped"] = ask_clock(remote, QUESTIONS)
        finally:
            _step_clock(remote, -step)
        answers["restored"] = ask_clock(remote, QUESTIONS)
        lines = [(phase, *answer) for phase, found in answers.items() for answer in found]
        bench.save(f"{stem}.log", "".join("{} {} {} {}\n".format(*line) for line in lines))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        form = "'<phase> <asked> <answered> <received>'"
        lines, found = [*matched_lines(_LINE, file, content, form)], list[tuple[float, int]]()
        for index, phase in enumerate(PHASES):
            own = [(number, line) for number, line in lines if line[1] == phase]
            last = own[-1][0] if own else 1
            if len(own) != QUESTIONS:
                wrong = f"{len(own)} lines {phase}"
                raise LogError(file, last, wrong, f"{QUESTIONS} (is the file cut?)")
            answers = [(int(line[2]), int(line[3]), int(line[4])) for _, line in own]
            offset, bound = clock_offset(answers)
            found.append((offset, last))
            yield Value("clock_offset", 1e3 * offset, last, index)
            yield Value("clock_bound", 1e3 * bound, last, index)
        (before, _), (after, stepped), _ = found
        yield Value("clock_step", 1e3 * (after - before), stepped)


def _step_clock(remote: Remote, nanoseconds: int) -> None:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    remote.run(_STEP.format(seconds=seconds, nanoseconds=rest))
