"""Scenario ah-esp-ciphers: suites of AH and ESP under FTP, their tables and charts."""

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from remeasure.bench.ipsec.overhead import full_tcp_segment
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.verdicts.study_tables import Rate
from remeasure.paper.notebook.asked import Asked, at, each
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import COLUMN, NAMES, NUMBERS, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SUITES = [
    "none", "ah-md5", "ah-sha1", "des-md5", "des-sha1", "3des-md5", "3des-sha1", "aes128-md5",
    "aes128-sha1", "aes256-md5", "aes256-sha1", "aes128gcm16", "aes256gcm16", "chacha20poly1305",
]  # fmt: skip
MODES = ["tunnel", "transport"]
TESTS = {"test_1": "test I, many files", "test_2": "test II, one file"}
SAME: Asked = {
    "quantity": "ratio",
    "metric": "rate",
    "of": {"mode": "transport"},
    "to": {"mode": "tunnel"},
    "where": {"suite": "none", "link": "open"},
}
"""the question how both modes differ without IPsec, where they are one treatment"""
RATE_OPEN: Asked = {"metric": "rate", "where": {"link": "open"}}
RATE_CAPPED: Asked = {"metric": "rate", "where": {"link": "capped"}}
COST_OPEN: Asked = {"metric": "cpu_per_megabyte", "where": {"link": "open"}}
_OVER_NONE = "rate / rate without IPsec"


def instead(of: str, to: str) -> Asked:
    """The part of a question that compares suites, or groups of them."""
    return {"of": {"suite": of}, "to": {"suite": to}}


MODE: Asked = {
    "of": {"mode": "transport", "suite": "all"},
    "to": {"mode": "tunnel", "suite": "all"},
}
ONE_FILE: Asked = {
    "of": {"probe": "test_2", "suite": "all"},
    "to": {"probe": "test_1", "suite": "all"},
}
CHOICES = {
    "AH instead of no IPsec": instead("ah", "none"),
    "ESP of the study instead of no IPsec": instead("esp", "none"),
    "AES-128-GCM instead of no IPsec": instead("aes128gcm16", "none"),
    "ESP of the study instead of AH": instead("esp", "ah"),
    "3DES instead of DES": instead("3des", "des"),
    "AES-128 instead of DES": instead("aes128", "des"),
    "AES-256 instead of AES-128": instead("aes256", "aes128"),
    "SHA-1 instead of MD5": instead("sha1", "md5"),
    "AES-128-GCM instead of AES-128 with SHA-1": instead("aes128gcm16", "aes128-sha1"),
    "AES-256-GCM instead of AES-128-GCM": instead("aes256gcm16", "aes128gcm16"),
    "ChaCha20-Poly1305 instead of AES-256-GCM": instead("chacha20poly1305", "aes256gcm16"),
    "transport instead of tunnel mode": MODE,
    "one file instead of many": ONE_FILE,
}
"""a choice of suite, mode or files -> what it compares"""


