"""Tables of the page Load the data: the observations of each scenario as Parquet, to be read by
address; and the mean of each trial as a script, since a browser loads no other file from a folder
(site/_static/explore.js)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from remeasure.paper.digits import rounded

TABLES = "tables"
"""folder of the site"""
_LEFT_OUT = {"scenario", "trial_verdict", "tool", "file"}
"""columns of words that no reader of means chooses by"""


def write_tables(folder: Path, tidy: Path) -> None:
    """Write <scenario>.parquet and <scenario>.js into `folder`, from the tables of each scenario in
    `tidy`."""
    folder.mkdir(parents=True)
    for path in sorted(tidy.glob("*/observations.parquet")):
        scenario = path.parent.name
        shutil.copyfile(path, folder / f"{scenario}.parquet")
        table = json.dumps(of_trials(pd.read_parquet(path)), separators=(",", ":"))
        (folder / f"{scenario}.js").write_text(f'(window.tables ??= {{}})["{scenario}"]={table};\n')


def of_trials(observations: pd.DataFrame) -> dict[str, Any]:
    """Column -> its values. A row is the mean of one metric in one trial that was not rejected. A
    column of words has its `levels`, and the place of each row's level (-1: none)."""
    rows = observations[observations["trial_verdict"] != "rejected"]
    words = [c for c in rows if isinstance(rows[c].dtype, pd.CategoricalDtype)]
    words = [column for column in words if column not in _LEFT_OUT]
    keys = [*words, "block", "trial"]
    by_trial = rows.groupby(keys, observed=True, dropna=False, sort=False)["value"]
    means = by_trial.agg(value="mean", values="size").reset_index()
    found: dict[str, Any] = {c: means[c].tolist() for c in ("block", "trial", "values")}
    found["value"] = [rounded(value) for value in means["value"]]
    for column in words:
        codes, levels = pd.factorize(means[column].astype(object))
        found[column] = {"levels": list(levels), "codes": codes.tolist()}
    return found


def choices(tidy: Path) -> str:
    """The scenarios as options of a form (HTML)."""
    names = sorted(path.parent.name for path in tidy.glob("*/observations.parquet"))
    return "".join(f"<option>{name}</option>" for name in names)
