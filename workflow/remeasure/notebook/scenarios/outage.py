"""Scenario outage: what brings a lost tunnel back, and what leaves in the clear until then."""

import math

import altair as alt
import pandas as pd

from remeasure.analysis.models.outage_reading import Outage, ranked
from remeasure.analysis.texts import NO_NUMBER, number_text
from remeasure.notebook.charts import figures
from remeasure.notebook.charts.theme import COLUMN, LONG_NAMES, panel
from remeasure.notebook.scenario_notebook import ScenarioNotebook, each
from remeasure.notebook.scenarios.disturbed import (
    ENDS,
    WAYS,
    counted,
    counts,
    most,
    of_both,
    summarise,
    total,
)

IN_FIGURE = ("stopped", "host-away", "path-10", "path-200")
"""causes that the figure shows: as many as there are shapes of marks"""
_RANKED = [
    "setting",
    "causes that end unprotected",
    "packets in the clear",
    "longest silence (s)",
]

_IN_PAPER = ("TrapFlushed", "RestartFlushed", "DefaultStopped")
"""numbers of single cells that the paper prints"""


class OutageTrials:
    """The trials of scenario outage."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        summarise(notebook, estimator)
        self.causes, self.settings = notebook.measured("cause"), notebook.measured("setting")
        self._rows, self._columns = each("setting", self.settings), each("cause", self.causes)
        self.cells = {
            setting: {cause: cell for cause in self.causes if (cell := self._cell(cause, setting))}
            for setting in self.settings
        }
        """setting -> cause that was measured with it -> the most of any trial"""
        self.ranking = ranked(
            {
                name: cells.values()
                for name, cells in self.cells.items()
                if len(cells) == len(self.causes)
            }
        )
        """settings that were measured with every cause, the best first"""

    def _cell(self, cause: str, setting: str) -> Outage | None:
        where = {"cause": cause, "setting": setting}
        if math.isnan(most(self.notebook.summaries, "silence", where)):
            return None

        found = self.notebook.summaries
        return Outage(
            of_both(found, "clear", ENDS, where),
            of_both(found, "still_clear", ENDS, where),
            of_both(found, "tail", WAYS, where),
            of_both(found, "silence", WAYS, where),
        )

    def ends(self) -> pd.DataFrame:
        """How each cell ends, by the rule that was written before it was measured."""
        rows = [
            {"setting": setting}
            | {cause: cells[cause].end if cause in cells else NO_NUMBER for cause in self.causes}
            for setting, cells in self.cells.items()
        ]
        return pd.DataFrame(rows, dtype=object).set_index("setting")

    def silences(self) -> pd.DataFrame:
        """Longest time without an arrival, of the worse direction [s]."""
        return self.notebook.texts("setting", self._rows, self._columns, metric="silence")

    def clear(self, end: str) -> pd.DataFrame:
        """Packets that left a gateway in the clear."""
        metric = f"{end}_clear"
        return counts(self.notebook.texts("setting", self._rows, self._columns, metric=metric))

    def sas(self) -> pd.DataFrame:
        """IKE_SAs after the flow, at the gateway that has more."""
        return counts(self.notebook.texts("setting", self._rows, self._columns, metric="ike_sas"))

    def refusals(self) -> pd.DataFrame:
        """Negotiations that the responder refused."""
        return counts(self.notebook.texts("setting", self._rows, self._columns, metric="refusals"))

    def standings(self) -> pd.DataFrame:
        """The settings, the best first."""
        rows = [
            (name, one.unprotected, round(one.clear), number_text(one.silence_s, 4))
            for name, one in self.ranking
        ]
        return pd.DataFrame(rows, columns=_RANKED, dtype=object)

    def chart(self) -> alt.LayerChart:
        """Share of the packets that left in the clear, by setting and cause."""
        shown = [cause for cause in IN_FIGURE if cause in self.causes]
        chosen = self.notebook.summaries["metric"] == "clear_share"
        points = self.notebook.summaries[chosen & self.notebook.summaries["cause"].isin(shown)]
        points = points.rename(columns={"setting": "row", "cause": "level"})
        cells = self.notebook.points(self._rows, each("cause", shown), metric="clear_share")
        return figures.points_and_intervals(
            points[["row", "level", "value"]],
            cells,
            levels=shown,
            legend="cause",
            x_title="packets in the clear (%)",
            width=panel(COLUMN, beside=LONG_NAMES),
            scale=alt.Scale(domain=[-3, 103], nice=False),
        )

    def quote(self) -> None:
        """Hand over what the answer says."""
        results, notebook = self.notebook.results, self.notebook
        rule = "by the rule of analysis.models.outage_reading"
        best, clear = NO_NUMBER, math.nan
        if self.ranking:
            best, (_, clear, _) = self.ranking[0]
        results.words("Advised", best, f"first of the settings, {rule}", paper=False)
        says = f"packets in the clear with setting {best}, all causes"
        results.number("AdvisedClear", clear, 0, source=says, paper=False)
        for name, setting in (("Trap", "trap"), ("Default", "default"), ("Clear", "clear")):
            cells = self.cells.get(setting, {}).values()
            says = f"causes that do not end protected with setting {setting}, {rule}"
            number = sum(cell.end != "protected" for cell in cells)
            if cells:
                results.count(f"{name}Unprotected", number, says, paper=False)
            else:
                results.words(f"{name}Unprotected", NO_NUMBER, says, paper=False)
        clear_text = total(notebook.summaries, "clear", "setting", ["restart"])
        says = "packets in the clear with setting restart, all causes"
        results.count("RestartClear", clear_text, says, paper=False)
        results.number("Causes", len(self.causes), 0, source="causes of an outage", paper=False)
        results.number("Settings", len(self.settings), 0, source="settings compared", paper=False)
        for name, metric, cause, setting in (
            ("TrapFlushed", "silence", "killed-flushed", "trap"),
            ("RestartFlushed", "silence", "killed-flushed", "restart"),
            ("QuickPath", "clear_share", "path-10", "restart-quick"),
            ("ForeverPath", "clear", "path-10", "restart-quick-forever"),
            ("ForeverAway", "clear", "host-away", "restart-quick-forever"),
            ("DefaultPath", "silence", "path-10", "default"),
            ("DefaultStopped", "clear_share", "stopped", "default"),
            ("TrapStopped", "clear", "stopped", "trap"),
        ):
            where = {"cause": cause, "setting": setting}
            text = counted(notebook.text(metric=metric, where=where))
            results.words(name, text, paper=name in _IN_PAPER)
