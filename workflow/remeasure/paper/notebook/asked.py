"""Tables, charts and numbers of a scenario as data: questions about cells. A part of a question has
fields of claims.questions.Question, or levels of factors. A level goes into `of` if the question
compares with a level of its factor (`to`), else into `where`. Parts together make a question
(`joined`). In asks.py of a notebook, NUMBERS maps names of numbers to questions, and dictionaries
whose names end with SOURCES map columns of a table to the origin of their numbers; others map a
level to its title, or a part of a number's name to a level."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, cast

import altair as alt
import pandas as pd

from remeasure.bench.claims.questions import Quantity, Question
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.evaluation import evaluate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.selection import Measurements
from remeasure.paper.analysis.texts import (
    NO_NUMBER,
    column_in_larger_unit,
    estimate_text,
    larger_unit,
)
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import COLUMN, NUMBERS, panel
from remeasure.paper.notebook.results import Results

AskedLevel = str | int | Sequence[str | int]
"""a level of a factor, several, or the name of a group of levels"""


class Asked(TypedDict, total=False):
    """A question, or a part of one, by the fields of claims.questions.Question."""

    quantity: Quantity
    metric: str
    probe: str
    at: Mapping[str, AskedLevel]
    where: Mapping[str, AskedLevel]
    of: Mapping[str, AskedLevel]
    to: Mapping[str, AskedLevel]
    base: Mapping[str, AskedLevel]
    over: str
    along: Literal["number", "logarithm"]
    within: Literal["mean", "median"]
    reduce: Literal["mean", "min", "max"]
    scale: float
    unit: str


NOTHING_ASKED: Asked = {}
AskedParts = Mapping[Any, Asked]
"""label of a row, a column or a mark -> its part of a question"""
Head = str | tuple[str, ...]
"""heading of the column of row labels; or several, of labels that are tuples"""
AskedColumn = Asked | Callable[[Any], str]
"""part of a question, or a function from the label of a row to the text of its field"""


class Trials:
    """Anything with summaries: a notebook answers from its own unless others are given."""

    results: Results
    summaries: pd.DataFrame
    groups: Mapping[str, Any]
    """names of several levels, as a study gives them"""
    measurements: dict[int, Measurements]
    """id of summaries -> what was made of them, which keeps them, so the id stays their own"""

    def estimate(
        self, *parts: Asked, summaries: pd.DataFrame | None = None, **fields: Unpack[Asked]
    ) -> Estimate:
        """The answer to the question of `parts` and `fields`, by the own summaries or others; NaN,
        from 0 blocks, if no measured cell matches."""
        table = self.summaries if summaries is None else summaries
        if id(table) not in self.measurements:
            self.measurements[id(table)] = Measurements(table)
        question = Question.model_validate(placed(joined(*parts, fields)))
        return evaluate(question, self.measurements[id(table)], self.groups)

    def unit(self, metric: str) -> str:
        """The unit of a metric, as its probe declares it; empty if it was not observed."""
        units = set(self.summaries.loc[self.summaries["metric"] == metric, "unit"])
        return units.pop() if units else ""

    def text(self, *parts: Asked, **fields: Unpack[Asked]) -> Quoted:
        """The estimate as '12.3 [11.9, 12.8]'."""
        return estimate_text(self.estimate(*parts, **fields))


class Asking(Trials):
    """A notebook's trials by other summaries than the notebook's own."""

    def __init__(self, trials: Trials, summaries: pd.DataFrame):
        self.results, self.summaries = trials.results, summaries
        self.groups, self.measurements = trials.groups, trials.measurements


def joined(*parts: Asked) -> Asked:
    """The question that combines several parts; the levels of factors in all parts are kept."""
    question: dict[str, Any] = {}
    for part in parts:
        for field, value in part.items():
            if isinstance(value, Mapping):
                value = {**question.get(field, {}), **value}
            question[field] = value
    return cast(Asked, question)


def at(question: Asked, **levels: AskedLevel) -> Asked:
    """The question at these levels: factor -> level."""
    return joined(question, {"at": levels})


def ratio(**levels: tuple[AskedLevel, AskedLevel]) -> Asked:
    """The question how many times as much it is: factor -> a level, and the one to divide by."""
    of, to = ({factor: pair[side] for factor, pair in levels.items()} for side in (0, 1))
    return {"quantity": "ratio", "of": of, "to": to}


def each(factor: str, levels: Iterable[str], label: str = "{}") -> dict[str, Asked]:
    """Rows, columns or marks, one for each level of a factor."""
    return {label.format(level): {"at": {factor: level}} for level in levels}


def placed(question: Asked) -> Asked:
    """The question with each level of `at` in `of` or `where`."""
    found = joined(question)
    for factor, level in found.pop("at", {}).items():
        levels: Mapping[str, AskedLevel] = {factor: level}
        side: Asked = {"of": levels} if factor in found.get("to", {}) else {"where": levels}
        found = joined(found, side)
    return found


def table(
    trials: Trials,
    head: Head,
    rows: AskedParts,
    columns: Mapping[str, AskedColumn],
    *common: Asked,
    form: Callable[[Estimate], str] = estimate_text,
    **fields: Unpack[Asked],
) -> pd.DataFrame:
    """Texts of estimates. The question of a cell is `common` and `fields` with the parts of its row
    and column. A cell is empty if it would compare cells with themselves, and a row of empty cells
    is left out. `form` makes the text of an estimate."""

    def field(row: Any, part: Asked, column: AskedColumn) -> str:
        if callable(column):
            return column(row)
        question = placed(joined(*common, fields, part, column))
        if "to" in question and question["to"] == question.get("of"):
            return ""
        return form(trials.estimate(question))

    made = grid(head, rows, columns, lambda row, title: field(row, rows[row], columns[title]))
    shown = made[made[list(columns)].any(axis=1)].reset_index(drop=True)
    for title in columns:
        larger, texts = column_in_larger_unit(title, list(shown[title]))
        shown[title] = pd.Series(texts, dtype=object)
        shown = shown.rename(columns={title: larger})
    return shown


def grid(
    head: Head, rows: Iterable[Any], columns: Iterable[Any], field: Callable[[Any, Any], str]
) -> pd.DataFrame:
    """A table of texts, `field` of each row and column."""
    columns, one = list(columns), isinstance(head, str)
    return pd.DataFrame(
        [[*([row] if one else row), *(field(row, column) for column in columns)] for row in rows],
        columns=[*([head] if one else head), *columns],
        dtype=object,
    )


def points(
    trials: Trials, rows: AskedParts, marks: AskedParts, *common: Asked, **fields: Unpack[Asked]
) -> pd.DataFrame:
    """Estimates of measured cells to draw: columns row, level, value, low, high, n, origin."""
    return pd.DataFrame(
        [
            {"row": row, "level": mark} | found.columns()
            for row, part in rows.items()
            for mark, other in marks.items()
            for found in [trials.estimate(*common, fields, part, other)]
            if found.n
        ],
        columns=["row", "level", "value", "low", "high", "n", "origin"],
    )


def values(
    trials: Trials, rows: AskedParts, marks: AskedParts, *common: Asked, **fields: Unpack[Asked]
) -> pd.DataFrame:
    """Values of trials behind `points`, in the summaries' order: columns row, level, value."""
    table = trials.summaries
    nothing = table.head(0).assign(row="", level="")
    found = [
        values_of(table, joined(*common, fields, part, other)).assign(row=row, level=mark)
        for row, part in rows.items()
        for mark, other in marks.items()
    ]
    return pd.concat(found or [nothing]).sort_index()[["row", "level", "value"]]


