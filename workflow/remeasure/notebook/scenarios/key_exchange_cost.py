"""Scenario key-exchange-cost: processor time and time of a set-up, by key exchange."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.analysis.estimates import Estimate
from remeasure.notebook.charts import figures
from remeasure.notebook.charts.theme import COLUMN, NUMBERS, panel
from remeasure.notebook.scenario_notebook import ScenarioNotebook, each, joined

COST = {host: {"metric": f"{host}_cpu"} for host in ("left", "right")}
DELAY = {"probe": "direct", "metric": "delay"}
LEAST = "x25519"
"""the group with which others are compared: strongSwan's first choice"""
_ENDS = {"left": "initiator", "right": "responder"}
_QUOTED = {
    "X": LEAST,
    "Ecp": "ecp256",
    "EcpLong": "ecp384",
    "Modp": "modp2048",
    "ModpLong": "modp4096",
    "Mlkem": "mlkem768",
    "Hybrid": "x25519-mlkem768",
}
"""part of a number's name -> level of factor exchange"""
_TIMED = ("X", "Hybrid", "ModpLong")
"""parts of names whose time of a set-up the answer names"""


class KeyExchangeCost:
    """The trials of scenario key-exchange-cost."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        self.summaries = notebook.summarise(estimator)
        self.exchanges = notebook.measured("exchange")

    def ratio(self, exchange: str, **question: Any) -> dict[str, Any]:
        """The question how many times as much an exchange takes as X25519."""
        levels = {"of": {"exchange": exchange}, "to": {"exchange": LEAST}}
        return joined({"quantity": "ratio"}, levels, question)

    def table(self) -> pd.DataFrame:
        """Processor time of either end, its ratio to X25519, and the time of a set-up [ms]."""
        rows = []
        for exchange in self.exchanges:
            here = {"where": {"exchange": exchange}}
            row = {"exchange": exchange}
            for host, question in COST.items():
                row[f"{_ENDS[host]}, ms"] = self.notebook.text(**question, **here)
            for host, question in COST.items() if exchange != LEAST else ():
                ratio = self.ratio(exchange, **question)
                row[f"{_ENDS[host]}, of {LEAST}"] = self.notebook.text(**ratio)
            row["set-up, ms"] = self.notebook.text(**DELAY, **here)
            rows.append(row)
        return pd.DataFrame(rows, dtype=object).fillna("")

    def longer(self) -> dict[str, Estimate]:
        """Exchange -> by how much a set-up takes longer than with X25519 [ms]."""
        difference = {"quantity": "difference", "to": {"exchange": LEAST}}
        return {
            exchange: self.notebook.estimate(**DELAY, **difference, of={"exchange": exchange})
            for exchange in self.exchanges
            if exchange != LEAST
        }

    def chart(self) -> alt.LayerChart:
        """Processor time of either end by exchange."""
        used = self.summaries[self.summaries["metric"].isin([q["metric"] for q in COST.values()])]
        used = used.assign(level=used["metric"].str.split("_").str[0].map(_ENDS))
        used = used.rename(columns={"exchange": "row"})[["row", "level", "value"]]
        ends = {_ENDS[host]: question for host, question in COST.items()}
        return figures.points_and_intervals(
            used,
            self.notebook.points(each("exchange", self.exchanges), ends),
            levels=list(ends),
            legend="end",
            x_title=f"processor time ({self.notebook.unit('left_cpu')} for one set-up)",
            width=panel(COLUMN, beside=NUMBERS),
            scale=alt.Scale(domain=[0, 1.05 * used["value"].max() if len(used) else 1]),
        )

    def hand_over(self) -> None:
        """Keep the numbers of the answer: processor time at the responder, which cannot choose when
        it computes."""
        for name, exchange in _QUOTED.items():
            here = {"where": {"exchange": exchange}}
            self.notebook.quote(f"{name}Cost", paper=False, **COST["right"], **here)
            if name in _TIMED:
                self.notebook.quote(f"{name}Time", paper=False, **DELAY, **here)
            if exchange != LEAST:
                ratio = self.ratio(exchange, **COST["right"])
                self.notebook.quote(f"{name}Times", paper=False, **ratio)
