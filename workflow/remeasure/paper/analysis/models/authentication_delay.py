"""A model of the delay of an authentication: round trips of the network, and everything else. delay
= c(method) + b x exchanges(method) x rtt. If every exchange waits for one round trip, b is 1;
c(method) is the delay at distance zero: computation, and messages between hosts next to each
other."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

from remeasure.paper.analysis.estimates import Estimate, mean_estimate

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
    """Fit the model to `table`: one row per trial, columns block, method, rtt [ms], exchanges,
    delay [ms] by `probe`. Intervals are Student's, over the fits of the blocks. A block that lacks
    a method gives no estimate for it."""
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


def surplus(table: pd.DataFrame, rtt: float, probe: str) -> Estimate:
    """Delay of an exchange beyond one round trip of `rtt` [ms] and beyond its delay back to back:
    the mean over methods, with Student's interval over blocks [ms]. Other parameters as in
    `fit_delays`."""
    cells = table.set_index(["block", "method"])
    near, far = (cells[cells["rtt"] == at] for at in (0, rtt))
    longer = (far["delay"] - near["delay"]) / far["exchanges"] - rtt
    of_block = longer.dropna().groupby("block").mean()
    asked = [
        {"probe": probe, "method": method, "rtt": f"{at:g}"}
        for method in dict.fromkeys(far.index.get_level_values("method"))
        for at in (0, rtt)
    ]
    says = f"delay of an exchange at {rtt:g} ms, beyond its round trip and its delay at 0 ms"
    found = mean_estimate(of_block.to_numpy())
    return found.measured(says, "delay", asked, of_block.index)
