"""Compute quantities of Wagner 2025 again from its raw files, into wagner-recomputed.json.

    env/run python data/published/wagner/recompute.py FOLDER

A run ends at the stamp of its row of the whole run (stamps of single seconds are a second late).
The processors of both hosts become busy within a second of each other, so one clock is assumed.
"""

import hashlib
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.claims.published import load_published
from remeasure.bench.probes.iperf2 import jain

KEPT = Path(__file__).resolve().parents[1] / "wagner-recomputed.json"
SOURCE = "https://github.com/maxweigner/pcpu-sa-performance"
FILES = {"none": "unenc", "single": "esp", "per-cpu": "pcpu"}
"""run -> first part of the names of its files"""
HOSTS = {"sender": "send", "receiver": "recv"}
"""host -> its part of the name of a file"""
PARTS = "none-before", "none-after"
"""the run without IPsec before and after the change in it"""
SUM, WRITE = -1, 131072
"""number of the stream that is the sum of all; size of one write of iperf [bytes]"""
READING = 2
"""period of the readings of processors [s]"""
SATURATED = 85
"""mean busy share over a run from which a processor counts as saturated [%]"""

Row = tuple[str, str, Any, str]
"""name of a quantity, unit, value (None: not defined), note"""


@dataclass(frozen=True)
class Run:
    """The rates of one run, and how busy the processors of both hosts were during it."""

    totals: np.ndarray
    """rate of all flows together in each second [Gbit/s]"""
    flows: np.ndarray
    """rate of each flow over the whole run [Gbit/s]"""
    whole: float
    """rate of the whole run, by iperf's own row [Gbit/s]"""
    not_bits: int
    """number of rows whose rate is not 8 times their bytes per second"""
    busy: dict[str, np.ndarray]
    """host -> busy share [%], shape (readings, processors), of readings within the run"""
    moments: dict[str, np.ndarray]
    """host -> time of each reading since the start of the run [s]"""

    def between(self, begin: int, end: int) -> "Run":
        """The seconds, and the readings, from `begin` to `end` [s]."""
        kept = {host: (begin <= at) & (at + READING <= end) for host, at in self.moments.items()}
        return replace(
            self,
            totals=self.totals[begin:end],
            busy={host: busy[kept[host]] for host, busy in self.busy.items()},
        )


def files_of(run: str) -> list[str]:
    """The three files of a run."""
    return [f"{FILES[run]}.csv", *(f"{FILES[run]}_{part}_cpu.csv" for part in HOSTS.values())]


def read_run(folder: Path, run: str) -> Run:
    """Read one run from the study's files."""
    traffic, *processors = (folder / file for file in files_of(run))
    columns = ["stamp", "stream", "begin", "end", "bytes", "rate"]
    rows = pd.DataFrame(map(_row, traffic.read_text().splitlines()), columns=columns)
    rows["of_second"] = rows["end"] - rows["begin"] < 1.5
    wholes = rows[(rows["begin"] == 0) & ~rows["of_second"]].set_index("stream")
    totals = _seconds(rows[rows["of_second"]], wholes["end"].min())
    end = _time(wholes.loc[SUM, "stamp"])
    slack = np.where(rows["of_second"], 0, 0.05 + 1e-6) * rows["rate"]
    wrong = (8 * rows["bytes"] - rows["rate"] * (rows["end"] - rows["begin"])).abs() > slack
    busy, moments = {}, {}
    for host, file in zip(HOSTS, processors, strict=True):
        table = pd.read_csv(file, dtype={"timestamp": str})
        at = table.pop("timestamp").map(_time).to_numpy() - (end - len(totals))
        # Stamps are cut to whole seconds: a reading and the run each began up to 1 s later.
        within = (at >= 1) & (at <= len(totals) - 2)
        busy[host], moments[host] = table.to_numpy(dtype=float)[within], at[within]
    flows = wholes["rate"].drop(SUM).sort_index().to_numpy() / 1e9
    return Run(totals, flows, wholes.loc[SUM, "rate"] / 1e9, int(wrong.sum()), busy, moments)


def _row(line: str) -> tuple[str, int, float, float, int, int]:
    """One row of `iperf -yC`. In a second in which nothing arrived it lacks the addresses."""
    stamp, *_, stream, interval, size, rate = line.split(",")
    begin, end = map(float, interval.split("-"))
    return stamp.partition(".")[0], int(stream), begin, end, int(size), int(rate)


