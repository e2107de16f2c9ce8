"""Scenario outage: how a lost tunnel comes back, and how much leaks until then."""

import math
from typing import Any

import altair as alt
import pandas as pd

from notebooks.outage.reading import OutageCell, ranked
from remeasure.bench.base.names import VIRTUAL
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.analysis.texts import NO_NUMBER, estimate_text, number_text
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Asking, at, each
from remeasure.paper.notebook.charts.figures import nothing
from remeasure.paper.notebook.charts.theme import COLUMN, PALETTE, TWO_LINES, printed
from remeasure.paper.notebook.disturbed import ENDS, WAYS, derived, most
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.strongswan_versions import Versions
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
GATEWAYS: dict[str, str] = _WORDS["gateways"]
SILENCE: Asked = {"metric": "silence"}
NUMBERS: dict[str, Asked] = _WORDS["numbers"]
ROWS: dict[str, str] = _WORDS["rows"]
COLUMNS: dict[str, str] = _WORDS["columns"]
LEAKS: dict[str, list[str]] = _WORDS["leaks"]
BOOTS = ("boot", "boot-debian")
"""causes in real time"""
OF_VERSIONS = {
    f"{cause}, {setting}": at({}, cause=cause, setting=setting)
    for cause in ("stopped", "host-away", "path-200")
    for setting in ("default", "clear", "restart", "trap")
}
"""cells that were measured with several versions of strongSwan"""
STANDINGS = ["setting", "causes that end unprotected", "traffic leaked (s)", "longest silence (s)"]


