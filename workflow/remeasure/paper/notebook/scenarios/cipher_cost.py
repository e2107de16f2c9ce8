"""Scenario cipher-cost: what a suite costs a processor, with AES instructions and without."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.folder import campaign_folder, measured_scenario
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import CAMPAIGN, SCENARIO
from remeasure.paper.analysis.models.suite_cost import (
    ADVISED,
    REFERENCE,
    Library,
    both_ways,
    cheapest,
    costs_in_gateways,
    has_aes_instructions,
    libraries,
    of_library,
)
from remeasure.paper.analysis.summaries import read_tables, trial_summaries
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.charts.cost_dots import NAMES, cost_dots
from remeasure.paper.notebook.charts.curves import small_multiples
from remeasure.paper.notebook.charts.theme import NUMBERS, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

_KINDS = {
    "uml": "guest of User Mode Linux",
    "qemu": "guest of QEMU",
    "netns": "namespace of this machine",
    "ssh": "machine of an inventory",
}
"""back end -> what its host is called"""
_ARMS = {"as-they-are": "with AES instructions", "masked": "without"}
_TREATED = {"as-they-are": "AES instructions", "masked": "AES masked"}
_DRAWN = [
    "3des-sha1",
    "aes128-sha1",
    "aes128-sha256",
    "aes256gcm16",
    "aes128gcm16",
    "chacha20poly1305",
]
"""suites of the chart by payload"""
_RATES: dict[str, tuple[str, dict[str, Any]]] = {
    "FTP in guests": (
        "ah-esp-ciphers",
        {"metric": "rate", "probe": "test_2", "where": {"link": "open"}},
    ),
    "UDP in guests, 1344 B": (
        "algorithm-sweep",
        {
            "metric": "goodput",
            "probe": "flow",
            "where": {"transport": "udp", "load": "saturation", "payload": "1344"},
        },
    ),
}
"""column -> the scenario in guests, and the question to its trials"""


class CipherCost:
    """The trials of scenario cipher-cost, by version of the library."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str, others: Mapping[str, str]):
        """`estimator` as of trial_summaries; `others`: scenario -> folder of its tables."""
        self.notebook, self._others = notebook, others
        self.tables, self.libraries = notebook.tables, libraries(notebook.tables)
        newest = self.libraries[-1].version
        self.old = self.libraries[0]
        self.new = next(one for one in self.libraries if one.version == newest)
        """the newest version, of the first campaign that has it"""
        self.both = list(dict.fromkeys((self.old, self.new)))
        self.costs: dict[Library, pd.DataFrame] = {}
        self.has_aes: dict[Library, bool] = {}
        for library in self.libraries:
            observations = of_library(self.tables["observations"], library)
            self.costs[library] = self._costs_of(library, observations, estimator)
            self.has_aes[library] = has_aes_instructions(observations)
        notebook.summaries = self.costs[self.old]
        self.suites = notebook.measured("suite")
        known = notebook.measured("instructions")
        self.arms = {arm: title for arm, title in _ARMS.items() if arm in known}
        """level of factor instructions -> its title"""
        self.payloads = sorted(set(self.tables["observations"]["payload"]) - {""}, key=int)
        self.small, self.large = self.payloads[0], self.payloads[-1]
        self._columns = [
            (f"{title}, {payload} B", arm, payload)
            for arm, title in self.arms.items()
            for payload in dict.fromkeys((self.small, self.large))
        ]
        self.best = {
            (library, arm): cheapest({s: self.over(s, arm, library) for s in ADVISED})
            for library in self.libraries
            for arm in self.arms
        }
        """suites that cost least, of those that RFC 8221 recommends"""
        self.least = {
            arm: [s for s in self.best[self.old, arm] if s in self.best[self.new, arm]]
            for arm in self.arms
        }
        """the same by both libraries"""

    # Estimates

    def _costs_of(
        self, library: Library, observations: pd.DataFrame, estimator: str
    ) -> pd.DataFrame:
        summaries = trial_summaries(observations, self.tables.factors, estimator)
        costs = pd.concat([summaries, both_ways(summaries)], ignore_index=True)
        costs.attrs[CAMPAIGN] = library.campaign
        return costs

    def place(self, library: Library) -> str:
        return _KINDS.get(library.backend, library.backend)

    def named(self, library: Library) -> str:
        """The library, with its host where the same version was measured on another one too."""
        alike = [other for other in self.libraries if other.version == library.version]
        return library.name if len(alike) == 1 else f"{library.name}, {self.place(library)}"

    def cost(
        self, suite: str, arm: str, payload: str | None = None, library: Library | None = None
    ) -> Estimate:
        """Processor time of a packet [ns]; of the largest payload and the oldest library, unless
        others are given."""
        where = {"suite": suite, "instructions": arm, "payload": payload or self.large}
        table = self.costs[library or self.old]
        return self.notebook.estimate(table, metric="cpu_per_packet", where=where)

    def over(
        self,
        suite: str,
        arm: str,
        library: Library | None = None,
        payload: str | None = None,
        to: str = REFERENCE,
    ) -> Estimate:
        """Cost of a suite over the cost of `to`, within blocks; defaults as of `cost`."""
        return self.notebook.estimate(
            self.costs[library or self.old],
            quantity="ratio",
            metric="cpu_per_packet",
            of={"suite": suite},
            to={"suite": to},
            where={"instructions": arm, "payload": payload or self.large},
        )

    def masking(self, suite: str, library: Library) -> Estimate:
        """How many times as much a suite costs without the instructions."""
        return self.notebook.estimate(
            self.costs[library],
            quantity="ratio",
            metric="cpu_per_packet",
            of={"instructions": "masked"},
            to={"instructions": "as-they-are"},
            where={"suite": suite, "payload": self.large},
        )

    # Words, tables and charts

    def in_words(self) -> str:
        """Which suites cost least, by library and arm, as a list in Markdown."""
        lines = []
        for library in self.libraries:
            named = self.named(library)
            if not self.has_aes[library]:
                lines.append(
                    f"- {named}: it finds no AES instructions here, so both arms are one treatment."
                )
            for arm, title in self.arms.items():
                names = " or ".join(self.best[library, arm]) or "too few blocks to tell"
                chacha = text(self.over("chacha20poly1305", arm, library))
                cost = text(self.cost(REFERENCE, arm, library=library))
                lines.append(
                    f"- {named}, {title}: **{names}**. A packet of {self.large} bytes costs {cost} "
                    f"ns with {REFERENCE}, and {chacha} times as much with chacha20poly1305."
                )
        return "\n".join(lines)

    def dots(self) -> alt.TopLevelMixin:
        """Cost of a large packet by suite, a panel for each library and arm."""
        rows = [
            {"panel": f"{library.name}\n{_TREATED[arm]}", "suite": suite} | found.columns()
            for arm in self.arms
            for library in self.both
            for suite in self.suites
            for found in [self.cost(suite, arm, library=library)]
            if found.n
        ]
        return cost_dots(pd.DataFrame(rows), f"{self.notebook.unit('cpu_per_packet')} a packet")

    def least_in_words(self) -> str:
        """The beginning of the caption of `dots`."""
        return "; ".join(
            f"{' or '.join(NAMES.get(s, s) for s in self.least[arm]) or _NO_SUITE} costs least "
            f"{title}"
            for arm, title in self.arms.items()
        )

    def by_payload(self) -> alt.TopLevelMixin:
        drawn = [suite for suite in _DRAWN if suite in self.suites]
        points = [
            {"panel": f"{self.named(library)}, {title}", "level": suite, "x": int(payload)}
            | found.columns()
            for library in self.libraries
            for arm, title in self.arms.items()
            for suite in drawn
            for payload in self.payloads
            for found in [self.cost(suite, arm, payload, library)]
            if found.n
        ]
        return small_multiples(
            pd.DataFrame(points),
            pd.DataFrame({"panel": [], "x": []}),
            levels=drawn,
            legend="suite",
            x_title="payload (B)",
            y_title=f"processor time ({self.notebook.unit('cpu_per_packet')} a packet)",
            columns=2,
            width=panel(PAGE, 2, beside=NUMBERS),
            height=150,
            scale=alt.Scale(type="log"),
        )

    def cost_table(self, library: Library) -> pd.DataFrame:
        """Cost of each suite by arm and payload, and how much masking adds."""
        rows = []
        for suite in self.suites:
            row = {"suite": suite}
            for title, arm, payload in self._columns:
                row[title] = text(self.cost(suite, arm, payload, library))
            row[f"without over with, {self.large} B"] = text(self.masking(suite, library))
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def ratios_table(self, library: Library | None = None) -> pd.DataFrame:
        """Each suite over REFERENCE: of one library by payload, or of both for large packets."""
        asked = [(title, arm, library, payload) for title, arm, payload in self._columns]
        if library is None:
            asked = [
                (f"{title}, {one.name}", arm, one, self.large)
                for arm, title in self.arms.items()
                for one in (self.old, self.new)
            ]
        rows = [
            {"suite": suite}
            | {title: text(self.over(suite, arm, of, payload)) for title, arm, of, payload in asked}
            for suite in self.suites
            if suite != REFERENCE
        ]
        return pd.DataFrame(rows, dtype=object)

    def hosts_table(self) -> pd.DataFrame:
        """Which library was measured where, and what two suites cost by it."""
        arm = "as-they-are"
        return pd.DataFrame(
            [
                {
                    "library": library.name,
                    "host": self.place(library),
                    "campaign": library.campaign,
                    f"{REFERENCE}, ns": text(self.cost(REFERENCE, arm, library=library)),
                    "3des-sha1, ns": text(self.cost("3des-sha1", arm, library=library)),
                    "3des-sha1 over it": text(self.over("3des-sha1", arm, library)),
                }
                for library in self.libraries
            ]
        )

    def fastest_first(self, arm: str, library: Library) -> list[str]:
        """Suites by how many packets a second they allow, the fastest first."""
        speeds = {s: self.over(REFERENCE, arm, library, to=s).value for s in self.suites}
        return sorted((s for s in self.suites if speeds[s] > 0), key=lambda s: -speeds[s])

    def orders_table(self) -> pd.DataFrame:
        """The order of suites by library and arm."""
        return pd.DataFrame(
            [
                {
                    "library": self.named(library),
                    "arm": title,
                    "suites, fastest first": ", ".join(self.fastest_first(arm, library)),
                }
                for library in self.libraries
                for arm, title in self.arms.items()
            ]
        )

    # Guests, whose kernel computes ciphers in generic C

    def becomes(self) -> pd.DataFrame:
        """Rates in guests over the rate with REFERENCE, and packets a second of the processor."""
        tables = {title: self._trials_of(scenario) for title, (scenario, _) in _RATES.items()}
        rows = []
        for suite in self.fastest_first(list(self.arms)[-1], self.old):
            row = {"suite": suite}
            for title, (_, question) in _RATES.items():
                if (table := tables[title]) is not None:
                    row[title] = text(self._over_reference(table, suite, question))
            for arm, title in reversed(self.arms.items()):
                row[title] = text(self.over(REFERENCE, arm, to=suite))
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def gateways(self) -> pd.DataFrame:
        """What a packet of a suite costs both gateways over REFERENCE, and the cipher only."""
        table = self._costs_in_gateways()
        asked = {"transport": "udp", "load": "saturation", "payload": self.large}
        question = {"metric": "cpu_per_packet", "where": asked}
        found = (
            {}
            if table is None
            else {s: self._over_reference(table, s, question) for s in self.suites}
        )
        last = list(self.arms)[-1]
        rows = []
        for suite, estimate in found.items():
            if estimate.n and suite != REFERENCE:
                row = {"suite": suite, "gateways, a packet": text(estimate)}
                for one in (self.old, self.new):
                    title = f"the cipher alone, without AES instructions, {one.name}"
                    row[title] = text(self.over(suite, last, one))
                rows.append(row)
        return pd.DataFrame(rows)

    def _over_reference(
        self, table: pd.DataFrame, suite: str, question: dict[str, Any]
    ) -> Estimate:
        suites = {"quantity": "ratio", "of": {"suite": suite}, "to": {"suite": REFERENCE}}
        return self.notebook.estimate(table, **suites, **question)

    def _trials_of(self, scenario: str) -> pd.DataFrame | None:
        """Summaries of another scenario, if it is built."""
        if scenario not in self._others:
            return None
        tables = read_tables(ROOT / self._others[scenario], ["observations"])
        found = trial_summaries(tables["observations"], tables.factors, "mean")
        found.attrs[SCENARIO] = scenario
        return found

    def _costs_in_gateways(self) -> pd.DataFrame | None:
        """Processor time of gateways in algorithm-sweep, if it is built."""
        if "algorithm-sweep" not in self._others:
            return None
        tables = read_tables(ROOT / self._others["algorithm-sweep"])
        campaign = tables["trials"]["campaign"].iloc[0]
        first = campaign_folder(campaign) / "algorithm-sweep" / "block-01.zip"
        tables = tables.of_campaigns([campaign])
        found = costs_in_gateways(tables, measured_scenario(first))
        found.attrs |= {SCENARIO: "algorithm-sweep", CAMPAIGN: campaign}
        return found


_NO_SUITE = "No suite by both libraries"
