"""Scenario renewal: losses and leaks of a tunnel's renewal."""

import math

import pandas as pd

from notebooks.renewal.reading import ROUND_TRIPS, agrees, reading
from remeasure.paper.analysis.estimates import NOTHING
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook import asked, disturbed
from remeasure.paper.notebook.asked import Asked, Asking, at, each, joined
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.shared_tables import provenance
from remeasure.paper.notebook.strongswan_versions import Versions
from remeasure.paper.notebook.virtual_time import VirtualTime
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
COLUMNS: dict[str, Asked] = _WORDS["columns"]
MIDDLE: dict[str, Asked] = _WORDS["middle"]
CLEAR: Asked = {"metric": "clear_time", "scale": 1e3}
BROKEN = "break-before-make"
LEAKING = [BROKEN, "terminate-initiate"]
"""renewals that delete before they make, without a policy that stops packets"""
GROUPS: dict[str, list[str]] = _WORDS["groups"]
SUMS: dict[str, tuple[str, list[str]]] = _WORDS["sums"]


class RenewalTrials:
    """The trials of scenario renewal, in virtual time if it was measured there."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        notebook.summarise(estimator, *disturbed.derived(notebook.summarise(estimator)))
        self.virtual = VirtualTime(notebook, estimator)
        real = notebook.summaries.iloc[: 0 if self.virtual.alone else None]
        self.real = Asking(notebook, real)
        """the trials in real time, perhaps none"""
        if self.virtual and not self.virtual.alone:
            self.virtual.add(*disturbed.derived(self.virtual.summaries))
            notebook.summaries = self.virtual.summaries
        self.versions = Versions(notebook, disturbed.derived)
        self.renewals = each("renewal", notebook.measured("renewal"))
        self.trips = list(notebook.numbers("round_trip"))
        self.by_trip = each("round_trip", self.trips, "{} ms")
        self.auths = each("auth", notebook.measured("auth"))
        self.auth = {"auth": next(iter(self.auths))}
        self.middle = "50" if "50" in self.trips else self.trips[-1]
        """round trip of the tables [ms]"""
        self.here = self.auth | {"round_trip": self.middle}
        self.rate: int = notebook.scenario.settings_where().probes["flow"].model_dump()["rate"]
        """datagrams per second, each way"""

    def readings(self) -> pd.DataFrame:
        """How each renewal is read, by the rule that was written before it was measured."""
        found = self.notebook.summaries

        def read(renewal: str, trip: str) -> str:
            where = self.auth | {"renewal": renewal, **self.by_trip[trip]["at"]}
            if math.isnan(disturbed.most(found, "silence", where)):
                return NO_NUMBER
            lost = [disturbed.most(found, f"{way}_bulk_lost", where) for way in disturbed.WAYS]
            clear = [disturbed.most(found, f"{end}_clear", where) for end in disturbed.ENDS]
            return reading(lost, clear)

        return asked.grid("renewal", self.renewals, self.by_trip, read).set_index("renewal")

    def real_counts(self) -> pd.DataFrame:
        """Traffic lost and leaked by each renewal in real time, of both directions, with
        all authentications together, by round trip [ms]."""
        found = self.real.summaries
        found = found[found["metric"].isin(["lost", "clear"])].replace("clear", "leaked")
        titles = found["metric"] + ", round trip " + found["round_trip"].astype(str)
        found = found.assign(value=1e3 / self.rate * found["value"], column=titles)
        wide = found.pivot_table("value", "renewal", "column", aggfunc="sum", observed=True)
        columns = [f"{metric}, round trip {t}" for t in self.trips for metric in ("lost", "leaked")]
        shown = wide.reindex(index=list(self.renewals), columns=columns)
        return shown.map("{:g}".format).rename_axis(columns=None).reset_index()

    def by_version(self) -> pd.DataFrame:
        """Time of leaks at the round trip of the tables, by version of strongSwan [ms]."""
        return self.versions.table(
            "renewal", self.renewals, joined(CLEAR, {"at": self.here}), asked.whole_text
        )

    def _hand_over_versions(self) -> None:
        question = at(CLEAR, renewal="reauthentication", **self.here)
        found = {name: one.estimate(question) for name, one in self.versions.trials.items()}
        self.versions.words("LeakingVersions", [n for n, one in found.items() if one.value > 0])
        self.versions.words("TightVersions", [n for n, one in found.items() if one.value == 0])
        apart, _ = self.versions.apart(
            "initiator_clear_time", "responder_clear_time", without={"renewal": "reauthentication"}
        )
        says = "largest difference of times of leaks between versions, other renewals"
        self.notebook.results.number("OthersApart", 1e3 * apart, 0, r"\milli\second", says)
        first = next(iter(found.values()), NOTHING)
        self.notebook.results.words("OldestClear", asked.whole_text(first))

    def hand_over(self) -> None:
        self._hand_over_versions()
        results, far = self.notebook.results, {"round_trip": self.trips[-1], **self.auth}
        numbers = {f"Middle{name}": at(question, **self.here) for name, question in MIDDLE.items()}
        numbers["FarClear"] = at(MIDDLE["Clear"], **far)
        asked.hand_over(self.notebook, numbers, asked.whole_text)
        near = at(MIDDLE["Clear"], round_trip=self.trips[0], **self.auth)
        real = {"RealNearClear": near, "RealMiddleClear": numbers["MiddleClear"]}
        asked.hand_over(self.real, real, asked.whole_text)
        for name, (metric, renewals) in SUMS.items():
            self._sum(name, self.notebook.summaries, metric, renewals)
            if name != "MakeClear":
                self._sum(f"Real{name}", self.real.summaries, metric, renewals)
        made_first = self.real.summaries[self.real.summaries["renewal"].isin(GROUPS["Make"])]
        says = f"trials of {', '.join(GROUPS['Make'])} in real time"
        count = len(made_first[["block", "trial"]].drop_duplicates())
        results.count("RealMakeTrials", count or math.nan, says)
        results.words("MiddleTrip", self.middle, "round trip, ms")
        results.words("FarTrip", far["round_trip"], "round trip, ms")
        says = "exchanges from a deletion to the next SA, by notebooks.renewal.reading"
        results.number("RoundTrips", ROUND_TRIPS, 0, source=says)
        # Whether break before make leaks for as long as predicted, at every round trip.
        broken = asked.values_of(self.notebook.summaries, at(CLEAR, renewal=BROKEN, **self.auth))
        trips = broken["round_trip"].map(self.notebook.numbers("round_trip"))
        clear = broken.groupby(trips)["value"].max()
        words = {True: "as predicted", False: "not as predicted", None: "undecided"}
        predicted = words[agrees(clear.to_dict(), 1e3 / self.rate)]
        results.words("Predicted", predicted, "by the rule of notebooks.renewal.reading")
        results.number("Rate", self.rate, 0, source="datagrams per second each way")
        campaigns = (self.virtual.blocks, self.notebook.blocks)
        kernels = dict.fromkeys(str(provenance(own)["kernel"]) for own in campaigns if own)
        results.words("Kernel", " and ".join(kernels), "uname of the guests")

    def _sum(self, name: str, summaries: pd.DataFrame, metric: str, renewals: list[str]) -> None:
        """Keep a sum over trials; of leaked packets, the time that an end needs for them."""
        found = disturbed.summed(summaries, metric, "renewal", renewals)
        when = " in real time" if name.startswith("Real") else ""
        says = f"{metric}: datagrams{when}, both ways, all trials of {', '.join(renewals)}"
        if metric != "clear" or not found.n:
            self.notebook.results.count(name, found, says)
            return
        seconds = found.value / self.rate
        leaked = Quoted(f"{seconds:.3g} s of traffic" if seconds else "nothing", [found.origin])
        self.notebook.results.words(name, leaked, f"time of leaks, from {says}")


def whole(table: pd.DataFrame) -> pd.DataFrame:
    """A table of COLUMNS with counts as whole numbers."""
    counts = [name for name, one in COLUMNS.items() if "scale" not in one]
    texts = {name: [asked.whole(text) for text in table[name]] for name in counts}
    return table.assign(**{name: pd.Series(of, dtype=object) for name, of in texts.items()})
