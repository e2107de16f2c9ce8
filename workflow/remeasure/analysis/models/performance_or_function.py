"""How a trial may be read: as a measurement of performance, or as evidence that something works.

Guests of a lab share the processors of one machine. If the guests have more processors than the
machine, a processor that holds a lock may be stopped while others wait for the lock; and the cost
of an emulated processor differs from that of a real one. Such rates are kept, but nothing is
concluded from them.
"""

from typing import Any

import pandas as pd

PERFORMANCE = "performance"


def standing(trials: pd.DataFrame) -> pd.Series:
    """PERFORMANCE, or 'function only' with the reason, for each row of the table of trials."""

    def of(trial: Any) -> str:
        if trial.accelerator == "tcg":
            return "function only: emulated processors"
        if trial.guest_cpus > trial.machine_cpus:
            return f"function only: {trial.guest_cpus} guest processors on {trial.machine_cpus}"
        return PERFORMANCE

    return pd.Series([of(trial) for trial in trials.itertuples()], index=trials.index, dtype=str)