def _seconds(rows: pd.DataFrame, end: float) -> np.ndarray:
    """Rate of all streams in each second until `end` [Gbit/s]: the row of the sum, or the sum of
    the streams' rows if iperf left it out."""
    rates = []
    for begin, second in rows[rows["begin"] + 1 <= end].groupby("begin"):
        streams = second[second["stream"] != SUM]
        if begin + 1 == end and streams["bytes"].sum() <= WRITE:
            break  # the rest of the last write, which a stream held when its time was up
        total = second[second["stream"] == SUM]
        rates.append((streams if total.empty else total)["rate"].sum() / 1e9)
    return np.array(rates)


def _time(stamp: str) -> float:
    return datetime.strptime(f"{stamp}+0000", "%Y%m%d%H%M%S%z").timestamp()


def change_point(series: np.ndarray) -> tuple[int, float, float]:
    """The split in two with the least variance within the parts: first index of the second part,
    its mean over the first part's, and the share of variance that the split explains (near 1 for a
    step only)."""
    n, counts = len(series), np.arange(1, len(series))
    before = np.cumsum(series)[:-1] / counts
    after = (series.sum() - np.cumsum(series)[:-1]) / (n - counts)
    between = counts * (n - counts) / n * (after - before) ** 2
    best, variance = int(between.argmax()), ((series - series.mean()) ** 2).sum()
    explained = between[best] / variance if variance else 0.0
    return best + 1, after[best] / before[best], explained


def lag_1(series: np.ndarray) -> float:
    """Correlation of neighbouring values; NaN if all are equal."""
    deviations = series - series.mean()
    variance = (deviations**2).sum()
    return float((deviations[1:] * deviations[:-1]).sum() / variance) if variance else math.nan


def recompute(folder: Path) -> dict[str, Any]:
    """All quantities, ready for JSON: {study, source, files: {name: SHA-256}, quantities}.
    Lists have one number per flow or processor."""
    runs = {run: read_run(folder, run) for run in FILES}
    none, printed = runs["none"], load_published("wagner").printed
    second = change_point(none.totals)[0]
    # The study has the change take two seconds.
    parts = none.between(0, second - 1), none.between(second + 1, len(none.totals))
    rows = _quantities(runs | dict(zip(PARTS, parts, strict=True)), printed)
    return {
        "study": "wagner",
        "source": SOURCE,
        "files": {file: _hash(folder / file) for run in FILES for file in files_of(run)},
        "quantities": [_as_document(row, printed.get(row[0])) for row in rows],
    }


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _as_document(row: Row, published: float | None) -> dict[str, Any]:
    name, unit, value, note = row
    as_printed = {"Gbit/s": "GB/s", "points": "%"}.get(unit) if published is not None else None
    notes = "; ".join(filter(None, [note, as_printed and f"printed as {as_printed}"]))
    document = {"quantity": name, "published": published, "recomputed": _rounded(value)}
    return {**document, "unit": unit, "note": notes}


def _rounded(value: Any) -> Any:
    """The value to 6 significant digits; None for NaN."""
    if isinstance(value, np.ndarray):
        return [_rounded(one) for one in value]
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.6g}")


def _quantities(runs: dict[str, Run], printed: dict[str, float]) -> Iterator[Row]:
    for rows, named in ((_of_part, runs), (_of_whole, FILES)):
        for name in named:
            for quantity, *rest in rows(runs[name]):
                yield (f"{name}.{quantity}", *rest)
    totals = runs["none"].totals
    fall = int((totals[:-2] - totals[2:]).argmax())
    note = "where the largest fall within two seconds begins"
    yield "none.drop_from", "Gbit/s", totals[fall], note
    yield "none.drop_to", "Gbit/s", totals[fall + 2], "where it ends"
    yield from _between_runs(runs)
    yield from _of_printed(printed)


def _of_part(run: Run) -> Iterator[Row]:
    rates = run.totals
    yield "seconds", "s", len(rates), ""
    mean, *others = _spread(rates).items()
    for name, value in (mean, ("median", np.median(rates)), *others):
        yield f"throughput_{name}", "Gbit/s", value, ""
    yield "throughput_cv", "%", 100 * rates.std(ddof=1) / rates.mean(), ""
    for host in HOSTS:
        for name, value in _spread(run.busy[host].mean(axis=1)).items():
            yield f"{host}_busy_{name}", "%", value, ""
    more = run.busy["receiver"].mean() - run.busy["sender"].mean()
    yield "receiver_less_sender", "points", more, ""
    yield "hosts_busy", "%", _hosts_busy(run), "mean of both hosts"
    cores = np.mean([run.busy[host].mean(axis=0).sum() / 100 for host in HOSTS])
    yield "cores_per_gbit", "cores per Gbit/s", cores / rates.mean(), "mean of both hosts"


def _spread(values: np.ndarray) -> dict[str, float]:
    extremes = {"min": values.min(), "max": values.max()}
    return {"mean": values.mean(), **extremes, "sd": values.std(ddof=1)}


