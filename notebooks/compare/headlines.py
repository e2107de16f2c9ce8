"""The headline numbers of two campaigns: whether each of the second is as near the first as we had
predicted for a second machine (data/published/ours.yaml)."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from IPython.utils.capture import capture_output

from remeasure.bench.base.paths import RAW
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import value_text
from remeasure.paper.publish.planning.headlines import HEADLINES
from remeasure.paper.publish.planning.opened import opened

TIMES, OTHERS = 1.1, 1.25
"""predicted factor between two machines: of times; of rates, costs and shares"""
_SECONDS = ("s", "ms", "us")
AGREES, APART, OPEN = "agrees", "apart", "open"


class Headline(NamedTuple):
    """A headline number of two campaigns."""

    says: str
    first: Estimate
    second: Estimate
    unit: str
    """unit of both; empty for a ratio"""


def read_headlines(
    campaigns: Sequence[str], scenarios: Sequence[str], tidy: Path
) -> Iterator[Headline]:
    """The headline numbers that both campaigns have. `tidy`: folder of their tables."""
    for name in (one for one in scenarios if one in HEADLINES):
        blocks = {one: sorted((RAW / one / name).glob("block-*.zip")) for one in campaigns}
        with capture_output():  # the first cells of the scenario's notebook show something
            both = [opened(name, tidy / one / name, of) for one, of in blocks.items()]
        for says, question in HEADLINES[name].items():
            first, second = (notebook.estimate(question) for notebook in both)
            unit = both[0].unit(question["metric"]) if question.get("quantity") != "ratio" else ""
            if np.isfinite([first.value, second.value]).all():
                yield Headline(says, first, second, unit)


def headlines_compared(headlines: Iterable[Headline]) -> pd.DataFrame:
    """One row per headline number: columns first, second, ratio (second over first), low, high (its
    95 % interval, NaN without one), within (the predicted factor), agreement: AGREES if the
    interval is within the factor, APART if all of it is beyond, else OPEN."""
    rows = [_row(one) for one in headlines]
    columns = ["headline", "first", "second", "ratio", "low", "high", "within", "agreement"]
    return pd.DataFrame(rows, columns=columns).set_index("headline")


def _row(one: Headline) -> tuple[object, ...]:
    shown = [f"{value_text(estimate)} {one.unit}".strip() for estimate in (one.first, one.second)]
    ratio, low, high = _ratio(one.first, one.second)
    factor = TIMES if one.unit in _SECONDS else OTHERS
    near, far = np.log([low, high]), np.log(factor)
    agreement = OPEN
    if np.abs(near).max() <= far:
        agreement = AGREES
    elif near[0] > far or near[1] < -far:
        agreement = APART
    return one.says, *shown, ratio, low, high, factor, agreement


def _ratio(first: Estimate, second: Estimate) -> tuple[float, float, float]:
    """Second over first, with the interval of two independent estimates on logarithms; NaN if one
    of their intervals has no end above 0."""
    ends = np.array([[one.low, one.value, one.high] for one in (first, second)], dtype=float)
    if not (np.isfinite(ends).all() and (ends > 0).all()):
        return second.value / first.value, np.nan, np.nan
    logs = np.log(ends)
    half = np.hypot(*((logs[:, 2] - logs[:, 0]) / 2))
    middle = logs[1, 1] - logs[0, 1]
    low, value, high = np.exp([middle - half, middle, middle + half])
    return float(value), float(low), float(high)


def in_words(table: pd.DataFrame) -> str:
    """How many headline numbers agree."""
    agree, apart, neither = (sum(table["agreement"] == one) for one in (AGREES, APART, OPEN))
    return (
        f"Of {len(table)} headline numbers, **{agree}** agree within the factor that we had "
        f"predicted for a second machine ({OTHERS} for rates, costs and shares, {TIMES} for "
        f"times), and **{apart}** are apart by more. For {neither} the interval includes the "
        "bound, or is missing."
    )
