"""Scenario ah-esp-ciphers: suites of AH and ESP under FTP."""

import altair as alt
import numpy as np
import pandas as pd

from notebooks.receive_offload.asks import over_tunnel
from remeasure.paper.analysis.verdicts.study_tables import Rate
from remeasure.paper.notebook import asked, by_instructions
from remeasure.paper.notebook.asked import Asked, AskedColumn, Asking, at, each, joined, ratio
from remeasure.paper.notebook.charts.theme import NAMES, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
MODES = each("mode", ["tunnel", "transport"])
TESTS = {"test_1": "test I, many files", "test_2": "test II, one file"}
RATE: Asked = {"metric": "rate"}
OPEN, CAPPED = at(RATE, link="open"), at(RATE, link="capped")
FILES, FILE = (joined(OPEN, {"probe": test}) for test in TESTS)
SAME = joined(at(RATE, suite="none", link="open"), ratio(mode=("transport", "tunnel")))
"""how both modes differ without IPsec, where they are one treatment"""
COST: Asked = {"metric": "cpu_per_megabyte", "where": {"link": "open"}}
WAITS: dict[str, Asked] = _WORDS["waits"]
CHOSEN: dict[str, Asked] = _WORDS["chosen"]
GCM, ESP_OVER_AH = ratio(suite=("aes128gcm16", "none")), ratio(suite=("esp", "ah"))
MODE = ratio(mode=("transport", "tunnel"), suite=("all", "all"))
ONE_FILE = ratio(probe=("test_2", "test_1"), suite=("all", "all"))
CHOICES = {choice: ratio(suite=(of, to)) for choice, (of, to) in _WORDS["choices"].items()}
CHOICES["transport instead of tunnel mode"] = MODE
"""a choice of suite or mode -> its comparison"""
GCM_FILE = joined(FILE, GCM)
NUMBERS = {
    "EspAhFile": joined(FILE, ESP_OVER_AH),
    "EspAhCapped": joined(CAPPED, ESP_OVER_AH),
    "EspAhCost": joined(COST, ESP_OVER_AH),
    "TripleDesFile": joined(FILE, CHOICES["3DES instead of DES"]),
    "GcmNoneCost": joined(COST, GCM),
    "ModeOpen": joined(OPEN, MODE),
    "ModeCost": joined(COST, MODE),
    "ModeCapped": joined(CAPPED, MODE),
    "Same": SAME,
}