def _of_whole(run: Run) -> Iterator[Row]:
    yield "throughput_last", "Gbit/s", run.totals[-1], "the last second"
    yield "throughput_whole", "Gbit/s", run.whole, "iperf's row of the whole run"
    not_bits = "whose rate is not 8 times their bytes; the study heads it Bytes per second"
    yield "rows_not_in_bits", "rows", run.not_bits, not_bits
    yield "lag_1", "", lag_1(run.totals), "autocorrelation of the seconds"
    yield "flow_rates", "Gbit/s", run.flows, ""
    yield "flow_min", "Gbit/s", run.flows.min(), ""
    yield "flow_max", "Gbit/s", run.flows.max(), ""
    yield "flow_max_over_min", "", run.flows.max() / run.flows.min(), ""
    yield "flow_jain", "", jain(run.flows), ""
    second, ratio, explained = change_point(run.totals)
    best = "of the best split in two; a change only if that explains nearly all variance"
    yield "change_second", "s", second, best
    yield "change_ratio", "", ratio, ""
    yield "change_explained", "", explained, ""
    for host in HOSTS:
        busy = run.busy[host].mean(axis=0)
        saturated = busy[busy >= SATURATED]
        yield f"{host}_core_means", "%", busy, ""
        note = f"busy at least {SATURATED} % on average"
        yield f"{host}_saturated_cores", "cores", len(saturated), note
    rate = run.totals.mean() / (saturated.sum() / 100) if len(saturated) else None
    note = "throughput over what the saturated ones were busy in sum"
    yield "throughput_per_saturated_receive_core", "Gbit/s", rate, note


def _between_runs(runs: dict[str, Run]) -> Iterator[Row]:
    rate = {name: run.totals.mean() for name, run in runs.items()}
    busy = {name: _hosts_busy(run) for name, run in runs.items()}
    gain, more = rate["per-cpu"] / rate["single"], busy["per-cpu"] - busy["single"]
    processors = runs["per-cpu"].busy["sender"].shape[1]
    share = (processors / gain - 1) / (processors - 1)
    yield "speed_up", "", gain, "throughput, per-cpu over single"
    law = "of Amdahl's law, solved from two points, which is no test of it"
    yield "serial_share", "", share, law
    yield "hosts_busy.per-cpu_less_single", "points", more, ""
    above = 100 * more / busy["single"]
    yield "hosts_busy.per-cpu_above_single", "%", above, "of what a single SA takes"
    yield "hosts_busy.per-cpu_over_single", "", busy["per-cpu"] / busy["single"], ""
    for none in ("none", *PARTS):
        yield f"hosts_busy.single_less_{none}", "points", busy["single"] - busy[none], ""
        yield from _over(rate, none)


def _of_printed(printed: dict[str, float]) -> Iterator[Row]:
    """The quantities that follow from printed numbers only."""
    rate = {run: printed[f"{run}.throughput_mean"] for run in ("single", "per-cpu", *PARTS)}
    busy = {run: printed[f"{run}.hosts_busy"] for run in FILES}
    rows = [("speed_up", "", rate["per-cpu"] / rate["single"], "")]
    for one, other in (("per-cpu", "single"), ("single", "none")):
        rows.append((f"hosts_busy.{one}_less_{other}", "points", busy[one] - busy[other], ""))
    for none in PARTS:
        rows += _over(rate, none)
    for name, unit, value, _ in rows:
        yield f"{name}_printed", unit, value, "of the printed numbers"


def _over(rate: dict[str, float], none: str) -> Iterator[Row]:
    for run in ("single", "per-cpu"):
        yield f"throughput.{none}_over_{run}", "", rate[none] / rate[run], ""


def _hosts_busy(run: Run) -> float:
    return float(np.mean([run.busy[host].mean() for host in HOSTS]))


def as_text(found: dict[str, Any]) -> str:
    """JSON with one line per quantity."""
    head = json.dumps({k: v for k, v in found.items() if k != "quantities"}, indent=1)
    rows = ",\n".join("  " + json.dumps(row) for row in found["quantities"])
    return f'{head[:-2]},\n "quantities": [\n{rows}\n ]\n}}\n'


def main(folder: Path) -> None:
    """Write the file again. Exits with one line if a raw file is missing or has another hash."""
    for file, known in json.loads(KEPT.read_text())["files"].items():
        path = folder / file
        if not path.exists() or _hash(path) != known:
            sys.exit(f"{path}: expected a raw file of Wagner 2025, SHA-256 {known}; see README.md")
    KEPT.write_text(as_text(recompute(folder)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
