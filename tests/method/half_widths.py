"""Write data/captured/calibration.half-widths.csv: the smallest difference that a bench can see,
from the trials of data/captured/calibration.placements.csv. Run: env/run python
tests/method/half_widths.py"""

import numpy as np
import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.evaluation import evaluate
from remeasure.paper.analysis.selection import Measurements

TRIALS = ROOT / "data/captured/calibration.placements.csv"
WRITTEN = ROOT / "data/captured/calibration.half-widths.csv"
CELL = ["suite", "transport", "payload", "variant"]
KEYS = ["machine", "placement", *CELL, "metric"]


def half_widths(trials: pd.DataFrame) -> pd.DataFrame:
    """One row per KEYS, with columns mean [unit of the metric]; half: half the width of the 95 %
    interval of the ratio of twin b to twin a [%]; variation: standard deviation of trials of the
    same name [%]; rounds."""
    measurements = Measurements(trials)
    rows = []
    for key, table in trials.groupby(KEYS, sort=False):
        cell = dict(zip(KEYS, key, strict=True))
        metric = cell.pop("metric")
        asked = {"metric": metric, "probe": str(table["probe"].iloc[0]), "where": cell}
        question = Question(quantity="ratio", to={"twin": "a"}, of={"twin": "b"}, **asked)
        found = evaluate(question, measurements, {})
        half = 100 * (np.sqrt(found.high / found.low) - 1)
        a, b = (np.log(table.loc[table["twin"] == twin, "value"]) for twin in "ab")
        variation = 100 * np.sqrt((a.var() + b.var()) / 2)
        rows.append((*key, table["value"].mean(), half, variation, found.n))
    return pd.DataFrame(rows, columns=[*KEYS, "mean", "half", "variation", "rounds"])


if __name__ == "__main__":
    half_widths(pd.read_csv(TRIALS, dtype=dict.fromkeys(CELL, str))).to_csv(WRITTEN, index=False)
