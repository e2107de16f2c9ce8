"""A model of the delay of an authentication: round trips of the network, and everything else.

delay = c(method) + b x exchanges(method) x rtt. If every exchange waits for one round trip, b is 1;
c(method) is the delay at distance zero: computation, and messages between hosts next to each other.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

from remeasure.analysis.estimates import Estimate, mean_estimate

_TRIPS = "I(exchanges * rtt)"


@dataclass(frozen=True)
class DelayModel:
    """The model fitted to each block; estimates are means over blocks."""

    round_trips: Estimate
    """b: round trips of the network per exchange [1]"""
    computation: pd.DataFrame
    """one row for each method; columns method; value, low, high [ms]; n [blocks]; origin"""
    worst: float
    """largest residual of a cell's mean over blocks [ms]"""


def fit_delays(table: pd.DataFrame, probe: str) -> DelayModel:
    """Fit the model to `table`: one row for each trial, columns block, method, rtt [ms, a number],
    exchanges, delay [ms], as `probe` found it.

    Intervals are Student's, over the fits of the blocks. A block that lacks a method gives no
    estimate for that method, and is used for the others.
    """
    fits, residuals = [], []
    for _, block in table.groupby("block"):
        fit = smf.ols(f"delay ~ 0 + C(method) + {_TRIPS}", block).fit()
        fits.append(fit.params)
        residuals.append(block.assign(residual=fit.resid))
    parameters = pd.DataFrame(fits)

    def estimate(name: str, says: str, methods: list[str]) -> Estimate:
        used = table[table["method"].isin(methods)]
        cells = used[["method", "rtt"]].drop_duplicates().to_dict("records")
        cells = [{"probe": probe, **cell, "rtt": f"{cell['rtt']:g}"} for cell in cells]
        found = mean_estimate(parameters[name].to_numpy())
        return found.measured(f"{says}, by one model", "delay", cells, sorted(set(used["block"])))

    methods = list(dict.fromkeys(table["method"]))
    left = pd.concat(residuals).groupby(["method", "rtt"])["residual"].mean()
    return DelayModel(
        estimate(_TRIPS, "round trips an exchange", methods),
        pd.DataFrame(
            [
                {"method": method}
                | estimate(f"C(method)[{method}]", "delay but for round trips", [method]).columns()
                for method in methods
            ]
        ),
        float(np.abs(left).max()),
    )
