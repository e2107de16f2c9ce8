"""Scenario many-tunnels: what an SA costs in memory, time and processor time."""

import math
from typing import Unpack

import altair as alt
import pandas as pd

from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.analysis.lineage import Quoted, joined_text
from remeasure.paper.analysis.models.many_reading import (
    fit_in_gib,
    kernel_share,
    reading,
    two_digits_down,
)
from remeasure.paper.analysis.texts import NO_NUMBER, estimate_text, number_text
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.charts.curves import small_multiples
from remeasure.paper.notebook.charts.theme import COLUMN, SHARED, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime

ENDS = {"initiator": "left", "responder": "right"}
"""end of the tunnels -> its host"""
NAMES = {"psk": "PSK", "rsa": "RSA", "ecdsa": "ECDSA"}
"""authentication -> its label"""
_PHASES = {"up": "set-up", "rekey_ike": "IKE_SA rekeyed", "rekey_child": "CHILD_SA rekeyed"}
_FEWEST = 3
"""number of sizes from which a line can be wrong"""


class ManyTunnels:
    """The trials of scenario many-tunnels. Memory is from virtual time, if it was measured there;
    times and processor time are from real time alone, because computing makes them."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        self.summaries = notebook.summarise(estimator)
        self.virtual = VirtualTime(notebook, estimator)
        self.computing = not self.virtual.alone
        """whether times and processor time were measured"""
        self.methods = notebook.measured("authentication")
        self.sizes = notebook.measured("sas")
        self.most = self.sizes[-1]
        """the largest number of IKE_SAs that was measured"""

    def memory(self, **question: Unpack[Asked]) -> Estimate:
        """The answer to a question about memory."""
        source = self.virtual or self.notebook
        return source.estimate(question)

    def time(self, metric: str, method: str, size: str) -> Estimate:
        """What a phase took in real time [the metric's unit]; nothing without a lab."""
        if not self.computing:
            return NOTHING
        return self.notebook.estimate(metric=metric, where={"authentication": method, "sas": size})

    def rate(self, method: str, size: str) -> Estimate:
        """Set-ups a second, one after the other."""
        each = self.time("set_up", method, size)
        if not each.n:
            return NOTHING
        found = Estimate(1000 / each.value, 1000 / each.high, 1000 / each.low, each.n)
        return found.computed(f"set-ups a second of {size} SAs with {NAMES[method]}", [each])

    def slope(self, metric: str, method: str) -> Estimate:
        """Slope of a metric of memory over the number of IKE_SAs [KiB]."""
        where = {"authentication": method}
        return self.memory(metric=metric, quantity="slope", over="sas", where=where)

    def daemon(self, end: str, method: str) -> Estimate:
        """Memory of the daemon for an IKE_SA with its CHILD_SA [KiB], without its configuration."""
        host = ENDS[end]
        both = [self.slope(f"{host}_rss_{when}", method) for when in ("up", "rest")]
        value = both[0].value - both[1].value
        return Estimate(value, math.nan, math.nan, both[0].n).computed(
            f"memory of the daemon for an SA, {end}, {NAMES[method]}, KiB", both
        )

    def kernel(self, when: str, method: str) -> Estimate:
        """Memory of the kernel for an IKE_SA with its CHILD_SA at one end [KiB]: half of what it is
        in virtual time, where both ends have one kernel. Nothing without virtual time: the kernel
        of a lab's guest keeps what SAs of earlier trials took."""
        if not self.virtual:
            return NOTHING
        of_both = self.slope(f"{ENDS['initiator']}_slab_{when}", method)
        value, low, high = (kernel_share(end) for end in (of_both.value, of_both.low, of_both.high))
        return Estimate(value, low, high, of_both.n).computed(
            "memory of the kernel for an SA at one end, KiB", [of_both]
        )

    def peak(self, method: str) -> Estimate:
        """Memory of the larger daemon for an IKE_SA with its CHILD_SA while all are rekeyed, its
        configuration included [KiB]."""
        both = [self.slope(f"{host}_rss_peak", method) for host in ENDS.values()]
        return max(both, key=lambda one: one.value)

    def fit(self, method: str) -> Estimate:
        """How many IKE_SAs with their CHILD_SAs fit in one GiB, computed: by the end whose daemon
        takes more, its configuration included, while all are rekeyed."""
        daemon, kernel = self.peak(method), self.kernel("peak", method)
        value = fit_in_gib(daemon.value, kernel.value)
        return Estimate(two_digits_down(value), math.nan, math.nan, kernel.n).computed(
            f"SAs with {NAMES[method]} in one GiB, two digits, rounded down", [daemon, kernel]
        )

    def straightness(self, method: str) -> float:
        """Largest departure of the memory of either daemon from its line, as a share; NaN of two
        sizes, through which a line always goes."""
        source = self.virtual or self.notebook
        if source.summaries["sas"].nunique() < _FEWEST:
            return math.nan
        found = [
            self.memory(
                metric=f"{host}_rss_up",
                quantity="straightness",
                over="sas",
                where={"authentication": method},
            ).value
            for host in ENDS.values()
        ]
        return max(found)

    def reading(self) -> str:
        """What the memory of all methods says, by the rule that was written before it was
        measured."""
        return reading(max(self.straightness(method) for method in self.methods))

    def memory_table(self) -> pd.DataFrame:
        """Memory of an SA by authentication [KiB]."""
        rows = []
        for method in self.methods:
            slopes = {f"strongSwan, {end}": self.daemon(end, method) for end in ENDS}
            slopes |= {
                "its configuration": self.slope(f"{ENDS['initiator']}_rss_rest", method),
                "kernel, each end": self.kernel("up", method),
                "strongSwan, rekeyed": self.peak(method),
                "kernel, rekeyed": self.kernel("peak", method),
                "in one GiB": self.fit(method),
            }
            departure = number_text(100 * self.straightness(method), 2)
            rows.append(
                {"authentication": NAMES[method]}
                | {name: estimate_text(one) for name, one in slopes.items()}
                | {"off the line (%)": departure}
            )
        return pd.DataFrame(rows, dtype=object)

    def time_table(self) -> pd.DataFrame:
        """Set-ups a second, and seconds until all are rekeyed, by authentication and number."""
        return pd.DataFrame(
            [
                {
                    "authentication": NAMES[method],
                    "SAs": size,
                    "set-ups a second": estimate_text(self.rate(method, size)),
                    "all IKE_SAs rekeyed (ms)": self._text("rekey_ike", method, size),
                    "all CHILD_SAs rekeyed (ms)": self._text("rekey_child", method, size),
                }
                for method in self.methods
                for size in self.sizes
            ],
            dtype=object,
        )

    def cost_table(self) -> pd.DataFrame:
        """Processor time of one SA at both ends, by phase, authentication and number [ms]."""
        return pd.DataFrame(
            [
                {"authentication": NAMES[method], "SAs": size}
                | {
                    f"{title}, {end}": self._text(f"{host}_cpu_{phase}", method, size)
                    for phase, title in _PHASES.items()
                    for end, host in ENDS.items()
                }
                for method in self.methods
                for size in self.sizes
            ],
            dtype=object,
        )

    def overflows(self) -> pd.DataFrame:
        """Datagrams that a full socket lost in a phase, by testbed: the most of any trial."""
        sources = {"virtual time": self.virtual.summaries} if self.virtual else {}
        sources |= {"real time": self.summaries} if self.computing else {}
        rows = []
        for testbed, table in sources.items():
            lost = {
                title: table.loc[table["metric"].str.endswith(f"_overflows_{phase}"), "value"].max()
                for phase, title in _PHASES.items()
            }
            known: dict[str, str | int] = {
                title: NO_NUMBER if math.isnan(n) else int(n) for title, n in lost.items()
            }
            rows.append({"testbed": testbed, **known})
        return pd.DataFrame(rows, dtype=object)

    def chart(self) -> alt.ConcatChart:
        """Memory of the daemons by number of SAs, a panel for each end."""
        rows = [
            {
                "panel": end,
                "level": NAMES[method],
                "x": int(size),
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "origin": found.origin,
            }
            for end, host in ENDS.items()
            for method in self.methods
            for size in self.sizes
            for found in [
                self.memory(metric=f"{host}_rss_up", where={"authentication": method, "sas": size})
            ]
            if found.n
        ]
        columns = ["panel", "level", "x", "value", "low", "high", "origin"]
        return small_multiples(
            pd.DataFrame(rows, columns=columns),
            pd.DataFrame({"panel": [], "x": []}),
            levels=[NAMES[method] for method in self.methods],
            legend="authentication",
            x_title="IKE_SAs",
            y_title="memory of strongSwan (KiB)",
            columns=2,
            width=panel(COLUMN, 2, beside=SHARED),
            height=110,
        )

    def both_ends(self, phase: str, method: str) -> Estimate:
        """Processor time of an SA of the largest number at both ends together [ms]."""
        parts = [self.time(f"{host}_cpu_{phase}", method, self.most) for host in ENDS.values()]
        if not all(one.n for one in parts):
            return NOTHING
        total = sum(one.value for one in parts)
        return Estimate(total, math.nan, math.nan, parts[0].n).computed(
            f"processor time of both ends, {_PHASES[phase]}, {NAMES[method]}, ms", parts
        )

    def speed(self) -> Quoted:
        """What set-ups and rekeyings take in real time, in words."""
        if not self.computing:
            return Quoted("How long set-ups take was not measured in real time")
        parts = []
        for method in self.methods:
            rate, cost = self.rate(method, self.most), self.both_ends("up", method)
            ends = "of processor time of both ends together"
            one = f"{NAMES[method]} {{}} a second, with {{}} ms {ends}"
            parts.append(_filled(one, rate, cost))
        intro = Quoted("One initiator set up, one after the other: with ")
        return joined_text("", [intro, joined_text("; with ", parts)])

    def rekeying(self) -> Quoted:
        """What it takes to rekey all SAs of the largest number, in words."""
        if not self.computing:
            return Quoted("How long rekeyings take was not measured in real time")
        method = self.methods[0]
        found = [self.time(phase, method, self.most) for phase in ("rekey_ike", "rekey_child")]
        all_sas = (
            f"With {self.most} SAs, rekeying all IKE_SAs took {{}} ms, and all CHILD_SAs {{}} ms"
        )
        return _filled(all_sas, *found)

    def _text(self, metric: str, method: str, size: str) -> str:
        found = self.time(metric, method, size)
        return estimate_text(found) if found.n else NO_NUMBER


def _filled(form: str, *found: Estimate) -> Quoted:
    """Estimates in place of each {} of a form."""
    texts = [estimate_text(one) if one.n else Quoted(NO_NUMBER) for one in found]
    return Quoted(form.format(*texts), [origin for one in texts for origin in one.origins])
