"""Quantities of Wagner 2025, computed again from its own raw files, beside what it printed.

The files are in folder "Test Results/Raw Data" of its repository. They have no licence, so this
project keeps no row of them: only these quantities, and the SHA-256 of each file.
"""

import functools
import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import load_published
from remeasure.paper.analysis.texts import number_text
from remeasure.paper.studies.wagner.raw_run import Run, files_of, raw, read_run
from remeasure.paper.studies.wagner.run_quantities import PARTS, Quantity, parts, quantities

SOURCE = "https://github.com/maxweigner/pcpu-sa-performance"
KEPT = ROOT / "data" / "published" / "wagner-recomputed.json"
FILES = {"none": "unenc", "single": "esp", "per-cpu": "pcpu"}
"""condition -> first part of the names of its files"""

_PRINTED_AS = {"Gbit/s": "GB/s", "points": "%"}


def recompute(folder: Path) -> dict[str, Any]:
    """Compute all quantities: {study, source, files: {name: SHA-256}, quantities: [{quantity,
    published, recomputed, unit, note}]}, ready for JSON.

    `published` is null if the study printed nothing; `recomputed` is null if the quantity is not
    defined. Lists have one number for each flow or processor, in order. Raises UserError naming the
    file, and the line if there is one.
    """
    folder = Path(folder)
    names = [file for name in FILES.values() for file in files_of(name)]
    if not folder.is_dir():
        raise UserError(
            f"{folder}: no such folder; expected the raw files of Wagner 2025, "
            f"{', '.join(names)}, from {SOURCE}"
        )
    runs = {condition: read_run(folder, name) for condition, name in FILES.items()}
    runs |= zip(PARTS, parts(runs["none"]), strict=True)
    return {
        "study": "wagner",
        "source": SOURCE,
        "files": {file: hashlib.sha256(raw(folder / file)).hexdigest() for file in names},
        "quantities": [_row(quantity, runs) for quantity in (*quantities(), *_of_printed())],
    }


@functools.cache
def printed() -> dict[str, float]:
    """Name of a quantity -> the number that the study prints for it."""
    return load_published("wagner").printed


def kept_quantities() -> dict[str, Any]:
    """The result of `recompute` that this project keeps."""
    kept: dict[str, Any] = json.loads(KEPT.read_text())
    return kept


def agreeing(found: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Return `found` if every file and quantity in `kept` is the same there. Raises UserError
    naming the first that differs."""
    for name, sha256 in kept["files"].items():
        if found["files"].get(name) != sha256:
            raise UserError(f"{name}: SHA-256 {found['files'].get(name)}, expected {sha256}")
    again = {row["quantity"]: row["recomputed"] for row in found["quantities"]}
    for row in kept["quantities"]:
        if row["recomputed"] is not None and again.get(row["quantity"]) != row["recomputed"]:
            raise UserError(
                f"{KEPT.name}: {row['quantity']}: kept {row['recomputed']}, computed "
                f"again {again.get(row['quantity'])}"
            )
    return found


def kept_or_recomputed(folder: str) -> dict[str, Any]:
    """The kept result; or, if `folder` with the raw files is given, the result computed from them.
    Raises UserError if the two differ."""
    kept = kept_quantities()
    return agreeing(recompute(Path(folder)), kept) if folder else kept


def value_text(value: float | list[Any] | None) -> str:
    """A quantity as text; one number for each flow or processor."""
    if isinstance(value, list):
        return ", ".join(number_text(one) for one in value)
    return "" if value is None or math.isnan(value) else f"{value:.4g}"


def as_text(found: dict[str, Any]) -> str:
    """JSON text with one line for each quantity, so that one changed quantity changes one line."""
    head = json.dumps({k: v for k, v in found.items() if k != "quantities"}, indent=1)
    rows = ",\n".join("  " + json.dumps(row) for row in found["quantities"])
    return f'{head[:-2]},\n "quantities": [\n{rows}\n ]\n}}\n'


def _of_printed() -> Iterator[Quantity]:
    """Yield the quantities that follow from the printed numbers alone."""

    def quantity(name: str, unit: str, value: float) -> Quantity:
        return Quantity(f"{name}_printed", unit, (), lambda: value, "of the printed numbers")

    rate = {run: printed()[f"{run}.throughput_mean"] for run in ("single", "per-cpu", *PARTS)}
    busy = {run: printed()[f"{run}.hosts_busy"] for run in FILES}
    yield quantity("speed_up", "", rate["per-cpu"] / rate["single"])
    yield quantity("hosts_busy.per-cpu_less_single", "points", busy["per-cpu"] - busy["single"])
    yield quantity("hosts_busy.single_less_none", "points", busy["single"] - busy["none"])
    for none in PARTS:
        for run in ("single", "per-cpu"):
            yield quantity(f"throughput.{none}_over_{run}", "", rate[none] / rate[run])


def _row(quantity: Quantity, runs: dict[str, Run]) -> dict[str, Any]:
    published, notes = printed().get(quantity.name), [quantity.note] if quantity.note else []
    if published is not None and quantity.unit in _PRINTED_AS:
        notes.append(f"printed as {_PRINTED_AS[quantity.unit]}")
    return {
        "quantity": quantity.name,
        "published": published,
        "recomputed": _rounded(quantity.compute(*map(runs.__getitem__, quantity.runs))),
        "unit": quantity.unit,
        "note": "; ".join(notes),
    }


def _rounded(value: float | np.ndarray | None) -> float | int | list[Any] | None:
    """The value to 6 significant digits; None for NaN and for None."""
    if isinstance(value, np.ndarray):
        return [_rounded(one) for one in value]
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.6g}")
