"""One run of Wagner 2025, from its raw files: what each second carried, and how busy processors
were.

The row of a second has a stamp in whole seconds that is one second late, as the row of the whole
run and the processors show. So a run is placed by the stamp of its last row, the row of the whole
run: the run ended then, and began as many seconds earlier as it has rows of a second. Both hosts'
clocks are taken to be one: their processors become busy, and idle, within a second of each other.
"""

import math
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

from remeasure.bench.base.errors import UserError
from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers import iperf2_rows
from remeasure.paper.studies.wagner.cores import read_cores

ROLES = {"sender": "send", "receiver": "recv"}
"""host -> the part of a file's name that stands for it"""
FLOWS = 8
READING_PERIOD = 2
"""period of the study's script [s]: one second to watch, one to sleep"""


@dataclass(frozen=True)
class Run:
    """The rates of one run, and how busy the processors of both hosts were during it."""

    totals: np.ndarray
    """rate of all flows together in each second [Gbit/s]; shape (seconds,)"""
    flows: np.ndarray
    """rate of each flow over the whole run [Gbit/s]; shape (flows,)"""
    whole: float
    """rate of the whole run, by iperf's own row [Gbit/s]"""
    not_bits: int
    """number of rows whose rate is not 8 times their bytes per second"""
    busy: dict[str, np.ndarray]
    """host -> busy share [%]; shape (readings, processors); only readings that lie wholly within
    the run"""
    moments: dict[str, np.ndarray]
    """host -> time of each reading since the start of the run [s]; shape (readings,)"""

    def between(self, begin: float, end: float) -> "Run":
        """The part of the run from second `begin` to `end`; `flows` and `whole` still describe the
        whole run."""
        kept = {
            host: (begin <= at) & (at + READING_PERIOD <= end) for host, at in self.moments.items()
        }
        return replace(
            self,
            totals=self.totals[int(begin) : int(end)],
            busy={host: busy[kept[host]] for host, busy in self.busy.items()},
            moments={host: at[kept[host]] for host, at in self.moments.items()},
        )


@dataclass(frozen=True)
class Change:
    """The split of a series in two parts with the least variance within the parts."""

    second: int
    """index of the first second of the second part"""
    ratio: float
    """mean of the second part over the mean of the first"""
    explained: float
    """share of the variance that the split explains, 0 to 1; every series that drifts has a best
    split, but only a step has one that explains nearly all"""


def change_point(series: np.ndarray) -> Change:
    """The best split by least squares; `series` has shape (at least two,), and a part has at least
    one value."""
    n, counts = len(series), np.arange(1, len(series))
    before = np.cumsum(series)[:-1] / counts
    after = (series.sum() - np.cumsum(series)[:-1]) / (n - counts)
    between = counts * (n - counts) / n * (after - before) ** 2
    best, variance = int(between.argmax()), ((series - series.mean()) ** 2).sum()
    return Change(
        best + 1,
        float(after[best] / before[best]),
        float(between[best] / variance) if variance else 0.0,
    )


def lag_1(series: np.ndarray) -> float:
    """Correlation of neighbouring values: 0 if one second tells nothing about the next; NaN if all
    are equal."""
    deviations = series - series.mean()
    variance = (deviations**2).sum()
    return float((deviations[1:] * deviations[:-1]).sum() / variance) if variance else math.nan


def files_of(name: str) -> list[str]:
    """The names of a run's three files in the study's repository."""
    return [f"{name}.csv", *(f"{name}_{role}_cpu.csv" for role in ROLES.values())]


def read_run(folder: Path, name: str) -> Run:
    """Read one run. Raises UserError naming a file that is missing, or a line that is malformed."""
    traffic, *processors = files_of(name)
    file = str(folder / traffic)
    rows = iperf2_rows.read_rows(file, raw(folder / traffic))
    whole, flows = iperf2_rows.wholes_of(file, rows)
    if len(flows) != FLOWS:
        raise LogError(file, len(rows), f"{len(flows)} flows", f"{FLOWS} (is the file cut?)")
    seconds = iperf2_rows.seconds_of(file, rows, FLOWS)
    end = _time(file, whole.line, whole.stamp)
    busy, moments = {}, {}
    for host, part in zip(ROLES, processors, strict=True):
        moments[host], busy[host] = _during(folder / part, end, len(seconds))
    return Run(
        totals=np.array([row.bits_per_second for row in seconds]) / 1e9,
        flows=np.array([flow.bits_per_second for flow in sorted(flows, key=lambda row: row.stream)])
        / 1e9,
        whole=whole.bits_per_second / 1e9,
        not_bits=sum(not _in_bits(row) for row in rows),
        busy=busy,
        moments=moments,
    )


def raw(path: Path) -> bytes:
    """Content of a raw file. Raises UserError if there is no such file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; expected a raw file of Wagner 2025") from None


def _during(path: Path, end: float, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Time [s since the start of the run] and busy shares [%] of the readings that lie wholly
    within it."""
    readings = read_cores(str(path), raw(path))
    start = end - seconds
    moments = np.array([_time(str(path), r.line, r.stamp) for r in readings]) - start
    # Stamps are cut to whole seconds: the second of a reading began up to 1 s after its stamp, and
    # the run began up to 1 s after its own.
    within = (moments >= 1) & (moments <= seconds - 2)
    expected = seconds // READING_PERIOD
    if within.sum() < 0.9 * expected:
        raise LogError(
            str(path),
            readings[-1].line,
            f"{within.sum()} readings during a run of {seconds} s",
            f"about {expected} (is the file cut?)",
        )
    return moments[within], np.array([r.busy for r in readings])[within]


def _in_bits(row: iperf2_rows.Row) -> bool:
    """True if the rate is 8 times the bytes per second, as far as rounding of the interval to 0.1 s
    allows; a second is taken as exact."""
    duration = row.end - row.begin
    slack = 0 if row.of_second else 0.05 + 1e-6
    return abs(8 * row.bytes - row.bits_per_second * duration) <= row.bits_per_second * slack


def _time(file: str, line: int, stamp: str) -> float:
    try:
        return datetime.strptime(f"{stamp}+0000", "%Y%m%d%H%M%S%z").timestamp()
    except ValueError:
        raise LogError(file, line, stamp, "a time, YYYYMMDDhhmmss") from None
