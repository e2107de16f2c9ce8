"""Scenario ah-esp-ciphers: suites of AH and ESP under FTP."""

import altair as alt
import numpy as np
import pandas as pd

from notebooks.receive_offload.asks import over_tunnel
from remeasure.paper.analysis.verdicts.study_tables import Rate
from remeasure.paper.notebook import asked, by_instructions
from remeasure.paper.notebook.asked import Asked, Asking, Column, at, each, joined
from remeasure.paper.notebook.charts.theme import NAMES, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SUITES = [
    "none", "ah-md5", "ah-sha1", "des-md5", "des-sha1", "3des-md5", "3des-sha1", "aes128-md5",
    "aes128-sha1", "aes256-md5", "aes256-sha1", "aes128gcm16", "aes256gcm16", "chacha20poly1305",
]  # fmt: skip
MODES = each("mode", ["tunnel", "transport"])
TESTS = {"test_1": "test I, many files", "test_2": "test II, one file"}
SAME: Asked = {
    "quantity": "ratio",
    "metric": "rate",
    "of": {"mode": "transport"},
    "to": {"mode": "tunnel"},
    "where": {"suite": "none", "link": "open"},
}
"""how both modes differ without IPsec, where they are one treatment"""
RATE: Asked = {"metric": "rate"}
FILES, FILE = (at({**RATE, "probe": test}, link="open") for test in TESTS)
CAPPED = at(RATE, link="capped")
COST: Asked = {"metric": "cpu_per_megabyte", "where": {"link": "open"}}
WAITS: dict[str, Asked] = {
    title: {"metric": "file_wait", "probe": test, "where": {"link": "open"}}
    for test, title in TESTS.items()
}
CHOSEN = {"processor time, open": COST, "test I, open": FILES, "test II, open": FILE,
          "rate, capped": CAPPED}  # fmt: skip


def instead(of: str, to: str) -> Asked:
    """One suite, or group of suites, compared with another."""
    return {"quantity": "ratio", "of": {"suite": of}, "to": {"suite": to}}


ESP_OVER_AH = instead("esp", "ah")
MODE: Asked = {
    "quantity": "ratio",
    "of": {"mode": "transport", "suite": "all"},
    "to": {"mode": "tunnel", "suite": "all"},
}
ONE_FILE: Asked = {
    "quantity": "ratio",
    "of": {"probe": "test_2", "suite": "all"},
    "to": {"probe": "test_1", "suite": "all"},
}
CHOICES = {
    "AH instead of no IPsec": instead("ah", "none"),
    "ESP of the study instead of no IPsec": instead("esp", "none"),
    "AES-128-GCM instead of no IPsec": instead("aes128gcm16", "none"),
    "ESP of the study instead of AH": ESP_OVER_AH,
    "3DES instead of DES": instead("3des", "des"),
    "AES-128 instead of DES": instead("aes128", "des"),
    "AES-256 instead of AES-128": instead("aes256", "aes128"),
    "SHA-1 instead of MD5": instead("sha1", "md5"),
    "AES-128-GCM instead of AES-128 with SHA-1": instead("aes128gcm16", "aes128-sha1"),
    "AES-256-GCM instead of AES-128-GCM": instead("aes256gcm16", "aes128gcm16"),
    "ChaCha20-Poly1305 instead of AES-256-GCM": instead("chacha20poly1305", "aes256gcm16"),
    "transport instead of tunnel mode": MODE,
}
"""a choice of suite or mode -> its comparison"""
GCM_FILE = joined(FILE, instead("aes128gcm16", "none"))
NUMBERS = {
    "EspAhFile": joined(FILE, ESP_OVER_AH),
    "EspAhCapped": joined(CAPPED, ESP_OVER_AH),
    "EspAhCost": joined(COST, ESP_OVER_AH),
    "TripleDesFile": joined(FILE, instead("3des", "des")),
    "GcmNoneCost": joined(COST, instead("aes128gcm16", "none")),
    "ModeOpen": joined(at(RATE, link="open"), MODE),
    "ModeCost": joined(COST, MODE),
    "ModeCapped": joined(CAPPED, MODE),
    "Same": SAME,
}
"""name of a number -> its question"""


