"""The plan of a campaign with rounds, frozen in campaign.yaml before the first block, and the
bounds of its gate. A block begins when nothing disturbs the machine. If its own record shows that
it was disturbed, it is measured again, whatever its results."""

import ast
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.config import Share


class Gate(config.Strict):
    """Bounds of disturbances. A profile with rounds may give its own."""

    foreign: Share = 0.02
    """share of all processors that other programs may use before a block: a fifth of the share
    that makes a trial suspect"""
    steal: Share = 0.01
    """share of all processors that a hypervisor may take, before a block and on average over it; in
    released blocks at most 0.0006"""
    pace: float = Field(0.1, gt=0)
    """most that the time of a fixed computation may differ from its median in round 1, as a share
    of the median. It differs by 0.03 from one time to the next on a busy machine"""
    spread: float = Field(0.1, gt=0)
    """most that the pace may differ just before a block, and within it, as a share of its median:
    between the 10th and the 90th percentile (campaign/pace.py). A machine once passed from 1.8 to
    2.9 s and back within minutes, idle and without steal: a block that begins then is refused"""
    during: Share = 0.03
    """like `foreign`, on average over a block. Threads of the machine's kernel that move the
    guests' frames count as foreign: up to 0.023 in blocks of a quiet machine"""
    refused: Share = 0.05
    """share of the trials of a block that may be disturbed: suspect, or rejected for a fault of the
    machine. One may be in any block. Trials that are rejected for loss, or for a failed set-up, do
    not count: to measure them again would choose trials by their results"""
    pause: float = Field(30, gt=0)
    """longest time between two sessions of a block [min]: sides of a comparison share its hour"""
    attempts: int = Field(3, ge=1)
    """how often a block is measured at most; the last attempt is kept, with a mark, since a block
    that fails each time is not failing by chance. Blocks that were cut short do not count"""

    def before(self, foreign: float, steal: float, pace: float, spread: float) -> list[str]:
        """Reasons not to begin a block, one each. `pace`: time of the fixed computation now, as a
        multiple of its median in round 1; NaN: there is none yet. `spread`: of its pace now."""
        return self._of_machine(foreign, self.foreign, steal, pace, spread)

    def after(
        self, foreign: float, steal: float, pace: float, spread: float, refused: float
    ) -> list[str]:
        """Reasons to measure a block again, from its own record: loads on average over the block,
        its pace as in `before`, the spread of its pace (campaign/pace.py), and the share of trials
        that were disturbed."""
        of_machine = self._of_machine(foreign, self.during, steal, pace, spread)
        return [*of_machine, *_beyond("trials that were disturbed", refused, self.refused)]

    def of_pause(self, sessions: Sequence[Mapping[str, Any]]) -> list[str]:
        """Reasons from the times of a block's sessions (record.SessionRecord)."""
        pairs = itertools.pairwise(sessions)
        pauses = (then["start_ns"] - one.get("end_ns", one["start_ns"]) for one, then in pairs)
        longest = max(pauses, default=0) / 60e9
        if longest > self.pause:
            found = f"a pause between sessions: found {longest:.0f} min"
            return [f"{found}, expected at most {self.pause:g} min"]
        return []

    def _of_machine(
        self, foreign: float, most: float, steal: float, pace: float, spread: float
    ) -> list[str]:
        off = f"pace: found {pace:.2f} times the median of round 1, expected within {self.pace:g}"
        return [
            *_beyond("processor use of other programs", foreign, most),
            *_beyond("processor use of the hypervisor", steal, self.steal),
            *([off] if abs(pace - 1) > self.pace else []),
            *_beyond("spread of pace", spread, self.spread),
        ]


def _beyond(what: str, found: float, bound: float) -> list[str]:
    return [f"{what}: found {found:.1%}, expected at most {bound:.1%}"] if found > bound else []


class PlannedBlock(NamedTuple):
    scenario: str
    number: int
    """number of the block in its scenario, from 1"""


Round = list[PlannedBlock]
"""blocks in the order in which they are measured"""


class RoundPlan(config.Strict):
    """The common settings of all rounds of a campaign."""

    gate: Gate
    least: int = Field(ge=1)
    """complete rounds with which the campaign may be released"""
    code: str
    """hash of the code that measures (`measuring_code`)"""
    blocks: list[list[str]] = Field(min_length=1)
    """for each round its blocks in their order, as <scenario>/<number>"""

    @classmethod
    def drawn(cls, gate: Gate, rounds: Sequence[Round], least: int | None = None) -> Self:
        """A plan of these rounds, for the present code; by default all of them are needed."""
        blocks = [[f"{name}/{number}" for name, number in one] for one in rounds]
        return cls(gate=gate, least=least or len(rounds), code=measuring_code(), blocks=blocks)

    @property
    def rounds(self) -> list[Round]:
        pairs = ([block.split("/") for block in one] for one in self.blocks)
        return [[PlannedBlock(name, int(number)) for name, number in one] for one in pairs]


def measuring_code() -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the code in remeasure/bench. Comments and
    line breaks of Python do not count."""
    package, found = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(path for path in package.rglob("*.*") if path.suffix != ".pyc"):
        found.update(f"{path.relative_to(package)}\0{code_in(path)}\0".encode())
    return found.hexdigest()[:16]


def code_in(path: Path) -> str:
    """The code of a file: of Python without comments and line breaks."""
    text = path.read_text()
    return ast.dump(ast.parse(text)) if path.suffix == ".py" else text
