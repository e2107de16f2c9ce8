"""Scenario esp-instructions: suites of ESP in the kernel, by its instructions."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import estimate_text, number_text
from remeasure.paper.notebook import asked, by_instructions
from remeasure.paper.notebook.asked import Asked, at, each, joined, ratio
from remeasure.paper.notebook.by_instructions import COST, DRAWN, LEVELS, RATE
from remeasure.paper.notebook.charts.figures import keyed, nothing
from remeasure.paper.notebook.charts.theme import COLUMN, PALETTE, SHAPES, TWO_LINES
from remeasure.paper.notebook.my_tunnel import NAMES as TUNNEL_SUITES
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

REFERENCE = "aes128gcm16"
"""suite that the costs of others are divided by"""
OVER_PLAIN: Asked = {**COST, "quantity": "ratio", "to": {"suite": "none"}}
OVER_REFERENCE: Asked = {**COST, "quantity": "ratio", "to": {"suite": REFERENCE}}
GAIN = joined(COST, ratio(instructions=("none", "all")))
"""cost without instructions over the cost with all"""
PACKETS = by_instructions.packets(("64", "512", "1344"))
_SUITES = {"Gcm": REFERENCE, "Chacha": "chacha20poly1305", "TripleDes": "3des-sha1"}
NUMBERS = {
    **{
        f"{name}Rate{level.title()}": at(RATE, suite=suite, instructions=level)
        for name, suite in _SUITES.items()
        for level in LEVELS
    },
    **{
        f"Chacha{level.title()}": at(OVER_REFERENCE, suite=_SUITES["Chacha"], instructions=level)
        for level in LEVELS
    },
    "TripleDesAll": at(OVER_REFERENCE, suite=_SUITES["TripleDes"], instructions="all"),
    "GcmOverPlainAll": at(OVER_PLAIN, suite=REFERENCE, instructions="all"),
    "PlainGain": at(GAIN, suite="none"),
}


def slopes(notebook: ScenarioNotebook) -> alt.TopLevelMixin:
    """Processor time per byte by suite and level; 1 ms per megabyte is 1 ns per byte."""
    rows = notebook.titled("instructions", DRAWN, COST)
    suites = each("suite", notebook.measured("suite"))
    drawn = asked.points(notebook, rows, suites)
    return suite_slopes(drawn.rename(columns={"row": "level", "level": "suite"}))


def least(notebook: ScenarioNotebook, level: str) -> list[str]:
    """The advised suites that cost least at a level."""
    return asked.cheapest(notebook, at(COST, instructions=level), "suite", tuple(TUNNEL_SUITES))


def least_in_words(notebook: ScenarioNotebook) -> str:
    ends = {"all": "all instructions", "none": "no instructions"}
    return "; ".join(
        f"{' or '.join(TUNNEL_SUITES[suite] for suite in least(notebook, level)) or 'no suite'} "
        f"costs least with {ends[level]}"
        for level in notebook.measured("instructions", ends)
        if level in ends
    )


def ours(notebook: ScenarioNotebook) -> dict[str, str]:
    """Heading -> level of instructions with AES-NI, for the table of published ratios."""
    levels = [level for level in notebook.measured("instructions", LEVELS) if level != "none"]
    return {f"ours, {LEVELS[level]}": level for level in levels}


def hand_over(notebook: ScenarioNotebook) -> None:
    asked.hand_over(notebook, NUMBERS)
    says = "suites of RFC 8221 of which none was shown to cost less, in ESP of the kernel"
    for level in LEVELS:
        best = " or ".join(least(notebook, level)) or "too few blocks to tell"
        notebook.results.words(f"Best{level.title()}", best, says)
    for one in by_instructions.published(notebook.name):
        said, source = number_text(one.ratio, 2), f"{one.source} ({one.url})"
        notebook.results.words(f"Others{one.name}", said, source)
        asked.hand_over(notebook, {f"Ours{one.name}": one.ours("aes")})


def tunnel_part(notebook: ScenarioNotebook) -> dict[str, Any]:
    """The part of the site's page My tunnel: the `machine` that measured; by level and suite the
    rate [Mbit/s] as text, and the processor time over the time of REFERENCE as number, as text, and
    whether its interval includes 1."""
    levels = notebook.measured("instructions", LEVELS)
    rates = {
        level: {
            suite: notebook.text(at(RATE, suite=suite, instructions=level))
            for suite in TUNNEL_SUITES
        }
        for level in levels
    }
    others = each("suite", [suite for suite in TUNNEL_SUITES if suite != REFERENCE])
    found = asked.points(notebook, each("instructions", levels), others, OVER_REFERENCE)
    ratios: dict[str, dict[str, Any]] = {level: {} for level in levels}
    for row in found.itertuples():
        ratios[row.row][row.level] = {
            "ratio": row.value,
            "text": estimate_text(Estimate.of_row(row)),
            "open": not (row.high < 1 or row.low > 1),
        }
    return {"machine": notebook.where["machine"], "rates": rates, "levels": ratios}


# The paper's figure of the costs of suites

_NAMES: dict[str, str] = words_of(__file__)["names"]
_COST = [3, 150]
"""range of the axis [ns per byte]"""
_LEFT, _LABELS = 32, 96
"""widths of the axis, and of the names to the right [pt]"""
_HEIGHT = 122
"""of the plot [pt]"""
_LEAST = 0.21
"""distance of two names on the logarithmic axis [decades]"""
_TITLE = "ESP in the kernel"


def suite_slopes(points: pd.DataFrame) -> alt.HConcatChart | alt.VConcatChart:
    """Processor time per byte by level of instructions, a line for each suite, in one column.
    `points` has columns level, suite, value, low, high [ns per byte] and origin, with levels in
    their order. A line that crosses another one is a change of order."""
    points = points[points["suite"].isin(list(_NAMES))]
    if points.empty:
        return nothing("None of the figure's suites was measured.", COLUMN)
    points = points.assign(panel=_TITLE, name=points["suite"].map(_NAMES))
    levels = list(dict.fromkeys(points["level"]))
    below = alt.Axis(labelAngle=0, grid=False, labelExpr=TWO_LINES)
    x = alt.X("level:N", title=None, axis=below, scale=alt.Scale(domain=levels, padding=0.4))
    axis = alt.Axis(values=[3, 10, 30, 100], labels=True, ticks=True, format="~g")
    scale, title = alt.Scale(type="log", domain=_COST, nice=False), "processor time (ns per byte)"
    y, place = (alt.Y(f"{n}:Q", title=title, scale=scale, axis=axis) for n in ("value", "_place"))
    ranges = {"color": PALETTE[: len(_NAMES)], "shape": SHAPES[: len(_NAMES)]}
    marks = keyed("name", list(_NAMES.values()), ranges, legend=None)
    color = marks["color"]
    plain = alt.Chart(points.drop(columns="origin"))
    names = alt.Chart(_places(points[points["level"] == levels[-1]]))
    text = names.mark_text(align="left", dx=2, fontSize=8)
    chart = (
        plain.mark_line(strokeWidth=1).encode(x=x, y=y, color=color)
        + plain.mark_rule(strokeWidth=1.6).encode(x=x, y="low:Q", y2="high:Q", color=color)
        + alt.Chart(points).mark_point(filled=True, size=28, opacity=1).encode(x=x, y=y, **marks)
        + text.encode(x=alt.value("width"), y=place, text="_name:N")
    ).properties(
        width=COLUMN - _LEFT - _LABELS,
        height=_HEIGHT,
        title=alt.Title(_TITLE, fontSize=8, anchor="middle", offset=4),
        view=alt.ViewBackground(stroke=None),
    )
    return alt.hconcat(chart, spacing=10, bounds="flush").properties(padding=1)


def _places(last: pd.DataFrame) -> pd.DataFrame:
    """The names of suites to the right of the last level, far enough from each other."""
    last, places = last.sort_values("value"), list[float]()
    for value in last["value"]:
        places.append(max(value, places[-1] * 10**_LEAST if places else 0))
    return pd.DataFrame({"_place": places, "_name": list(last["name"])})
