"""Scenario esp-instructions: suites of ESP in the kernel, by the instructions it may use."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.models.suite_cost import ADVISED, REFERENCE, cheapest
from remeasure.analysis.texts import estimate_text as text
from remeasure.notebook.charts import figures
from remeasure.notebook.charts.theme import COLUMN, NUMBERS, panel
from remeasure.notebook.scenario_notebook import ScenarioNotebook, each

SUITES = [
    "none", "aes128gcm16", "aes256gcm16", "chacha20poly1305", "aes128-sha256", "aes256-sha256",
    "aes128-sha1", "3des-sha1",
]  # fmt: skip
LEVELS = {
    "none": "no instructions",
    "aes": "AES and AVX2",
    "all": "all of the machine",
}
"""level of factor instructions -> its title"""
PAYLOADS = ["64", "512", "1344"]
COST: dict[str, Any] = {"metric": "cpu_per_megabyte", "probe": "tcp"}
RATE: dict[str, Any] = {"metric": "goodput", "probe": "tcp"}
_PACKET = {"metric": "cpu_per_packet", "probe": "udp"}


class EspInstructions:
    """The trials of scenario esp-instructions."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook, hosts = notebook, ["left", "right"]
        self.summaries = notebook.summarise(
            estimator, notebook.per_megabyte("cpu_per_megabyte", hosts), notebook.per_packet(hosts)
        )
        self.suites = notebook.measured("suite", SUITES)
        self.encrypted = [suite for suite in self.suites if suite != "none"]
        self.levels = {level: LEVELS[level] for level in notebook.measured("instructions", LEVELS)}
        advised = [suite for suite in ADVISED if suite in self.suites]
        self.least = {
            level: cheapest({suite: self.over(suite, level) for suite in advised})
            for level in self.levels
        }
        """level -> the advised suites that cost least (analysis.models.suite_cost)"""

    # Estimates

    def over(self, suite: str, level: str) -> Estimate:
        """Cost of a suite over the cost of REFERENCE at one level, within blocks."""
        return self.notebook.estimate(
            **COST,
            quantity="ratio",
            of={"suite": suite},
            to={"suite": REFERENCE},
            where={"instructions": level},
        )

    def rate(self, suite: str, level: str) -> Estimate:
        """Goodput of one TCP flow with a suite at one level [Mbit/s]."""
        at = {"suite": suite, "instructions": level}
        return self.notebook.estimate(**RATE, where=at)

    def gain(self, suite: str) -> Estimate:
        """Cost of a suite without instructions over its cost with all, within blocks."""
        return self.notebook.estimate(
            **COST,
            quantity="ratio",
            of={"instructions": "none"},
            to={"instructions": "all"},
            where={"suite": suite},
        )

    # Tables and charts

    def _by_level(self) -> dict[str, dict[str, Any]]:
        return {title: {"where": {"instructions": level}} for level, title in self.levels.items()}

    def costs(self) -> pd.DataFrame:
        """Processor time for a megabyte of TCP by suite and level, and what instructions save."""
        table = self.notebook.texts("suite", each("suite", self.suites), self._by_level(), **COST)
        if {"none", "all"} <= set(self.levels):
            gains = [text(self.gain(suite)) for suite in self.suites]
            table["none over all"] = pd.Series(gains, dtype=object)
        return table

    def rates(self) -> pd.DataFrame:
        """Goodput of one TCP flow by suite and level."""
        return self.notebook.texts("suite", each("suite", self.suites), self._by_level(), **RATE)

    def over_plain(self) -> pd.DataFrame:
        """Cost of each suite over the cost without IPsec, by level."""
        rows = {suite: {"of": {"suite": suite}} for suite in self.encrypted}
        plain: dict[str, Any] = {"quantity": "ratio", "to": {"suite": "none"}}
        return self.notebook.texts("suite", rows, self._by_level(), **COST, **plain)

    def packets(self, level: str) -> pd.DataFrame:
        """Processor time of both hosts for a packet of UDP, by suite and payload."""
        columns = {
            f"{payload} B": {"where": {"payload": payload, "instructions": level}}
            for payload in PAYLOADS
        }
        return self.notebook.texts("suite", each("suite", self.suites), columns, **_PACKET)

    def chart(self) -> alt.LayerChart:
        """Processor time for a megabyte of TCP by suite, a mark for each level."""
        chosen = self.summaries.query("metric == 'cpu_per_megabyte' and probe == 'tcp'")
        points = chosen.rename(columns={"suite": "row"}).assign(
            level=chosen["instructions"].map(self.levels).astype(str)
        )[["row", "level", "value"]]
        points = points[points["row"].isin(self.suites)]
        return figures.points_and_intervals(
            points,
            self.notebook.points(each("suite", self.suites), self._by_level(), **COST),
            levels=list(self.levels.values()),
            legend="instructions",
            x_title="processor time (ms for a megabyte, both hosts)",
            width=panel(COLUMN, beside=NUMBERS),
            scale=alt.Scale(type="log"),
        )

    def orders(self) -> pd.DataFrame:
        """The suites by cost, and which of those that RFC 8221 advises cost least, by level."""
        rows = []
        for level, title in self.levels.items():
            costs = {suite: self.over(suite, level).value for suite in self.encrypted}
            rows.append(
                {
                    "instructions": title,
                    "suites, least cost first": ", ".join(sorted(costs, key=costs.__getitem__)),
                    "least of the advised": self.named(level),
                }
            )
        return pd.DataFrame(rows)

    def named(self, level: str) -> str:
        """The advised suites that cost least at a level, in words."""
        return " or ".join(self.least.get(level, [])) or "too few blocks to tell"
