"""Laws of scaling: what throughput becomes when processors are added.

Amdahl (AFIPS 1967): a share of the work is serial, and bounds the speed-up by its inverse. The
universal scalability law (Gunther, "Guerrilla Capacity Planning", 2007) adds a cost of keeping
processors coherent, which grows with their square and makes throughput fall in the end.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import optimize


@dataclass(frozen=True)
class Law:
    """throughput(n) = single * n / (1 + serial * (n - 1) + coherence * n * (n - 1))"""

    single: float
    """throughput of one processor [unit of the data]"""
    serial: float
    """serial share of the work, 0 to 1; 0 scales linearly"""
    coherence: float
    """cost of coherence, at least 0; 0 is Amdahl's law"""

    def at(self, processors: np.ndarray | float) -> np.ndarray | float:
        """Throughput with this number of processors [unit of the data]."""
        n = np.asarray(processors, dtype=float)
        return self.single * n / (1 + self.serial * (n - 1) + self.coherence * n * (n - 1))

    @property
    def most(self) -> float:
        """Number of processors beyond which throughput falls; infinite under Amdahl's law."""
        if self.coherence == 0:
            return float("inf")
        return float(np.sqrt((1 - self.serial) / self.coherence))


def serial_share(speed_up: float, processors: float) -> float:
    """Serial share by Amdahl's law from one speed-up: 0 if the speed-up is linear, 1 if there is
    none; negative if it is more than linear, above 1 for a slow-down. Two points determine the law,
    but cannot test it."""
    return (processors / speed_up - 1) / (processors - 1)


def fit_amdahl(processors: np.ndarray, throughput: np.ndarray) -> Law:
    """Fit Amdahl's law by least squares of relative errors. Both arrays have shape (points,).
    Raises ValueError for fewer than two different counts of processors."""
    return _fit(processors, throughput, coherent=True)


def fit_universal(processors: np.ndarray, throughput: np.ndarray) -> Law:
    """Fit the universal scalability law by least squares of relative errors. Both arrays have shape
    (points,). Raises ValueError for fewer than three different counts of processors."""
    return _fit(processors, throughput, coherent=False)


def _fit(processors: np.ndarray, throughput: np.ndarray, coherent: bool) -> Law:
    n, rate = np.asarray(processors, dtype=float), np.asarray(throughput, dtype=float)
    least = 2 if coherent else 3
    if len(np.unique(n)) < least:
        raise ValueError(f"{len(np.unique(n))} counts of processors, expected at least {least}")

    def law(values: np.ndarray) -> Law:
        return Law(np.exp(values[0]), values[1], 0.0 if coherent else values[2])

    start = [float(np.log(rate[n.argmin()] / n.min())), 0.1, 0.01]
    bounds = [(-np.inf, 0, 0), (np.inf, 1, np.inf)]
    count = 2 if coherent else 3
    found = optimize.least_squares(
        lambda values: law(values).at(n) / rate - 1,
        start[:count],
        bounds=(bounds[0][:count], bounds[1][:count]),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    return law(found.x)


def fits(summaries: pd.DataFrame) -> dict[str, float]:
    """Parameters of both laws, fitted to summaries of one condition with a column `cpus`: law and
    parameter -> value. Amdahl's law needs two counts of processors, the universal one three; a law
    that cannot be fitted is left out."""
    counts, rates = summaries["cpus"].astype(int).to_numpy(), summaries["value"].to_numpy()
    found = {}
    if len(set(counts)) > 1:
        amdahl = fit_amdahl(counts, rates)
        found = {"Amdahl: serial share": amdahl.serial, "one processor": amdahl.single}
    if len(set(counts)) > 2:
        universal = fit_universal(counts, rates)
        found |= {
            "universal: serial share": universal.serial,
            "universal: coherence": universal.coherence,
        }
    return found


METRICS = {
    "hosts_busy": "%",
    "receiver_less_sender": "points",
    "sender_receiver_gap": "points",
    "cores_per_gbit": "cores per Gbit/s",
}
"""metric -> its unit"""


def busy_metrics(summaries: pd.DataFrame, sender: str, receiver: str) -> pd.DataFrame:
    """Summaries (see summaries.py) of new metrics, from <host>_busy [%] and throughput [Mbit/s].

    hosts_busy [%]: mean of both hosts. receiver_less_sender [percentage points], and
    sender_receiver_gap, its absolute value. cores_per_gbit: processors in use at one host (mean of
    both) for each Gbit/s. `cpus` must be a factor.
    """
    keys = [c for c in summaries.columns if c not in ("metric", "unit", "value")]
    wide = summaries.pivot_table(index=keys, columns="metric", values="value", observed=True)
    wide = wide[[f"{sender}_busy", f"{receiver}_busy", "throughput"]].dropna()
    mean = (wide[f"{sender}_busy"] + wide[f"{receiver}_busy"]) / 2
    less = wide[f"{receiver}_busy"] - wide[f"{sender}_busy"]
    cpus = wide.index.get_level_values("cpus").astype(int)
    metrics = {
        "hosts_busy": mean,
        "receiver_less_sender": less,
        "sender_receiver_gap": less.abs(),
        "cores_per_gbit": cpus * mean / 100 / (wide["throughput"] / 1000),
    }
    return pd.concat(
        [
            values.rename("value").reset_index().assign(metric=metric, unit=METRICS[metric])
            for metric, values in metrics.items()
        ],
        ignore_index=True,
    )


def carried_by_processor(counters: pd.DataFrame, host: str) -> pd.DataFrame:
    """Rows of `counters` that count packets of outbound SAs of single processors of `host`, with a
    new column `processor`, its number."""
    found = counters["counter"].str.extract(r"^sa_out_cpu(\d+)_packets$")[0]
    chosen = found.notna() & (counters["host"] == host)
    return counters[chosen].assign(processor=found[chosen])


def trials_carried_by_several(carried: pd.DataFrame) -> int:
    """Number of trials in which SAs of at least two processors carried packets; `carried` is the
    table of `carried_by_processor`, and may cover several campaigns."""
    moved = carried.groupby(["campaign", "block", "trial"], observed=True)["change"]
    return int(moved.agg(lambda changes: (changes > 0).sum() > 1).sum())