def values_of(summaries: pd.DataFrame, question: Asked) -> pd.DataFrame:
    """The summaries of trials that a question is about, before anything is compared."""
    question = placed(question)
    chosen = summaries["metric"] == question["metric"]
    if "probe" in question:
        chosen &= summaries["probe"] == question["probe"]
    for factor, level in question.get("where", {}).items():
        chosen &= summaries[factor] == level
    found = summaries[chosen]
    return found.assign(value=question.get("scale", 1) * found["value"])


def chart(
    trials: Trials,
    rows: AskedParts,
    marks: AskedParts,
    *,
    common: Asked = NOTHING_ASKED,
    x_title: str,
    width: int = panel(COLUMN, beside=NUMBERS),
    beyond: float = 1.05,
    log: bool = False,
    scale: alt.Scale | None = None,
    faint: pd.DataFrame | None = None,
    **look: Any,
) -> alt.LayerChart:
    """Estimates with their intervals over faint marks: `faint`, or one for each trial. {unit} in
    `x_title` is the unit of the metric. The axis begins at 0 and ends `beyond` times the greatest
    faint mark, unless it is logarithmic (`log`) or there is a `scale`. `look` are further arguments
    of figures.points_and_intervals."""
    faint = values(trials, rows, marks, common) if faint is None else faint
    first = joined(common, *(next(iter(of.values()), NOTHING_ASKED) for of in (rows, marks)))
    if scale is None:
        end = (beyond * faint["value"].max() if len(faint) else 0) or 1
        scale = alt.Scale(type="log") if log else alt.Scale(domain=[0, end])
    power, unit = larger_unit(trials.unit(first["metric"]), faint["value"].max())
    return figures.points_and_intervals(
        faint,
        points(trials, rows, marks, common),
        levels=list(marks),
        x_title=x_title.format(unit=unit),
        width=width,
        scale=scale,
        power=power,
        **look,
    )


def cheapest(trials: Trials, cost: Asked, factor: str, levels: Iterable[str]) -> list[str]:
    """The level of a factor with the lowest cost, and all levels not shown to cost more, by their
    ratio to it within blocks; empty if no ratio has an interval."""
    found = {one: trials.estimate(at(cost, **{factor: one})) for one in levels}
    known = {one: estimate.value for one, estimate in found.items() if estimate.n}
    best = min(known, key=lambda one: known[one], default="")
    over = joined(cost, {"quantity": "ratio", "to": {factor: best}})
    lows = {one: trials.estimate(at(over, **{factor: one})).low for one in known if one != best}
    alike = [one for one, low in lows.items() if low <= 1]
    return [best, *alike] if any(map(math.isfinite, lows.values())) else []


def whole(text: Quoted) -> Quoted:
    """The text of an estimate of a count, without decimals if it is a whole number."""
    return Quoted(re.sub(r"^([0-9]+)\.0+$", r"\1", text), text.origins)


def whole_text(found: Estimate) -> Quoted:
    """The text of a count, without decimals unless measurements differ."""
    return whole(estimate_text(found))


def hand_over(
    trials: Trials,
    numbers: AskedParts,
    form: Callable[[Estimate], str] = estimate_text,
    unit: str | None = None,
) -> None:
    """Keep numbers, name -> question, by `form`; with a LaTeX `unit`, without their interval."""
    for name, question in numbers.items():
        found = trials.estimate(question)
        if unit is None:
            trials.results.words(name, form(found) if found.n else NO_NUMBER)
        else:
            trials.results.number(name, found, unit=unit)
