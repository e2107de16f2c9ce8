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
