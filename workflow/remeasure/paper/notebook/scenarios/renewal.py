"""Scenario renewal: what a renewal of a tunnel loses, and what leaves in the clear."""

import math
from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models.renewal_reading import (
    ROUND_TRIPS,
    Renewed,
    agrees,
    predicted_ms,
    reading,
)
from remeasure.paper.analysis.texts import NO_NUMBER, number_text
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import each
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import COLUMN, LONG_NAMES, panel
from remeasure.paper.notebook.provenance import provenance
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.scenarios.disturbed import (
    ENDS,
    WAYS,
    counted,
    counts,
    derived,
    most,
    of_both,
    summarise,
    summed,
    total,
)
from remeasure.paper.notebook.virtual_time import VirtualTime

REKEYED = ["child", "child-by-responder", "child-by-both", "child-by-lifetime", "ike"]
"""renewals that keep the IKE_SA's authentication"""
MADE_FIRST = ["reauthentication", "make-before-break"]
BROKEN = ["break-before-make", "terminate-initiate"]
"""renewals that delete before they make, with nothing that holds packets back"""
HELD = ["break-with-trap", "break-with-guard"]
"""the same with a policy that holds packets back"""
_SAID_OF_REAL = (
    *(("Rekeying", REKEYED, metric) for metric in ("lost", "sent", "clear")),
    *(("Make", MADE_FIRST, metric) for metric in ("lost", "sent")),
    ("Held", HELD, "clear"),
)
"""sums over trials in real time that texts name: name, renewals, metric"""


