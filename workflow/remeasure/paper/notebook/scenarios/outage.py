"""Scenario outage: what brings a lost tunnel back, and what leaves in the clear until then."""

import math
from collections.abc import Mapping

import altair as alt
import pandas as pd

from remeasure.paper.analysis.lineage import Origin, Quoted, origins_of
from remeasure.paper.analysis.models.outage_reading import Outage, ranked
from remeasure.paper.analysis.texts import NO_NUMBER, estimate_text, number_text
from remeasure.paper.notebook.asked import each
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import LONG_NAMES, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.scenarios.disturbed import (
    ENDS,
    WAYS,
    counted,
    counts,
    most,
    of_both,
    summarise,
)

_GATEWAYS = {"initiator": "the initiator", "responder": "the peer"}
"""end -> what texts call its gateway; the peer is what fails"""
_RANKED = [
    "setting",
    "causes that end unprotected",
    "traffic in the clear (s)",
    "longest silence (s)",
]

_LEAKS = (
    ("DefaultStopped", "stopped", "default"),
    ("TrapStopped", "stopped", "trap"),
    ("QuickPath", "path-10", "restart-quick"),
    ("ForeverPath", "path-10", "restart-quick-forever"),
    ("AwayDefault", "host-away", "default"),
    ("AwayClear", "host-away", "clear"),
    ("AwayRestart", "host-away", "restart"),
    ("AwayQuick", "host-away", "restart-quick"),
    ("AwayForever", "host-away", "restart-quick-forever"),
    ("AwayTrap", "host-away", "trap"),
)
"""leaks that texts name: name, cause, setting"""


class OutageTrials:
    """The trials of scenario outage."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        summarise(notebook, estimator)
        flow = notebook.scenario.settings_where().probes["flow"].model_dump()
        self.duration: float = flow["duration"]
        """duration of a flow [s]"""
        self.at: float = flow["at"]
        """time from the begin of a flow to its outage [s]"""
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
            of_both(found, "clear_time", ENDS, where),
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
        """Traffic that left a gateway in the clear [s], and whether it left to the end of the
        flow."""

        def shown(cause: str, setting: str) -> str:
            cell = self.cells[setting].get(cause)
            if cell is None:
                return NO_NUMBER
            to_the_end = cell.still_clear[ENDS.index(end)] > 0
            return self._seconds(end, cause, setting).within(
                "{}, to the end" if to_the_end else "{}"
            )

        rows = [
            {"setting": setting} | {cause: shown(cause, setting) for cause in self.causes}
            for setting in self.settings
        ]
        return pd.DataFrame(rows, dtype=object)

    def _seconds(self, end: str, cause: str, setting: str) -> Quoted:
        where = {"cause": cause, "setting": setting}
        found = self.notebook.estimate(metric=f"{end}_clear_time", where=where)
        # Without an interval, the zeros of 0.0500 would say more than the flow's grain of 0.05 s.
        return (
            estimate_text(found)
            if found.low < found.high
            else Quoted(f"{found.value:.3g}", [found.origin])
        )

    def leak(self, cause: str, setting: str) -> str:
        """Where traffic left in the clear, for how long, and whether it did to the end of the
        flow."""
        cell = self.cells.get(setting, {}).get(cause)
        if cell is None:
            return NO_NUMBER
        seconds = {name: self._seconds(end, cause, setting) for end, name in _GATEWAYS.items()}
        if not any(cell.clear_s):
            return Quoted("at neither gateway", _origins(seconds))
        leaking = {name: time for name, time in seconds.items() if time != "0"}
        if len(leaking) == 2 and len(set(leaking.values())) == 1:
            leaking = {"both gateways": leaking["the peer"]}
        said = " and ".join(f"at {name} for {time} s" for name, time in leaking.items())
        until = ", to the end of the run" if cell.end == "clear" else ""
        return Quoted(f"{said}{until}", _origins(leaking))

    def sas(self) -> pd.DataFrame:
        """IKE_SAs after the flow, at the gateway that has more."""
        return counts(self.notebook.texts("setting", self._rows, self._columns, metric="ike_sas"))

    def refusals(self) -> pd.DataFrame:
        """Negotiations that the responder refused."""
        return counts(self.notebook.texts("setting", self._rows, self._columns, metric="refusals"))

    def standings(self) -> pd.DataFrame:
        """The settings, the best first."""
        rows = [
            (name, one.unprotected, f"{one.clear_s:.4g}", number_text(one.silence_s, 4))
            for name, one in self.ranking
        ]
        return pd.DataFrame(rows, columns=_RANKED, dtype=object)

    def chart(self) -> alt.HConcatChart:
        """Traffic that left each gateway in the clear, by setting and cause."""
        return alt.hconcat(*(self._panel(end, name) for end, name in _GATEWAYS.items()))

    def _panel(self, end: str, name: str) -> alt.LayerChart:
        metric = f"{end}_clear_time"
        points = self.notebook.summaries[self.notebook.summaries["metric"] == metric]
        points = points.rename(columns={"setting": "row", "cause": "level"}).assign(gateway=name)
        cells = self.notebook.points(self._rows, self._columns, metric=metric)
        return figures.points_and_intervals(
            points[["row", "level", "value", "gateway"]],
            cells.assign(gateway=name),
            levels=self.causes,
            legend="cause",
            x_title="traffic in the clear (s)",
            width=panel(PAGE, 2, beside=LONG_NAMES),
            row_step=14,
            scale=alt.Scale(type="symlog", domain=[-0.2, 700], nice=False),
            ticks=[0, 1, 10, 100],
        ).properties(title=f"At {name}")

    def quote(self) -> None:
        """Hand over what the answer says."""
        results, notebook = self.notebook.results, self.notebook
        rule = "by the rule of analysis.models.outage_reading"
        best = self.ranking[0][0] if self.ranking else NO_NUMBER
        results.words("Advised", best, f"first of the settings, {rule}")
        for name, setting in (("Trap", "trap"), ("Default", "default"), ("Clear", "clear")):
            cells = self.cells.get(setting, {}).values()
            says = f"causes that do not end protected with setting {setting}, {rule}"
            number = sum(cell.end != "protected" for cell in cells)
            if cells:
                results.count(f"{name}Unprotected", number, says)
            else:
                results.words(f"{name}Unprotected", NO_NUMBER, says)
        results.number("Causes", len(self.causes), 0, source="causes of an outage")
        results.number("Settings", len(self.settings), 0, source="settings compared")
        results.number("Duration", self.duration, 0, source="duration of a flow, s")
        for name, cause, setting in _LEAKS:
            says = f"traffic in the clear; cause {cause}, setting {setting}"
            results.words(name, self.leak(cause, setting), says)
        for name, cause, setting in (
            ("TrapFlushed", "killed-flushed", "trap"),
            ("RestartFlushed", "killed-flushed", "restart"),
            ("DefaultPath", "path-10", "default"),
        ):
            silence = notebook.text(metric="silence", where={"cause": cause, "setting": setting})
            results.words(name, counted(silence))


def _origins(texts: Mapping[str, str]) -> list[Origin]:
    return [origin for one in texts.values() for origin in origins_of(one)]
