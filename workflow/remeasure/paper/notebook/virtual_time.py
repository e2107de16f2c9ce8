"""Times of a scenario in virtual time, next to real time. In virtual time computing takes no time:
its results show protocol and network. The surplus in real time is computing."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import pandas as pd
from IPython.display import Markdown

from remeasure.bench.base.files import file_hash
from remeasure.bench.base.names import VIRTUAL
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.virtual_blocks import read_machines
from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.analysis.limits.rate_limits import PROTOCOL
from remeasure.paper.analysis.summaries import read_tables, trial_summaries
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import Asked, AskedParts, Asking, grid, joined
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.shared_tables import campaign_row, provenance
from remeasure.paper.words import words_of

_WORDS = words_of(__file__, "virtual-time")
REPEATED = ROOT / "data" / "captured" / "repeated.csv"
"""released blocks that were measured again after their release"""
_PROCESSORS = "models of processor on which a block of the scenario came out with the same bytes"


class VirtualTime(Asking):
    """The campaigns of a notebook's scenario in virtual time; without any, estimates are n/a."""

    def __init__(
        self, notebook: ScenarioNotebook, estimator: str = "mean", real: pd.DataFrame | None = None
    ):
        """`estimator` as in ScenarioNotebook.summarise; `real`: others than its own summaries."""
        self._notebook, self._real_summaries = notebook, real
        self.tables = read_tables(notebook.folder, virtual=True)
        """tidy tables of the campaigns in virtual time, perhaps without rows"""
        observations, factors = self.tables["observations"], self.tables.factors
        super().__init__(notebook, trial_summaries(observations, factors, estimator))
        self.summaries.attrs[VIRTUAL] = True
        self.alone = bool(notebook.trials["hosts"].str.startswith(VIRTUAL).all())
        """True if all campaigns are in virtual time"""

    def __bool__(self) -> bool:
        return not self.tables["trials"].empty

    def add(self, *derived: pd.DataFrame) -> None:
        """Add summaries of derived metrics."""
        self.summaries = pd.concat([self.summaries, *derived], ignore_index=True)
        self.summaries.attrs[VIRTUAL] = True

    def beside(self, head: str, rows: AskedParts, **common: Unpack[Asked]) -> pd.DataFrame:
        """A table of estimates as text: in virtual time, in real time, and the difference. `head`
        is the heading of the column of row labels."""
        clocks: dict[str, Callable[[Asked], Estimate]] = {
            "virtual time": self.estimate,
            "real time": self._real,
            "real - virtual": self.excess,
        }
        return grid(
            head, rows, clocks, lambda row, clock: text(clocks[clock](joined(common, rows[row])))
        )

    def excess(self, *parts: Asked, **fields: Unpack[Asked]) -> Estimate:
        """How much higher the estimate is in real time. If the network draws random numbers, both
        vary, and the interval covers both."""
        question = joined(*parts, fields)
        virtual, real = self.estimate(question), self._real(question)
        if not (virtual.n and real.n):
            return NOTHING
        spread = 0.0 if math.isnan(virtual.low) else virtual.high - virtual.value
        value = real.value - virtual.value
        low, high = (math.hypot(end - real.value, spread) for end in (real.low, real.high))
        found = Estimate(value, value - low, value + high, real.n)
        says = real.origin.says if real.origin else "the same"
        return found.computed(f"{says}: in real time less in virtual time", [real, virtual])

    def origin(self) -> pd.DataFrame:
        """The origin of trials in virtual time; kept as a row of the paper's table of campaigns."""
        if not self or self.alone:
            return pd.DataFrame()
        row = campaign_row(self._notebook.name, provenance(self.blocks), self.tables["trials"])
        self._notebook.results.campaign(row, "virtual-")
        return row

    def standing(self) -> Markdown:
        """The nature and possible readings of these campaigns, in words."""
        if not self:
            return Markdown(_WORDS["nothing"])
        trials = self.tables["trials"]
        names = ", ".join(f"`{name}`" for name in trials["campaign"].drop_duplicates())
        accepted = (trials["verdict"] == "accepted").sum()
        counts = {"names": names, "accepted": accepted, "trials": len(trials)}
        return Markdown(_WORDS["standing"].format(**counts, reading=PROTOCOL))

    @property
    def blocks(self) -> list[Path]:
        campaigns = set(self.tables["trials"]["campaign"])
        return [b for b in self._notebook.every_block if b.parent.parent.name in campaigns]

    def hand_over(self, *names: str) -> None:
        """Keep these numbers for the paper: LabBlock, VirtualMachine, VirtualClock (time of a block
        in the lab, in virtual time on the machine, and by the trials' own clocks [min]), and
        VirtualProcessors (models of processor that gave the same bytes)."""
        trials, found = self._notebook.trials, map(read_machines, self.blocks)
        # The fastest of each block, since the machine was also in other use.
        measured = [min(of_block, key=lambda one: one.seconds) for of_block in found if of_block]
        real = [] if self.alone else trials.groupby(["campaign", "block"])["duration"].sum()
        minutes = {
            "VirtualClock": ([one.virtual_seconds for one in measured], "by the trials' clocks"),
            "VirtualMachine": ([one.seconds for one in measured], "on the machine"),
            "LabBlock": (real, "in real time"),
        }
        for name in names:
            if name == "VirtualProcessors":
                alike = len(self._processors())
                self._notebook.results.number(name, alike, 0, source=_PROCESSORS)
                continue
            seconds, how = minutes[name]
            mean = sum(seconds) / len(seconds) / 60 if len(seconds) else math.nan
            source = f"mean time of a block {how}, min"
            self._notebook.results.number(name, mean, 1, source=source)

    def _processors(self) -> set[str]:
        """Models of processor that gave the bytes of the blocks."""
        released = set(map(file_hash, self.blocks))
        machines = (one for block in self.blocks for one in read_machines(block))
        found = {str(one.machine["cpu"]) for one in machines if one.sha256 in released}
        repeated = pd.read_csv(REPEATED)
        return found | set(repeated["cpu"][repeated["found"].isin(released)])

    def _real(self, question: Asked) -> Estimate:
        if self.alone:
            return NOTHING
        return self._notebook.estimate(question, summaries=self._real_summaries)
