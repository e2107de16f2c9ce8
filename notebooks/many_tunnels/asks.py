"""Scenario many-tunnels: the cost of an SA in memory, time and processor time.

A daemon has memory before its first SA, and its allocator takes more than it gives away. Growth
over number would therefore fall as the number grows. The memory of an SA is the slope of a straight
line through the sizes, less the slope without an SA. This second slope is the configuration: the
initiator has a connection for each SA. The line is a fair description if no size lies far from it.
The number of SAs that fit is computed from the slope at the peak, right after all CHILD_SAs were
rekeyed, when the kernel has both old and new SAs.
"""

import math

import altair as alt
import pandas as pd

from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.analysis.texts import estimate_text, number_text
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Asking, at, each, joined
from remeasure.paper.notebook.charts.figures import small_multiples
from remeasure.paper.notebook.charts.theme import COLUMN, SHARED, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime
from remeasure.paper.words import words_of

ENDS = {"initiator": "left", "responder": "right"}
"""end of the tunnels -> its host"""
NAMES = {"psk": "PSK", "rsa": "RSA", "ecdsa": "ECDSA"}
_WORDS = words_of(__file__)
COSTS: dict[str, Asked] = _WORDS["costs"]
REKEYED: dict[str, Asked] = _WORDS["rekeyed"]
QUOTED: dict[str, str] = _WORDS["quoted"]
QUOTED_KERNEL = {"Kernel": "kernel, each end", "KernelPeak": "kernel, rekeyed"}
_FEWEST = 3
"""least number of sizes that can show whether a line is wrong"""