class Renewal:
    """The trials of scenario renewal, in virtual time if it was measured there."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        summarise(notebook, estimator)
        self.virtual = VirtualTime(notebook, estimator)
        self.real = pd.DataFrame() if self.virtual.alone else notebook.summaries
        """summaries in real time; without rows if there are none"""
        if self.virtual and not self.virtual.alone:
            self.virtual.add(*derived(self.virtual.summaries))
            notebook.summaries = self.virtual.summaries
        self.renewals = notebook.measured("renewal")
        self.trips = sorted(notebook.measured("round_trip"), key=float)
        self.auths = notebook.measured("auth")
        self.auth = self.auths[0]
        probe = notebook.scenario.settings_where().probes["flow"].model_dump()
        self.rate: int = probe["rate"]
        """datagrams a second, each way"""
        self.middle = "50" if "50" in self.trips else self.trips[-1]
        """round trip of the tables [ms]"""

    @property
    def grain_ms(self) -> float:
        """Time between two datagrams [ms]."""
        return 1e3 / self.rate

    def cell(self, renewal: str, trip: str, auth: str) -> Renewed | None:
        """The most of any trial of a cell; None if there is none."""
        where = {"renewal": renewal, "round_trip": trip, "auth": auth}
        if math.isnan(most(self.notebook.summaries, "silence", where)):
            return None

        found = self.notebook.summaries
        return Renewed(
            of_both(found, "bulk_lost", WAYS, where),
            of_both(found, "clear", ENDS, where),
            1e3 * most(self.notebook.summaries, "silence", where),
            most(self.notebook.summaries, "ike_sas", where),
        )

    def table(self, trip: str) -> pd.DataFrame:
        """What each renewal did at a round trip, with the first kind of authentication."""
        columns: dict[str, dict[str, Any]] = {
            "lost up": {"metric": "up_bulk_lost"},
            "lost down": {"metric": "down_bulk_lost"},
            "clear gw1 (ms)": {"metric": "initiator_clear_time", "scale": 1e3},
            "clear gw2 (ms)": {"metric": "responder_clear_time", "scale": 1e3},
            "longest silence (ms)": {"metric": "silence", "scale": 1e3},
            "IKE_SAs after": {"metric": "ike_sas"},
        }
        where = {"round_trip": trip, "auth": self.auth}
        table = self.notebook.texts("renewal", each("renewal", self.renewals), columns, where=where)
        whole = [name for name, question in columns.items() if "scale" not in question]
        return counts(table, whole)

    def readings(self) -> pd.DataFrame:
        """How each renewal is read, by the rule that was written before it was measured."""
        rows = [
            {"renewal": renewal}
            | {
                f"{trip} ms": reading(cell) if cell else NO_NUMBER
                for trip in self.trips
                for cell in [self.cell(renewal, trip, self.auth)]
            }
            for renewal in self.renewals
        ]
        return pd.DataFrame(rows, dtype=object).set_index("renewal")

    def clear_times(self) -> pd.DataFrame:
        """Time in the clear of what leaks, at either gateway, by round trip [ms]."""
        leaking = [one for one in self.renewals if one in BROKEN]
        table = self.notebook.texts(
            "renewal",
            each("renewal", leaking),
            each("round_trip", self.trips, "{} ms"),
            metric="clear_time",
            scale=1e3,
            where={"auth": self.auth},
        )
        predicted = {
            f"{trip} ms": number_text(predicted_ms(float(trip), 0), 3) for trip in self.trips
        }
        return pd.concat(
            [table, pd.DataFrame([{"renewal": "predicted, without computing"} | predicted])],
            ignore_index=True,
        ).astype(object)

    def by_auth(self) -> pd.DataFrame:
        """Time in the clear when an end breaks before it makes, by authentication [ms]."""
        return self.notebook.texts(
            "authentication",
            each("auth", self.auths),
            each("round_trip", self.trips, "{} ms"),
            metric="clear_time",
            scale=1e3,
            where={"renewal": "break-before-make"},
        )

    def as_predicted(self) -> bool | None:
        """Whether break before make leaks for as long as predicted, at every round trip."""
        where = {"renewal": "break-before-make", "auth": self.auth}
        found = {
            float(trip): 1e3
            * most(self.notebook.summaries, "clear_time", where | {"round_trip": trip})
            for trip in self.trips
        }
        return agrees({t: v for t, v in found.items() if not math.isnan(v)}, self.grain_ms)

    # Real time

    def real_counts(self) -> pd.DataFrame:
        """Traffic that each renewal lost and sent in the clear in real time, of both directions,
        with all authentications together, by round trip [ms]."""
        rows = []
        for renewal in self.renewals if len(self.real) else ():
            row: dict[str, Any] = {"renewal": renewal}
            for trip in self.trips:
                chosen = self.real[self.real["round_trip"] == trip]
                for metric in ("lost", "clear"):
                    packets = total(chosen, metric, "renewal", [renewal])
                    row[f"{metric}, round trip {trip}"] = f"{packets * self.grain_ms:g}"
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def real_clear_times(self) -> pd.DataFrame:
        """Time in the clear in real time when an end breaks before it makes, by authentication
        [ms]."""
        rows = each("auth", self.auths if len(self.real) else ())
        return pd.DataFrame(
            [
                {"authentication": auth}
                | {f"{trip} ms": self._real_clear(auth, trip) for trip in self.trips}
                for auth in rows
            ],
            dtype=object,
        )

    def _real_clear(self, auth: str, trip: str) -> str:
        where = {"renewal": "break-before-make", "auth": auth, "round_trip": trip}
        found = self.notebook.estimate(self.real, metric="clear_time", scale=1e3, where=where)
        return counted(text(found))

    def chart(self) -> alt.LayerChart:
        """Time in the clear by renewal and round trip."""
        chosen = self.notebook.summaries["metric"] == "clear_time"
        points = self.notebook.summaries[chosen & (self.notebook.summaries["auth"] == self.auth)]
        points = points.rename(columns={"renewal": "row", "round_trip": "level"})
        points = points.assign(value=1e3 * points["value"])[["row", "level", "value"]]
        cells = self.notebook.points(
            each("renewal", self.renewals),
            each("round_trip", self.trips),
            metric="clear_time",
            scale=1e3,
            where={"auth": self.auth},
        )
        return figures.points_and_intervals(
            points,
            cells,
            levels=self.trips,
            legend="round trip (ms)",
            x_title="time in the clear (ms)",
            width=panel(COLUMN, beside=LONG_NAMES),
            scale=alt.Scale(domain=[0, max(10, 1.05 * float(points["value"].max()))], nice=False),
        )

    def quote(self) -> None:
        """Hand over what the answer says."""
        results, notebook = self.notebook.results, self.notebook
        for name, renewals in (("Rekeying", REKEYED), ("Make", MADE_FIRST)):
            for metric in ("lost", "sent", "clear"):
                number = summed(notebook.summaries, metric, "renewal", renewals)
                says = f"{metric}: datagrams, both ways, all trials of {', '.join(renewals)}"
                self._count(f"{name}{metric.title()}", number, says)
        held = summed(notebook.summaries, "clear", "renewal", HELD)
        self._count("HeldClear", held, f"clear: datagrams, all trials of {', '.join(HELD)}")
        self._quote_broken()
        results.number(
            "RoundTrips",
            ROUND_TRIPS,
            0,
            source="exchanges from a deletion to the next SA, by analysis.models.renewal_reading",
        )
        words = {True: "as predicted", False: "not as predicted", None: "undecided"}
        says = "by the rule of analysis.models.renewal_reading"
        results.words("Predicted", words[self.as_predicted()], says)
        results.number("Rate", self.rate, 0, source="datagrams a second each way")
        campaigns = (self.virtual.blocks, self.notebook.blocks)
        kernels = dict.fromkeys(str(provenance(own)["kernel"]) for own in campaigns if own)
        results.words("Kernel", " and ".join(kernels), "uname of the guests")
        self._quote_real()

    def _quote_broken(self) -> None:
        """What an end does that breaks before it makes, at two round trips."""
        results = self.notebook.results
        for place, trip in (("Middle", self.middle), ("Far", self.trips[-1])):
            name = f"{place}Trip"
            results.words(name, trip, "round trip, ms")
            self._quote_cell(f"{place}Clear", "clear_time", trip, "break-before-make", 1e3)
        for name, metric, renewal, scale in (
            ("LostUp", "up_bulk_lost", "break-before-make", 1),
            ("LostDown", "down_bulk_lost", "break-before-make", 1),
            ("TrapSilence", "silence", "break-with-trap", 1e3),
            ("GuardSilence", "silence", "break-with-guard", 1e3),
            ("TrapSas", "ike_sas", "break-with-trap", 1),
        ):
            self._quote_cell(f"Middle{name}", metric, self.middle, renewal, scale)

    def _quote_cell(self, name: str, metric: str, trip: str, renewal: str, scale: float) -> None:
        where = {"round_trip": trip, "auth": self.auth, "renewal": renewal}
        found = counted(self.notebook.text(metric=metric, scale=scale, where=where))
        self.notebook.results.words(name, found)

    def _quote_real(self) -> None:
        """What texts say of real time."""
        for name, renewals, metric in _SAID_OF_REAL:
            number = summed(self.real, metric, "renewal", renewals) if len(self.real) else None
            says = f"{metric}: datagrams in real time, all trials of {', '.join(renewals)}"
            self._count(f"Real{name}{metric.title()}", number, says)
        says = f"trials of {', '.join(MADE_FIRST)} in real time"
        self._count("RealMakeTrials", self._real_trials(MADE_FIRST), says)
        for place, trip in (("Near", self.trips[0]), ("Middle", self.middle)):
            clear = self._real_clear(self.auth, trip) if len(self.real) else NO_NUMBER
            self.notebook.results.words(f"Real{place}Clear", clear, "ms, real time")

    def _real_trials(self, renewals: list[str]) -> int | None:
        if self.real.empty:
            return None
        chosen = self.real[self.real["renewal"].isin(renewals)]
        return len(chosen[["block", "trial"]].drop_duplicates())

    def _count(self, name: str, number: int | Estimate | None, says: str) -> None:
        """Keep a count; of packets in the clear, the time in which an end sends as many."""
        results = self.notebook.results
        if number is None:
            results.words(name, NO_NUMBER, says)
        elif isinstance(number, Estimate) and name.endswith("Clear"):
            seconds = number.value / self.rate
            leaked = Quoted(
                f"{seconds:.3g} s of traffic" if seconds else "nothing", [number.origin]
            )
            results.words(name, leaked, f"time in the clear, from {says}")
        else:
            results.count(name, number, says)
