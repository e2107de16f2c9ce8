"""Quantities of Wagner 2025, computed again from its raw files (data/published/wagner)."""

import json

import pandas as pd

from remeasure.bench.base.paths import PUBLISHED
from remeasure.paper.notebook.results import Results

_QUOTED = {
    "SpeedUp": ("speed_up", "recomputed", 2),
    "SpeedUpPrinted": ("speed_up_printed", "recomputed", 2),
    "FallSecond": ("none.change_second", "recomputed", 0),
    "FallRatio": ("none.change_ratio", "recomputed", 2),
}
"""name of a number -> quantity, published or recomputed, decimals"""


def recomputed() -> pd.DataFrame:
    """Quantity -> published (NaN: not printed), recomputed (a number, or a list with one number per
    flow or processor), unit, note."""
    kept = json.loads((PUBLISHED / "wagner-recomputed.json").read_text())
    return pd.DataFrame(kept["quantities"]).set_index("quantity")


def as_shown(quantities: pd.DataFrame) -> pd.DataFrame:
    """The quantities that the study prints, with their numbers as text."""
    names = ["published", "recomputed"]
    printed = quantities.dropna(subset=names)
    return printed.assign(**{name: printed[name].map("{:.4g}".format) for name in names})


def hand_over(quantities: pd.DataFrame, results: Results) -> None:
    for name, (quantity, column, digits) in _QUOTED.items():
        says = "computed again" if column == "recomputed" else "as printed"
        source = f"Wagner 2025, {says}: {quantity}"
        value = quantities.loc[quantity, column]
        results.number(name, value, digits, source=source)