class ManyTunnels:
    """The trials of scenario many-tunnels. Memory is from virtual time, if it was measured there;
    times and processor time are from real time only, because computing makes them."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        summaries = notebook.summarise(estimator)
        self.virtual = VirtualTime(notebook, estimator)
        self.memory = Asking(notebook, self.virtual.summaries if self.virtual else summaries)
        self.real = Asking(notebook, summaries.iloc[: 0 if self.virtual.alone else None])
        """the trials in real time, perhaps none"""
        self.methods = each("authentication", notebook.measured("authentication"))
        self.sizes = list(notebook.numbers("sas"))
        self.most = self.sizes[-1]
        self.cells = {
            (NAMES[method], size): at(part, sas=size)
            for method, part in self.methods.items()
            for size in self.sizes
        }

    def of_memory(self, method: str) -> dict[str, Estimate]:
        """Memory for an IKE_SA with its CHILD_SA [KiB], and how many fit in one GiB."""

        def slope(metric: str) -> Estimate:
            question: Asked = {"metric": metric, "quantity": "slope", "over": "sas"}
            return self.memory.estimate(at(question, authentication=method))

        found = {}
        for end, host in ENDS.items():
            up, rest = slope(f"{host}_rss_up"), slope(f"{host}_rss_rest")
            says = f"memory of the daemon for an SA, {end}, {NAMES[method]}, KiB"
            found[f"strongSwan, {end}"] = _computed(up.value - rest.value, says, up, rest)
        peak = max((slope(f"{host}_rss_peak") for host in ENDS.values()), key=lambda one: one.value)
        kernel, rekeyed = (
            _kernel(slope(f"{ENDS['initiator']}_slab_{when}")) if self.virtual else NOTHING
            for when in ("up", "peak")
        )
        fit = fit_in_gib(peak.value + rekeyed.value)
        says = f"SAs with {NAMES[method]} in one GiB, two digits, rounded down"
        return found | {
            "its configuration": slope(f"{ENDS['initiator']}_rss_rest"),
            "kernel, each end": kernel,
            "strongSwan, rekeyed": peak,
            "kernel, rekeyed": rekeyed,
            "in one GiB": _computed(fit, says, peak, rekeyed),
        }

    def straightness(self, method: str) -> float:
        """Largest departure of either daemon's memory from its line, as a share; NaN: two sizes."""
        if self.memory.summaries["sas"].nunique() < _FEWEST:
            return math.nan
        question = joined({"quantity": "straightness", "over": "sas"}, self.methods[method])
        found = (self.memory.estimate(question, metric=f"{h}_rss_up") for h in ENDS.values())
        return max(one.value for one in found)

    def table(self) -> pd.DataFrame:
        rows = [
            {"authentication": NAMES[method]}
            | {name: estimate_text(one) for name, one in self.of_memory(method).items()}
            | {"off the line (%)": number_text(100 * self.straightness(method), 2)}
            for method in self.methods
        ]
        return pd.DataFrame(rows, dtype=object)

    def rate(self, cell: tuple[str, str]) -> Estimate:
        """Set-ups per second, one after the other; `cell` is a key of `cells`."""
        time = self.real.estimate(self.cells[cell], metric="set_up")
        if not time.n:
            return NOTHING
        found = Estimate(1000 / time.value, 1000 / time.high, 1000 / time.low, time.n)
        return found.computed(f"set-ups per second of {cell[1]} SAs with {cell[0]}", [time])

    def chart(self) -> alt.ConcatChart:
        """Memory of the daemons by number of SAs, a panel for each end."""
        lines = {
            (end, NAMES[method]): joined({"metric": f"{host}_rss_up"}, part)
            for end, host in ENDS.items()
            for method, part in self.methods.items()
        }
        found = asked.points(self.memory, lines, each("sas", self.sizes))
        found["x"] = found["level"].map(self.notebook.numbers("sas")).astype(int)
        found["panel"], found["level"] = ([row[i] for row in found["row"]] for i in (0, 1))
        return small_multiples(
            found[["panel", "level", "x", "value", "low", "high", "origin"]],
            pd.DataFrame({"panel": [], "x": []}),
            levels=[NAMES[method] for method in self.methods],
            legend="authentication",
            x_title="IKE_SAs",
            y_title="memory of strongSwan (KiB)",
            columns=2,
            width=panel(COLUMN, 2, beside=SHARED),
            height=110,
        )

    def speed(self) -> str:
        """The rate of set-ups in real time, in words."""
        if self.real.summaries.empty:
            return "How long set-ups take was not measured in real time"
        parts = []
        for name in (NAMES[method] for method in self.methods):
            cell = name, self.most
            costs = [self.real.estimate(COSTS[f"set-up, {end}"], self.cells[cell]) for end in ENDS]
            both = estimate_text(_computed(sum(one.value for one in costs), "", *costs))
            parts.append(
                f"{name} {estimate_text(self.rate(cell))} per second, with {both} ms of processor "
                "time of both ends together"
            )
        return f"One initiator set up, one after the other: with {'; with '.join(parts)}"

    def rekeying(self) -> str:
        """The time to rekey all SAs of the largest number, in words."""
        if self.real.summaries.empty:
            return "How long rekeyings take was not measured in real time"
        cell = at(next(iter(self.methods.values())), sas=self.most)
        ike, child = (self.real.text(one, cell) for one in REKEYED.values())
        said = f"rekeying all IKE_SAs took {ike} ms, and all CHILD_SAs {child} ms"
        return f"With {self.most} SAs, {said}"

    def hand_over(self) -> None:
        results = self.notebook.results
        for method, start in (("psk", ""), ("rsa", "Rsa")):
            found = self.of_memory(method)
            names = {method.title() + name: column for name, column in QUOTED.items()}
            names |= {start + name: column for name, column in QUOTED_KERNEL.items()}
            for name, column in names.items():
                results.words(name, estimate_text(found[column]))
        for name, said in (("Speed", self.speed()), ("Rekeying", self.rekeying())):
            results.words(name, said, "several estimates in a sentence, if measured")
        straight = max(map(self.straightness, self.methods))
        results.words("Reading", reading(straight), "by the straightness of the line")
        for name, sizes in (("Sizes", ", ".join(self.sizes)), ("Most", self.most)):
            results.words(name, sizes, "levels of factor sas that were measured")
        self.notebook.facts("Strongswan")


def _computed(value: float, says: str, *parts: Estimate) -> Estimate:
    """An estimate without an interval, computed from others."""
    return Estimate(value, math.nan, math.nan, parts[-1].n).computed(says, parts)


def _kernel(both: Estimate) -> Estimate:
    """Memory of the kernel for an SA at one end [KiB]: half of its growth in virtual time, in which
    both ends have one kernel. A lab's guest keeps memory of SAs of earlier trials."""
    half = Estimate(both.value / 2, both.low / 2, both.high / 2, both.n)
    return half.computed("memory of the kernel for an SA at one end, KiB", [both])


LINEAR = 0.05
"""largest departure of a size from the line, over the line's rise, that counts as straight"""
GIB = 1024 * 1024
"""one gibibyte [KiB]"""


def reading(straightness: float) -> str:
    if not math.isfinite(straightness):
        return "there are too few sizes to tell whether memory grows in proportion to the number"
    if straightness <= LINEAR:
        return "memory grows in proportion to the number of SAs"
    return "memory does not grow in proportion to the number of SAs, so the slope is a mean"


def fit_in_gib(kib: float) -> float:
    """The number of SAs that fit in one GiB, if each takes so much memory [KiB]; NaN if nothing
    grows. It is rounded down to two digits: it is computed far beyond the measurements."""
    if not kib > 0:
        return math.nan
    step = 10 ** max(math.floor(math.log10(GIB / kib)) - 1, 0)
    return GIB / kib // step * step