class AhEspCiphers:
    """The trials of scenario ah-esp-ciphers."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook, hosts = notebook, ["left", "right"]
        self.summaries = notebook.summarise(
            estimator,
            notebook.per_megabyte("cpu_per_megabyte", hosts),
            notebook.per_packet(hosts),
            notebook.per_megabyte("wire_per_megabyte", ["right"]),
        )
        self.suites = notebook.measured("suite", SUITES)

    def cost_chart(self) -> alt.LayerChart:
        """Processor time of both hosts for a megabyte on the open link, by suite and mode."""
        cost = self.summaries.query("metric == 'cpu_per_megabyte' and link == 'open'")
        means = cost.groupby(["block", "suite", "mode"], observed=True)["value"].mean()
        points = means.reset_index().rename(columns={"suite": "row", "mode": "level"})
        return figures.points_and_intervals(
            points,
            self.notebook.points(each("suite", self.suites), each("mode", MODES), **COST_OPEN),
            levels=MODES,
            legend="mode",
            x_title="processor time (ms for a megabyte, both hosts)",
            width=panel(COLUMN, beside=NUMBERS),
            scale=alt.Scale(domain=[0, 1.1 * points["value"].max()]),
        )

    def rates(self, link: str) -> pd.DataFrame:
        """Rates by mode and test."""
        columns: dict[str, Asked] = {
            f"{mode}, {link} {'I' * place}": {"probe": test, "where": {"mode": mode, "link": link}}
            for mode in MODES
            for place, test in enumerate(TESTS, 1)
        }
        return self.notebook.texts("suite", each("suite", self.suites), columns, metric="rate")

    def rates_beside_study(self) -> pd.DataFrame:
        """Rates on the open link, behind those that the study prints."""
        table = self.rates("open")
        study = self.notebook.own_study.rows("rates", Rate)
        theirs: dict[tuple[str, str], Any] = {(row.suite, row.mode): row for row in study}
        for place, mode in enumerate(MODES):
            for number, test in enumerate(TESTS, 1):
                printed = [theirs.get((suite, mode)) for suite in self.suites]
                column = [f"{getattr(row, test):.2f}" if row else "" for row in printed]
                table.insert(4 * place + number, f"{mode}, study {'I' * number}", column)
        return table

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

    def _against_none(
        self, metric: str, probe: str | None, title: str, x_title: str, most: float | None = None
    ) -> alt.LayerChart:
        """A panel of ratios to no IPsec; `probe`: one test, or None for both. `most`: end of the
        axis."""
        points = self._block_ratios(metric, [probe] if probe else list(TESTS))
        of_test: Asked = {"probe": probe} if probe else {}
        band = self.notebook.estimate(SAME, metric=metric)
        cells = self.notebook.points(
            {suite: {"of": {"suite": suite}} for suite in self.suites[1:]},
            {mode: {"of": {"mode": mode}} for mode in MODES},
            of_test,
            quantity="ratio",
            metric=metric,
            to={"suite": "none"},
            where={"link": "open"},
        )
        end = max(most or 1.1 * points["value"].max(), 1.05 * band.high)
        return figures.points_and_intervals(
            points,
            cells,
            levels=MODES,
            legend="mode",
            x_title=x_title,
            width=panel(PAGE, 2, beside=NAMES),
            row_step=13,
            rule=1,
            band=band,
            scale=alt.Scale(domain=[0, end]),
        ).properties(title=title)

    def cost_ratios(self) -> alt.HConcatChart:
        """Processor time, and rate of one file, over no IPsec."""
        cost = "cpu_per_megabyte", None, "processor time, both tests", "time / time without IPsec"
        rate = "rate", "test_2", TESTS["test_2"], _OVER_NONE
        return alt.hconcat(self._against_none(*cost), self._against_none(*rate), spacing=14)

    def rate_ratios(self) -> alt.HConcatChart:
        """Rate over no IPsec, by test."""
        most = 1.1 * self._block_ratios("rate", list(TESTS))["value"].max()
        panels = (self._against_none("rate", *of, _OVER_NONE, most) for of in TESTS.items())
        return alt.hconcat(*panels, spacing=14)

    def choices(self) -> pd.DataFrame:
        """Ratios of processor time and rate, for each of CHOICES."""
        columns: dict[str, Asked] = {
            "processor time, open": COST_OPEN,
            "test I, open": {**RATE_OPEN, "probe": "test_1"},
            "test II, open": {**RATE_OPEN, "probe": "test_2"},
            "rate, capped": RATE_CAPPED,
        }
        table = self.notebook.texts("choice", CHOICES, columns, quantity="ratio")
        # A choice between the tests is in neither of them.
        of_tests = self.notebook.text(RATE_OPEN, ONE_FILE, quantity="ratio")
        table.iloc[-1, [2, 3]] = "", of_tests
        return table

    def wire(self) -> pd.DataFrame:
        """Bytes on the wire for each byte of files: computed from the RFCs, and counted."""
        rows, family = [], self.notebook.scenario.topology.family
        for suite in self.suites:
            for mode in MODES:
                tunnel = self.notebook.scenario.settings_where(suite=suite, mode=mode).tunnel
                segment, frame = full_tcp_segment(tunnel, family)
                where = {"suite": suite, "mode": mode, "link": "capped"}
                found = self.notebook.estimate(
                    metric="wire_per_megabyte", probe="test_2", scale=1e-6, where=where
                )
                row = {"suite": suite, "mode": mode, "segment, B": segment, "frame, B": frame}
                row |= {"computed": f"{frame / segment:.4f}", "counted": text(found)}
                rows.append(row | {"difference, %": 100 * (found.value * segment / frame - 1)})
        return pd.DataFrame(rows).round(3)

    def quote_slowest(self) -> None:
        """Hand over the rate of one file on the open link without IPsec and with the slowest
        suite."""
        question: Asked = {"metric": "rate", "probe": "test_2"}
        found = {
            suite: self.notebook.estimate(at(question, suite=suite, link="open"))
            for suite in dict.fromkeys(["none", *self.suites])
        }
        slowest = min(found, key=lambda suite: found[suite].value)
        results, unit = self.notebook.results, r"\mega\bit\per\second"
        results.words("Slowest", slowest, "slowest suite, test II, open, both modes")
        for name, suite in (("None", "none"), ("Slowest", slowest)):
            results.number(f"Rate{name}", found[suite], unit=unit)