class OutageTrials:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, real = notebook, notebook.turn_to_virtual_time()
        made = trial_summaries(real["observations"], real.factors, estimator)
        self.boots = Asking(notebook, made[made["cause"].isin(BOOTS)])
        """trials in which a gateway boots"""
        notebook.summarise(estimator, *derived(notebook.summarise(estimator)))
        notebook.summaries.attrs[VIRTUAL] = notebook.tables is not real
        flow = notebook.scenario.settings_where().probes["flow"].model_dump()
        self.duration: float = flow["duration"]
        """duration of a flow [s]"""
        self.at: float = flow["at"]
        """time from the begin of a flow to its outage [s]"""
        self.causes = each("cause", notebook.measured("cause"))
        self.settings = each("setting", notebook.measured("setting"))
        found = pd.concat([notebook.summaries, self.boots.summaries])
        by_cell = found.groupby(["setting", "cause", "metric"], observed=True)
        most = by_cell["value"].max().unstack()
        parts = {"clear_time": ENDS, "still_clear": ENDS, "tail": WAYS, "silence": WAYS}
        self.cells = {
            where: OutageCell(
                *((cell[f"{a}_{part}"], cell[f"{b}_{part}"]) for part, (a, b) in parts.items())
            )
            for where, cell in most.dropna(subset="up_silence").iterrows()
        }
        """setting and cause -> the most of any trial"""
        of_setting = {name: self._of(name) for name in self.settings}
        every = {name: of for name, of in of_setting.items() if len(of) == len(self.causes)}
        self.ranking = ranked(every)
        """settings that were measured with every cause, the best first"""

    def _of(self, setting: str) -> list[OutageCell]:
        return [self.cells[setting, of] for of in self.causes if (setting, of) in self.cells]

    def ends(self) -> pd.DataFrame:
        """How each cell ends, by the rule that was written before it was measured."""
        ends = {where: cell.end for where, cell in self.cells.items()}
        table = asked.grid(
            "setting", self.settings, self.causes, lambda *where: ends.get(where, NO_NUMBER)
        )
        return table.set_index("setting")

    def clear(self, end: str) -> pd.DataFrame:
        """Time for which a gateway leaked [s], and whether to the end of the flow."""

        def shown(setting: str, cause: str) -> str:
            cell = self.cells.get((setting, cause))
            if cell is None:
                return NO_NUMBER
            to_the_end = cell.still_clear[ENDS.index(end)] > 0
            seconds = self._seconds(end, cause, setting)
            return seconds.within("{}, to the end") if to_the_end else seconds

        return asked.grid("setting", self.settings, self.causes, shown)

    def _seconds(self, end: str, cause: str, setting: str) -> Quoted:
        question = at({"metric": f"{end}_clear_time"}, cause=cause, setting=setting)
        found = (self.boots if cause in BOOTS else self.notebook).estimate(question)
        least = 2 / self.rate(cause, setting)
        if 0 < found.value < least:
            return Quoted(f"at most {least:g}", [found.origin])
        # Without an interval, the zeros of 5.000 would say more than the flow's grain does.
        if found.low < found.high:
            return estimate_text(found)
        return Quoted(f"{found.value:.3g}", [found.origin])

    def rate(self, cause: str, setting: str) -> float:
        """Datagrams per second of the flow of a cell: one is the grain of its durations."""
        settings, _ = self.notebook.cell(cause=cause, setting=setting)
        return float(settings.probes["flow"].model_dump()["rate"])

    def leak(self, cause: str, setting: str) -> str:
        """The gateway that leaked, for how long, and whether to the end of the flow."""
        cell = self.cells.get((setting, cause))
        if cell is None:
            return NO_NUMBER
        seconds = {name: self._seconds(end, cause, setting) for end, name in GATEWAYS.items()}
        leaking = {name: time for name, time in seconds.items() if time != "0"}
        if len(leaking) == 2 and len(set(leaking.values())) == 1:
            leaking = {"both gateways": leaking["the peer"]}
        said = " and ".join(f"at {name} for {time} s" for name, time in leaking.items())
        until = ", and still when we stopped" if cell.end == "clear" else ""
        origins = [origin for time in (leaking or seconds).values() for origin in time.origins]
        return Quoted(f"{said}{until}" if said else "at neither gateway", origins)

    def standings(self) -> pd.DataFrame:
        rows = [
            (name, one.unprotected, f"{one.clear_s:.4g}", number_text(one.silence_s, 4))
            for name, one in self.ranking
        ]
        return pd.DataFrame(rows, columns=STANDINGS, dtype=object)

    def chart(self) -> alt.TopLevelMixin:
        """Seconds of leaks, by setting and cause, at the gateway where they lasted longer."""
        where = self.notebook, self.settings, self.causes
        cells = pd.concat(asked.points(*where, metric=f"{end}_clear_time") for end in ENDS)
        longer = cells.sort_values("value", kind="stable").groupby(["row", "level"], sort=False)
        cells = longer.tail(1).sort_index(kind="stable")
        cells["end"] = [self.cells[row.row, row.level].end == "clear" for row in cells.itertuples()]
        cells["column"] = cells.pop("level").replace(COLUMNS)
        cells["row"] = cells["row"].replace(ROWS)
        grain = 1 / self.rate(next(iter(self.causes)), next(iter(self.settings)))
        return seconds_grid(cells.drop(columns=["low", "high", "n"]), 2 * grain)

    def best_in_words(self) -> str:
        if not self.ranking:
            return "No setting was measured with every outage."
        best = self.ranking[0][0]
        open_ends = sum(cell.end != "protected" for cell in self._of(best)) or "none"
        setting = f"{ROWS.get(best, best).strip()} at both ends"
        return f"With {setting}, {open_ends} of {len(self.causes)} outages ended unprotected."

    def hand_over(self) -> None:
        results, rule = self.notebook.results, "by the rule of notebooks.outage.reading"
        asked.hand_over(self.notebook, NUMBERS, asked.whole_text)
        for name, (cause, setting) in LEAKS.items():
            says = f"traffic leaked; cause {cause}, setting {setting}"
            results.words(name, self.leak(cause, setting), says)
        for name, setting in (("Trap", "trap"), ("Default", "default"), ("Clear", "clear")):
            cells = self._of(setting)
            number = sum(cell.end != "protected" for cell in cells) if cells else math.nan
            results.count(f"{name}Unprotected", number, f"causes that end unprotected, {rule}")
        best = self.ranking[0][0] if self.ranking else NO_NUMBER
        results.words("Advised", best, f"first of the settings, {rule}")
        results.number("Causes", len(self.causes), 0, source="causes of an outage")
        results.number("Settings", len(self.settings), 0, source="settings compared")
        results.number("Duration", self.duration, 0, source="duration of a flow, s")


