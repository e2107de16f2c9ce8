"""Scenario replay-window: packets that pass, measured and by the model, and the window to set."""

from collections.abc import Iterable
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.bench.testbed.treatments.shaping import Netem
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models import window_acceptance, window_advice
from remeasure.paper.analysis.models.packet_balance import packet_balance, passed_share
from remeasure.paper.analysis.models.window_acceptance import DEFAULT, predicted_share
from remeasure.paper.analysis.summaries import Tables
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, each
from remeasure.paper.notebook.charts.window_charts import window_lines
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SHOWN = {"0": "none", "in-order": "in order", "study": "study's"}
JITTERS = (1, 5, 20, 50)
"""jitters of the table of advice [ms]"""
HALF_RATE = 500
"""a rate at which no window is wide enough behind the jitter that was measured [Mbit/s]"""
GIGABIT = "1000M"
"""rate of a link that is faster than those measured"""
_NAMES = ("Slow", "Middle", "Fast")
BALANCE = ["offered", "delivered", "read", "dropped", "interfaces", "replay", "other_ipsec"]
"""where the datagrams of UDP runs went (analysis.models.packet_balance)"""


class ReplayWindow:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        self.windows = self.from_narrowest(notebook.trials)
        """measured windows; no window comes last"""
        self.widest = [window for window in self.windows if self.size(window)][-1]
        self.networks = notebook.measured("network")
        self.rates = list(notebook.numbers("rate"))
        self.most, self.study = self.rates[-1], self.networks[-1]
        probe = notebook.scenario.settings_where().probes[f"udp.{self.most}"]
        self.length: int = probe.model_dump()["length"]
        """payload of a datagram, which is one packet [byte]"""
        self.packets = balance(notebook.tables)
        passed = passed_share(self.packets)
        notebook.summarise(
            estimator,
            passed,
            passed.assign(metric="dropped", value=1 - passed["value"]),
            self._less_model(passed),
            notebook.per_megabyte("cpu_per_megabyte", notebook.scenario.topology.gateways),
        )
        netem = {network: self.impairment(network) for network in self.networks}
        self.overtaking = [n for n, of in netem.items() if of.jitter_ms and not of.rate_bits]
        """networks behind which packets overtake each other"""
        behind = self.packets[self.packets["network"].isin(self.overtaking)]
        reached = behind["delivered"] + behind["replay"]
        self.behind_jitter = behind.assign(reached=reached, dropped=behind["replay"] / reached)
        by_window = self.behind_jitter.groupby(["rate", "window"], observed=True)
        self._worst = by_window["dropped"].max()
        self.passing = pd.concat(map(self._passing, self.networks))
        """share that passes, by window (row), rate (level) and network, with the prediction"""

    def size(self, window: str) -> int:
        """The window of a level [packets]; 0: none."""
        return int(self.notebook.number("window", window))

    def from_narrowest(self, trials: pd.DataFrame) -> list[str]:
        """Levels of factor window in a table of trials, from the narrowest; none comes last."""
        return sorted(set(trials["window"]), key=lambda one: self.size(one) or LARGEST_WINDOW + 1)

    def mbit(self, rate: str) -> float:
        """A rate that was measured, or GIGABIT [Mbit/s]."""
        return 1000 if rate == GIGABIT else self.notebook.number("rate", rate)

    def per_second(self, rate: str) -> float:
        """Packets per second at a rate that was measured, or GIGABIT."""
        return self.mbit(rate) * 1e6 / 8 / self.length

    def impairment(self, network: str) -> Netem:
        return self.notebook.scenario.settings_where(network=network).shaping["gw1.wan"].impairment

    def predicted(self, window: str, network: str, rate: str) -> float:
        """Share of the arriving packets that pass, by the model."""
        return predicted_share(self.size(window), self.per_second(rate), self.impairment(network))

    def _less_model(self, passed: pd.DataFrame) -> pd.DataFrame:
        """Summaries of the shares `passed`, less the model's [points]."""
        cells = passed[["window", "network", "rate"]]
        known = {cell: self.predicted(*cell) for cell in set(cells.itertuples(index=False))}
        model = [known[cell] for cell in cells.itertuples(index=False)]
        less = 100 * (passed["value"] - model)
        return passed.assign(metric="passed_less_model", unit="%", value=less)

    def _passing(self, network: str) -> pd.DataFrame:
        windows, rates = each("window", self.windows), each("rate", self.rates)
        passed: Asked = {"metric": "passed", "where": {"network": network}}
        found = asked.points(self.notebook, windows, rates, passed)
        predicted = [self.predicted(row.row, network, row.level) for row in found.itertuples()]
        return found.assign(network=network, predicted=predicted)

    # The advice

    def enough(self, rate: str) -> str | None:
        """The narrowest window that dropped at most ALLOWED in every run; None if there is none."""
        for window in self.windows:
            if self.size(window) and self._worst.get((rate, window), 1) <= window_advice.ALLOWED:
                return window
        return None

    def traffic(self, rate: str, jitter: float, line: float | None = None) -> window_advice.Traffic:
        """Packets at a rate behind a jitter [ms] and a port `line` [Mbit/s]."""
        return window_advice.Traffic("jitter", self.mbit(rate), self.length, jitter, line)

    def measured(self) -> list[window_advice.Passed]:
        """Windows measured to be enough."""
        jitters = {self.impairment(network).jitter_ms for network in self.overtaking}
        return [
            window_advice.Passed(self.traffic(rate, jitter), self.size(window))
            for rate in self.rates
            if (window := self.enough(rate))
            for jitter in jitters
        ]

    def advice(self) -> pd.DataFrame:
        """The window to set by rate, port (the narrowest; if it is full, the next) and jitter."""
        measured, rows = self.measured(), []
        for rate in dict.fromkeys([*self.rates, GIGABIT]):
            mbit = self.mbit(rate)
            ports = [line for line in window_advice.LINE_RATES if line >= mbit]
            for line in ports[: 2 if ports[0] == mbit else 1]:
                row = {"rate": rate, "port": f"{line}M"}
                for jitter in JITTERS:
                    advised = window_advice.advise(self.traffic(rate, jitter, line), measured)
                    row[f"{jitter} ms"] = str(advised)
                rows.append(row)
        return pd.DataFrame(rows)

    def quote_advice(self) -> None:
        """Hand over the window that is enough at each rate, and the default."""
        results = self.notebook.results
        named = self.rates[0], self.rates[len(self.rates) // 2], self.most
        for name, rate in zip(_NAMES, named, strict=True):
            says = f"narrowest measured window that dropped at most 0.1 % at {rate}, packets"
            results.words(f"Advised{name}", self.enough(rate) or "n/a", says)
            results.words(f"Rate{name}", f"{self.mbit(rate):g}", "offered, Mbit/s")
        jitter = max((self.impairment(n).jitter_ms for n in self.overtaking), default=0)
        for name, rate in zip(("Slow", "Fast"), (self.rates[0], self.most), strict=True):
            even = window_acceptance.needed_window(
                1 - window_advice.ALLOWED, self.per_second(rate), jitter / 1e3
            )
            says = f"window that drops 0.1 % of packets that leave evenly at {rate}, by the model"
            results.number(f"Even{name}", even, 0, source=says)
        results.words("Default", str(DEFAULT), "strongSwan's window, packets")
        results.words("Largest", str(LARGEST_WINDOW), "widest window of Linux, packets")
        for jitter, name in ((1, "One"), (50, "Fifty")):
            factor = np.interp(jitter, window_advice.DELAYS, window_advice.curve("jitter")) / jitter
            says = f"widest window a captured run needs over that for even departures, {jitter} ms"
            results.number(f"Factor{name}", factor, 1, source=says)
        self._quote_gigabit()

    def _quote_gigabit(self) -> None:
        """Hand over the window to set at 1 Gbit/s, and from which jitter on none is wide enough."""
        results, measured = self.notebook.results, self.measured()
        found = {
            ms: window_advice.advise(self.traffic(GIGABIT, ms), measured).window for ms in JITTERS
        }
        for jitter, name in ((1, "One"), (5, "Five")):
            says = f"window to set at {GIGABIT} and {jitter} ms of jitter, packets"
            results.words(f"Gigabit{name}", str(found[jitter] or "beyond"), says)
        beyond = next((f"{ms}" for ms, window in found.items() if not window), "n/a")
        says = f"least jitter of the table for which no window is wide enough at {GIGABIT}, ms"
        results.words("GigabitBeyond", beyond, says)
        line = f"{window_advice.line_rate(self.mbit(GIGABIT)):.0f}"
        results.words("GigabitPort", line, "line rate of the port there, Mbit/s")
        passed = predicted_share(
            LARGEST_WINDOW, HALF_RATE * 1e6 / 8 / self.length, self.impairment("reordering")
        )
        says = f"share that the widest window passes at {HALF_RATE} Mbit/s, by the model, %"
        results.number("HalfPassed", 100 * passed, 1, source=says)
        results.words("HalfRate", str(HALF_RATE), "a rate too fast for any window, Mbit/s")

    # Packets that pass

    def balanced(self) -> pd.DataFrame:
        """Datagrams of UDP runs by their end, in sums over all trials."""
        by_rate = self.packets.groupby(["network", "rate"], observed=True)
        return by_rate[[*BALANCE, "missing"]].sum().astype(int)

    def chart(self) -> alt.TopLevelMixin:
        """Share that passes behind jitter that reorders, measured and by the model."""
        shown = {rate: f"{self.mbit(rate):g}" for rate in self.rates}
        sizes = {window: self.size(window) for window in self.windows}
        behind = self.passing[self.passing["network"] == "reordering"]
        behind = behind.rename(columns={"row": "window"})
        behind = behind.assign(rate=behind["level"].map(shown), window=behind["window"].map(sizes))
        ends = self.size(self.windows[0]), self.size(self.widest)
        windows = np.geomspace(*ends, 43).round().astype(int)
        impairment = self.impairment("reordering")
        curves = [
            (window, shown[rate], predicted_share(window, self.per_second(rate), impairment))
            for rate in self.rates
            for window in windows
        ]
        predicted = pd.DataFrame(curves, columns=["window", "rate", "value"])
        return window_lines(behind, predicted, DEFAULT)

    def quote_prediction(self) -> None:
        """Hand over how shares differ from the predicted ones that are neither 0 nor 1."""
        results = self.notebook.results
        cells = self.passing[self.passing["predicted"].between(0.001, 0.999)]
        error = 100 * (cells["value"] - cells["predicted"]).abs()
        made_from = [Estimate.of_row(row) for row in cells.itertuples()]
        says = "difference of predicted and measured share, points"
        worst = f"largest {says}"
        results.number("PredictionWorst", error.max(), 1, source=worst, made_from=made_from)
        mean = f"mean {says}, where neither 0 nor 1 is predicted"
        results.number("PredictionMean", error.mean(), 1, source=mean, made_from=made_from)
        cells_of = "cells in which neither 0 nor 1 is predicted"
        results.number("PredictionCells", len(cells), 0, source=cells_of)


def balance(tables: Tables) -> pd.DataFrame:
    """Datagrams of each UDP run by their end (see analysis.models.packet_balance)."""
    return packet_balance(
        tables["counters"],
        tables["observations"],
        tables.factors,
        sender="client1",
        receiver="client2",
        entry=("gw1", "wan"),
        exit_gateway="gw2",
    )


def shown(factor: str, levels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Rows or columns of a table of estimates, under the levels' names in tables."""
    return {SHOWN.get(level, level): {"where": {factor: level}} for level in levels}