class AhEspCiphers:
    """The trials of scenario ah-esp-ciphers."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, hosts = notebook, ["left", "right"]
        derived = [
            notebook.per_megabyte("cpu_per_megabyte", hosts),
            notebook.per_packet(hosts),
        ]
        self._factors = set(notebook.tables.between) & {"instructions", "gro"}
        """factors that the first campaigns lack"""
        if "gro" in self._factors:
            derived.append(notebook.per_megabyte("segments_per_megabyte", ["left"]))
        notebook.summarise(estimator, *derived)
        self.every = notebook.hold(gro="as-is", instructions="none")
        """summaries of all trials; the study's gateways had no instructions for ciphers"""
        self.summaries = notebook.summaries
        self.suites = each("suite", notebook.measured("suite", SUITES))

    def cost_chart(self) -> alt.LayerChart:
        """Processor time of both hosts for a megabyte on the open link, by suite and mode."""
        cost = self.summaries.query("metric == 'cpu_per_megabyte' and link == 'open'")
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
        rows = self.notebook.own_study.rows("rates", Rate)
        printed: dict[tuple[str, ...], str] = {
            (row.suite, row.mode, test): f"{getattr(row, test):.2f}"
            for row in rows
            for test in TESTS
        }

        def theirs(mode: str, test: str) -> Column:
            return lambda suite: printed.get((suite, mode, test), "")

        columns: dict[str, Column] = {}
        for mode in MODES:
            for place, test in enumerate(TESTS, 1):
                columns[f"{mode}, {'I' * place}"] = at(
                    RATE | {"probe": test}, mode=mode, link="open"
                )
                columns[f"{mode}, study {'I' * place}"] = theirs(mode, test)
        return asked.table(self.notebook, "suite", self.suites, columns)

    def _block_ratios(self, metric: str, tests: list[str]) -> pd.DataFrame:
        """The ratio to no IPsec of each block, to be drawn as faint marks."""
        table = self.summaries
        chosen = table[
            (table["metric"] == metric) & table["probe"].isin(tests) & (table["link"] == "open")
        ]
        logs = chosen.assign(value=np.log(chosen["value"]))
        wide = logs.pivot_table(
            index=["block", "mode"], columns="suite", values="value", observed=True
        ).reindex(columns=dict.fromkeys(["none", *self.suites]))
        without = wide.pop("none").groupby("block").transform("mean")
        ratios = np.exp(wide.sub(without, axis=0)).stack().rename("value")
        return ratios.reset_index().rename(columns={"suite": "row", "mode": "level"})

    def _over_none(
        self, question: Asked, title: str, of_what: str, most: float | None = None
    ) -> alt.LayerChart:
        """A panel of ratios to no IPsec, as far as `most`."""
        tests = [question["probe"]] if "probe" in question else list(TESTS)
        faint = self._block_ratios(question["metric"], tests)
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
        """Rate over no IPsec, by test."""
        most = 1.1 * self._block_ratios("rate", list(TESTS))["value"].max()
        questions = zip((FILES, FILE), TESTS.values(), strict=True)
        panels = (self._over_none(one, title, "rate", most) for one, title in questions)
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
        """Keep numbers for paper and site."""
        notebook, results = self.notebook, self.notebook.results
        asked.hand_over(notebook, NUMBERS)
        rates = {suite: at(FILE, suite=suite) for suite in self.suites}
        slowest = min(rates, key=lambda suite: notebook.estimate(rates[suite]).value)
        results.words("Slowest", slowest, "slowest suite, test II, open, both modes")
        numbers = {"RateNone": at(FILE, suite="none"), "RateSlowest": rates[slowest]}
        asked.hand_over(notebook, numbers, unit=r"\mega\bit\per\second")