def hand_over_versions(notebook: ScenarioNotebook, versions: Versions) -> None:
    """Keep how much outages differ between versions of strongSwan."""
    times = [f"{end}_clear_time" for end in ENDS] + [f"{way}_silence" for way in WAYS]
    for name, metrics, unit in (("", times, r"\second"), ("Requests", ["retransmits"], "")):
        apart, _ = versions.apart(*metrics)
        says = f"largest difference of {', '.join(metrics)} between versions, virtual time"
        notebook.results.number(f"Versions{name}Apart", apart, 2 if unit else 0, unit, says)
    where, found = {"cause": "path-200"}, [one.summaries for one in versions.trials.values()]
    longest = (most(one, f"{way}_bulk_delay_max", where) for one in found for way in WAYS)
    says = "longest delay of a packet around an outage of the path, virtual time, s"
    notebook.results.number("VersionsWait", max(longest, default=math.nan) / 1000, 1, source=says)
    versions.words("Versions")


# The chart of durations: a field for each cell, darker where it lasted longer

_PADDING = {"left": 108, "right": 2, "top": 30, "bottom": 2}
"""space around the fields, with the names of rows and columns [pt]"""
_STEP = 13
"""height of a row [pt]"""
_KINDS = {"nothing": "white", "some": PALETTE[1], "to the end": PALETTE[3]}
"""kind of a field -> its colour"""
_TEXT = {"nothing": "black", "some": "#111111", "to the end": "white"}
"""kind of a field -> the colour of its number; a dark page shows black as a light grey"""


def seconds_grid(cells: pd.DataFrame, least: float = 0) -> alt.LayerChart | alt.VConcatChart:
    """Durations in one column. `cells` has columns row, column (names; a column's is broken at its
    first space), value [s], end (whether it lasted to the end of the run) and origin, with rows and
    columns in their order. A value below `least` is printed as such."""
    if cells.empty:
        return nothing("No outage was measured.", COLUMN)
    rows, columns = (list(dict.fromkeys(cells[name])) for name in ("row", "column"))
    kinds = (
        cells["end"].map({True: "to the end", False: "some"}).mask(cells["value"] == 0, "nothing")
    )
    fields = cells.drop(columns=["end"]).assign(kind=kinds)
    plain: dict[str, Any] = {"ticks": False, "domain": False}
    above = alt.Axis(orient="top", labelAngle=0, labelExpr=TWO_LINES, labelPadding=13, **plain)
    x = alt.X("column:N", sort=columns, title=None, axis=above)
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(**plain))
    field, number = (
        alt.Color("kind:N", legend=None, scale=alt.Scale(domain=list(of), range=list(of.values())))
        for of in (_KINDS, _TEXT)
    )
    base = alt.Chart(fields).encode(x=x, y=y)
    few = f"datum.value > 0 && datum.value < {least:g}"
    says = f"{few} ? '< {least:g}' : format(datum.value, '.3~g')"
    chart = alt.layer(
        base.mark_rect(stroke="#bbbbbb", strokeWidth=0.5).encode(color=field),
        base.transform_calculate(text=says)
        .mark_text(fontSize=8)
        .encode(text="text:N", color=number),
    ).resolve_scale(color="independent")
    height = _PADDING["top"] + _PADDING["bottom"] + _STEP * len(rows)
    return printed(chart, COLUMN, height, _PADDING)