class AhEspCiphers:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, hosts = notebook, ["left", "right"]
        self._factors = set(notebook.tables.between) & {"instructions", "gro"}
        """factors that the first campaigns lack"""
        counted = {"cpu_per_megabyte": hosts}
        if "gro" in self._factors:
            counted["segments_per_megabyte"] = ["left"]
        costs = (notebook.per_megabyte(metric, of) for metric, of in counted.items())
        notebook.summarise(estimator, *costs, notebook.per_packet(hosts))
        self.every = notebook.hold(gro="as-is", instructions="none")
        """summaries of all trials; the study's gateways had no instructions for ciphers"""
        self.summaries = notebook.summaries
        self.suites = each("suite", notebook.measured("suite"))

    def cost_chart(self) -> alt.LayerChart:
        """Processor time of both hosts for a megabyte on the open link, by suite and mode."""
        cost = asked.values_of(self.summaries, COST)
        means = cost.groupby(["block", "suite", "mode"], observed=True)["value"].mean()
        return asked.chart(
            self.notebook,
            self.suites,
            MODES,
            common=COST,
            faint=means.reset_index().rename(columns={"suite": "row", "mode": "level"}),
            legend="mode",
            x_title="processor time (ms per megabyte, both hosts)",
            beyond=1.1,
        )

    def rates(self) -> pd.DataFrame:
        """Rates on the open link by mode and test, next to the printed rates."""
        printed = self.notebook.own_study.rows("rates", Rate)

        def theirs(mode: str, test: str) -> AskedColumn:
            found = {row.suite: getattr(row, test) for row in printed if row.mode == mode}
            return lambda suite: f"{found[suite]:.2f}" if suite in found else ""

        columns: dict[str, AskedColumn] = {}
        for mode in MODES:
            for title, test in zip(("I", "II"), TESTS, strict=True):
                columns[f"{mode}, {title}"] = at({**RATE, "probe": test}, mode=mode, link="open")
                columns[f"{mode}, study {title}"] = theirs(mode, test)
        return asked.table(self.notebook, "suite", self.suites, columns)

    def _block_ratios(self, question: Asked) -> pd.DataFrame:
        """The ratio to no IPsec of each block, to be drawn as faint marks."""
        chosen = asked.values_of(self.summaries, question)
        logs = chosen.assign(value=np.log(chosen["value"]))
        wide = logs.pivot_table("value", ["block", "mode"], "suite", observed=True)
        wide = wide.reindex(columns=dict.fromkeys(["none", *self.suites]))
        without = wide.pop("none").groupby("block").transform("mean")
        ratios = np.exp(wide.sub(without, axis=0)).stack().rename("value")
        return ratios.reset_index().rename(columns={"suite": "row", "mode": "level"})

    def _over_none(
        self, question: Asked, title: str, of_what: str, most: float | None = None
    ) -> alt.LayerChart:
        """A panel of ratios to no IPsec, as far as `most`."""
        faint = self._block_ratios(question)
        band = self.notebook.estimate(SAME, metric=question["metric"])
        return asked.chart(
            self.notebook,
            {suite: part for suite, part in self.suites.items() if suite != "none"},
            {mode: {"of": {"mode": mode}} for mode in MODES},  # over both modes without IPsec
            common={**question, "quantity": "ratio", "to": {"suite": "none"}},
            faint=faint,
            legend="mode",
            x_title=f"{of_what} / {of_what} without IPsec",
            width=panel(PAGE, 2, beside=NAMES),
            row_step=13,
            rule=1,
            band=band,
            scale=alt.Scale(domain=[0, max(most or 1.1 * faint["value"].max(), 1.05 * band.high)]),
        ).properties(title=title)

    def cost_ratios(self) -> alt.HConcatChart:
        """Processor time, and rate of one file, over no IPsec."""
        cost = self._over_none(COST, "processor time, both tests", "time")
        return alt.hconcat(cost, self._over_none(FILE, TESTS["test_2"], "rate"), spacing=14)

    def rate_ratios(self) -> alt.HConcatChart:
        most = 1.1 * self._block_ratios(OPEN)["value"].max()
        panels = (self._over_none(q, TESTS[q["probe"]], "rate", most) for q in (FILES, FILE))
        return alt.hconcat(*panels, spacing=14)

    def worlds(self) -> pd.DataFrame | None:
        """Processor time on the open link by instructions; None for a campaign without them."""
        if "instructions" not in self._factors:
            return None
        levels = by_instructions.columns(self.notebook, COST)
        trials = Asking(self.notebook, self.every[self.every.get("gro", "as-is") == "as-is"])
        return asked.table(trials, "suite", self.suites, levels)

    def offload(self) -> dict[str, pd.DataFrame]:
        """Title of a level of instructions -> the table of scenario receive-offload for one large
        file; empty for a campaign without that factor."""
        if "gro" not in self._factors:
            return {}
        gro = self.every["gro"].replace({"as-is": "on"})
        chosen = self.every.assign(gro=gro).query("suite == 'aes128gcm16' and probe == 'test_2'")
        return {
            title: over_tunnel(Asking(self.notebook, chosen[chosen["instructions"] == level]))
            for level, title in by_instructions.LEVELS.items()
            if level in set(chosen["instructions"])
        }

    def hand_over(self) -> None:
        notebook, results = self.notebook, self.notebook.results
        asked.hand_over(notebook, NUMBERS)
        rates = {suite: at(FILE, suite=suite) for suite in self.suites}
        slowest = min(rates, key=lambda suite: notebook.estimate(rates[suite]).value)
        results.words("Slowest", slowest, "slowest suite, test II, open, both modes")
        numbers = {"RateNone": at(FILE, suite="none"), "RateSlowest": rates[slowest]}
        asked.hand_over(notebook, numbers, unit=r"\mega\bit\per\second")
