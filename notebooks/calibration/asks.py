"""Scenario calibration: what was set on the testbed, and what came of it."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.cost import gateways_in, per_megabyte
from remeasure.paper.analysis.lineage import SCENARIO
from remeasure.paper.analysis.models import links
from remeasure.paper.analysis.summaries import Tables, read_tables, trial_summaries
from remeasure.paper.notebook.asked import Asked, joined
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime

HARNESS = {"way": "harness"}
BY_HAND = {
    "quantity": "ratio",
    "metric": "goodput",
    "probe": "tcp",
    "of": {"way": "hand"},
    "to": HARNESS,
}
"""the question what a run typed by hand carries over one by the harness"""
SWEEP = "algorithm-sweep"
_ASKED = {"delay_mean", "goodput", "jitter", "rtt_mean", "rate"}
"""metrics that this notebook looks at in other scenarios"""


class Calibration:
    """The trials of scenario calibration, and trials of the other scenarios that were built."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str, others: Mapping[str, str]):
        """`estimator` as of ScenarioNotebook.summarise, which this calls; `others`: scenario ->
        folder of its tables."""
        self.notebook = notebook
        observations, factors = notebook.observations, notebook.tables.factors
        counters = notebook.counters
        runs = observations[observations["probe"] == "tcp"]
        own = counters[counters["way"] == "harness"]
        notebook.summarise(
            estimator,
            *_of_echoes(notebook.tables),
            per_megabyte(own, runs, factors, "cpu_per_megabyte", gateways_in(own)),
        )
        self.virtual = VirtualTime(notebook, estimator)
        if self.virtual:
            self.virtual.add(*_of_echoes(self.virtual.tables))
        self.amounts = {
            network: int(network.partition("-")[2] or 0)
            for network in set(notebook.trials["network"])
        }
        """network -> what is set there, such as ms"""
        self.networks = sorted(
            self.amounts, key=lambda network: (network.partition("-")[0], self.amounts[network])
        )
        self.tables = {
            scenario: read_tables(ROOT / folder, ["observations"])
            for scenario, folder in others.items()
        }
        """tables of other scenarios"""
        self.summaries = {s: _summaries(s, of, estimator) for s, of in self.tables.items()}

    def set_table(self) -> pd.DataFrame:
        """What was set in each network and step of a clock, and what was found."""
        rows = [row for network in self.networks for row in self._of_network(network)]
        steps = sorted(set(self.notebook.observations["step_ms"]) - {""}, key=float)
        for step in steps:
            question: Asked = {"metric": "clock_step", "probe": "clock", "of": {"step_ms": step}}
            rows.append(self._row("step of a clock", "ms", step, question))
        return pd.DataFrame(rows, dtype=object)

    def _row(self, what: str, unit: str, amount: object, question: Asked) -> dict[str, Any]:
        return {
            "what": what,
            "unit": unit,
            "set": str(amount),
            "found": self.notebook.text(question),
            "in virtual time": self.virtual.text(question),
        }

    def _of_network(self, network: str) -> list[dict[str, Any]]:
        kind, amount, here = network.partition("-")[0], self.amounts[network], {"network": network}
        rows: list[dict[str, Any]] = []
        question: Asked
        if kind in ("delay", "jitter"):
            what = "delay" if kind == "delay" else f"delay, with jitter of {amount} ms"
            question = {"quantity": "difference", "metric": "rtt_mean", "probe": "latency"}
            question = joined(question, {"of": here, "to": {"network": "normal"}})
            rows.append(self._row(what, "ms", amount if kind == "delay" else 100, question))
        if kind == "jitter":
            question = {"metric": "rtt_sd", "probe": "latency", "of": here}
            rows.append(self._row("std. deviation of the round trip", "ms", amount, question))
        if kind == "loss":
            question = {"metric": "loss", "probe": "loss", "of": here}
            rows.append(self._row("loss", "%", amount, question))
        return rows + (self._of_rate(network) if kind == "rate" else [])

    def _of_rate(self, network: str) -> list[dict[str, Any]]:
        settings = self.notebook.scenario.settings_where(network=network)
        amount = self.amounts[network]
        goodput: Asked = {"metric": "goodput", "of": {"network": network}}
        if "full_tcp" not in settings.probes:
            question: Asked = {**goodput, "probe": "tcp", "where": HARNESS}
            least = f"TCP goodput, rate of {amount}"
            return [self._row(least, "Mbit/s", self._rate_set(network), question)]
        family = self.notebook.scenario.topology.family
        rows = [
            self._row(
                f"{protocol} goodput, rate of {amount}",
                "Mbit/s",
                f"{links.full_goodput(probe, settings, family):.2f}",
                {**goodput, "probe": probe},
            )
            for probe, protocol in links.FULL.items()
        ]
        question = {"metric": links.ECHOES, "probe": "sizes", "of": {"network": network}}
        longer = f"{links.longer_by(settings):.3f}"
        return [*rows, self._row(f"echo, rate of {amount}", "ms", longer, question)]

    def _rate_set(self, network: str) -> str:
        """Goodput of TCP [Mbit/s] that full frames leave of a rate, and of a token bucket that with
        what is in it at the start of the run, as text."""
        settings = self.notebook.scenario.settings_where(network=network)
        (link,) = settings.shaping.values()
        least = links.full_goodput("full_tcp", settings, self.notebook.scenario.topology.family)
        run = settings.probes["tcp.harness"].model_dump()
        burst = 8e-6 * (link.burst_bytes or 0) / run["duration"]
        most = least * (1 + burst / self.amounts[network])
        return f"{least:.2f} to {most:.2f}" if burst else f"{least:.2f}"

    def clock_bounds(self) -> pd.DataFrame:
        """Hand over the largest error of a clock's step, and return the bounds on errors of
        offsets [ms]."""
        observations = self.notebook.observations
        clock = observations[observations["metric"] == "clock_step"]
        worst = (clock["value"] - clock["step_ms"].astype(float)).abs().max()
        says = "largest error of a clock's step"
        self.notebook.results.number("ClockWorst", worst, 3, r"\milli\second", says)
        bounds = observations[observations["metric"] == "clock_bound"]["value"]
        return bounds.describe().to_frame().T.round(3)

    def waits(self) -> tuple[str, pd.DataFrame]:
        """How exactly trains of echoes tell a wait, in a sentence, and by the length of the pause
        [ms]."""
        waits = self.notebook.observations.query("probe == 'waits'")
        if waits.empty:
            return "Waits of known length were not measured in this campaign", pd.DataFrame()
        errors = waits.loc[waits["metric"] == "error", "value"]
        low, middle, high = (f"{errors.quantile(q):.2f}" for q in (0.05, 0.5, 0.95))
        found = waits.groupby(["pause_ms", "metric"], observed=True)["value"].agg(["min", "max"])
        by_pause = found.unstack("metric").swaplevel(axis=1)
        order = sorted(by_pause.index, key=float)
        return (
            f"Trains of echo requests found waits of known length too long by {middle} ms (median; "
            f"{low} to {high} in the middle 90 of 100)",
            by_pause.loc[order, ["pause", "wait", "error", "grain"]].round(2),
        )


def _of_echoes(tables: Tables) -> list[pd.DataFrame]:
    """Summaries of the round trips of a campaign: deviation, by how much large ones are longer, and
    those after the first ones."""
    observations, factors = tables["observations"], tables.factors
    spread = observations[observations["metric"] == "rtt"].assign(metric="rtt_sd")
    return [
        trial_summaries(spread, factors, "std"),
        links.echoes_longer(observations, factors),
        links.settled_echoes(observations, factors),
    ]


def _summaries(scenario: str, tables: Tables, estimator: str) -> pd.DataFrame:
    """What this notebook looks at in the trials of another scenario."""
    observations, factors = tables["observations"], tables.factors
    asked = observations[observations["metric"].isin(_ASKED)]
    found = trial_summaries(asked, factors, estimator)
    found.attrs[SCENARIO] = scenario
    return found
