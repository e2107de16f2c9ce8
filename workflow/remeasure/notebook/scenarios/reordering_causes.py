"""Scenario reordering-causes: what the anti-replay window refuses behind queues and paths that
reorder, measured and by the law, and which window to set."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import pandas as pd

from remeasure.analysis.models.queue_reordering import ALL, NONE, SOME, fate, needed_window
from remeasure.analysis.models.reordering_runs import (
    law_of,
    refused_share,
    replay_drops,
    runs,
)
from remeasure.analysis.models.window_acceptance import DEFAULT
from remeasure.analysis.models.window_advice import ALLOWED
from remeasure.analysis.texts import estimate_text
from remeasure.ipsec.tunnel import LARGEST_WINDOW
from remeasure.notebook.charts.window_cliff import window_cliff
from remeasure.notebook.scenario_notebook import ScenarioNotebook

SHOWN = {
    "none": "one queue, full",
    "priority": "priority, full",
    "priority-90": "priority, 90 %",
    "paths-2ms": "paths, 2 ms",
    "paths-10ms": "paths, 10 ms",
}
"""level of the factor cause -> how tables and charts name it"""
_PLACES = (("100", "large"), ("10", "small"))
"""rate and flow that the chart shows, and numbers are of: the first that was measured"""
_TCP = "tcp"
"""the probe of a transfer with calls beside it"""
LAW = "by the law of analysis.models.queue_reordering"
_SINGLE = ["rate", "cause", "window", "probe"]


class ReorderingCauses:
    """The trials of scenario reordering-causes."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        self.runs = runs(notebook.tables, notebook.scenario)
        """one row for each run of a flow (analysis.models.reordering_runs)"""
        self.runs["predicted_share"] = 100 * self.runs["predicted"] / self.runs["sent"]
        self.runs["refused_share"] = 100 * self.runs["refused"] / self.runs["sent"]
        notebook.summarise(
            estimator,
            refused_share(self.runs, notebook.tables.factors),
            replay_drops(notebook.tables, _TCP),
        )
        self.causes = notebook.measured("cause")
        self.windows = sorted(map(int, notebook.measured("window")))
        self.rates = notebook.measured("rate")
        measured = set(zip(self.runs["rate"], self.runs["probe"], strict=True))
        self.rate, self.flow = next(place for place in _PLACES if place in measured)
        """the rate and the flow that the chart shows"""

    # What to set

    def places(self) -> Iterator[tuple[str, str, str]]:
        """Each cause, rate and flow that was measured, in the scenario's order."""
        found = set(self.runs[["cause", "rate", "probe"]].itertuples(index=False, name=None))
        for cause in self.causes:
            for rate in self.rates:
                for flow in ("large", "small"):
                    if (cause, rate, flow) in found:
                        yield cause, rate, flow

    def enough(self, cause: str, rate: str, flow: str) -> int | None:
        """The narrowest window that refused at most ALLOWED of the packets in every run; None if
        there is none."""
        here = self._of(cause, rate, flow)
        worst = here.groupby(here["window"].astype(int))["refused_share"].max()
        enough = worst.index[worst <= 100 * ALLOWED]
        return int(enough.min()) if len(enough) else None

    def advice(self) -> pd.DataFrame:
        """By cause, rate and flow: what a packet waits, what overtakes it, which window the rule
        names, and the narrowest measured one that was enough."""
        rows = []
        for cause, rate, flow in self.places():
            first = self._of(cause, rate, flow).iloc[0]
            needed = needed_window(first["wait_s"], first["per_second"])
            rows.append(
                {
                    "cause": SHOWN.get(cause, cause),
                    "Mbit/s": rate,
                    "payload, B": str(self.payload(flow)),
                    "packets/s": f"{first['per_second']:,.0f}",
                    "longest wait, ms": f"{1e3 * first['wait_s']:.1f}",
                    "overtaken by": f"{first['behind']:.0f}",
                    "rule": str(needed or "beyond"),
                    "enough, measured": str(self.enough(cause, rate, flow) or "none"),
                }
            )
        return pd.DataFrame(rows, dtype=object)

    def payload(self, flow: str) -> int:
        """Payload of the datagrams of a flow [bytes]."""
        settings = self.notebook.scenario.settings_where(rate="10")
        return int(settings.probes[flow].model_dump()["length"])

    # The law

    def compared(self) -> pd.DataFrame:
        """Predicted and measured share of refused packets, of each cell in which either is not 0,
        and what became of the packets that waited."""
        rows = []
        for run in self._ordered().itertuples():
            if not (run.predicted or run.refused):
                continue
            estimate = self.notebook.text(
                metric="refused",
                probe=run.probe,
                where={"cause": run.cause, "rate": run.rate, "window": run.window},
            )
            rows.append(
                {
                    "cause": SHOWN.get(run.cause, run.cause),
                    "Mbit/s": run.rate,
                    "payload, B": str(self.payload(run.probe)),
                    "window": run.window,
                    "overtaken by": f"{run.behind:.0f}",
                    "predicted, %": f"{run.predicted_share:.1f}",
                    "measured, %": estimate,
                    "of the waiting": f"{100 * run.refused / run.waited:.0f} %",
                }
            )
        return pd.DataFrame(rows, dtype=object)

    def off(self) -> pd.Series:
        """Difference of predicted and measured share, of each run [points]."""
        return (self.runs["predicted_share"] - self.runs["refused_share"]).abs()

    def quote_law(self) -> None:
        """Hand over how well the law predicts: in shares, and cell by cell whether any packet is
        refused."""
        results = self.notebook.results
        off, refusing = self.off(), self.runs["predicted"] > 0
        worst = "largest difference of predicted and measured share of packets, points"
        results.number("PredictionWorst", off.max(), 1, source=worst, paper=False)
        counted = "runs of flows that were compared with the law"
        results.number("PredictionRuns", len(off), 0, source=counted, paper=False)
        # A window that is not reached refuses nothing at all, not almost nothing.
        quiet = self.runs.loc[~refusing, "refused"]
        says = "packets refused in all runs in which the law says that none is"
        results.count("RefusedUnforeseen", int(quiet.sum()), says, paper=False)
        missed = self.runs.loc[refusing, "refused"] == 0
        says = "runs in which the law says that packets are refused, and none was"
        results.count("ForeseenNotRefused", int(missed.sum()), says, paper=False)

    # Who loses

    def by_class(self) -> pd.DataFrame:
        """Packets of both classes behind the full queue with priority: sent, lost, greatest delay
        of those that arrived."""
        rows = []
        for run in self._ordered().itertuples():
            if run.cause == "priority" and (run.rate, run.probe) == (self.rate, self.flow):
                bulk = run.sent - run.favoured_sent
                rows.append(
                    {
                        "window": run.window,
                        "EF sent": f"{run.favoured_sent:.0f}",
                        "EF lost": f"{run.favoured_lost:.0f}",
                        "EF delay, ms": f"{run.favoured_delay:.2f}",
                        "others sent": f"{bulk:.0f}",
                        "others refused": f"{run.refused:.0f}",
                        "others' delay, ms": f"{run.bulk_delay:.2f}",
                    }
                )
        return pd.DataFrame(rows, dtype=object)

    def beside_calls(self) -> pd.DataFrame:
        """A transfer by TCP and calls in one tunnel: goodput, packets that the window refused, and
        the calls' delay and losses. No rows where it was not measured."""
        observed = self.notebook.observations
        cells = observed.loc[observed["probe"] == _TCP, ["rate", "cause", "window"]]
        known = [
            (rate, cause, str(window))
            for rate in self.rates
            for cause in self.causes
            for window in self.windows
        ]
        found = set(cells.itertuples(index=False, name=None))
        columns = {
            "goodput, Mbit/s": "goodput",
            "refused": "dropped",
            "calls' delay (99 %), ms": "up_favoured_delay_p99",
            "calls lost, %": "up_favoured_loss",
        }
        rows = []
        for rate, cause, window in known:
            if (rate, cause, window) in found:
                where = {"rate": rate, "cause": cause, "window": window}
                texts = {
                    column: self.notebook.text(metric=metric, probe=_TCP, where=where)
                    for column, metric in columns.items()
                }
                named = {"Mbit/s": rate, "cause": SHOWN.get(cause, cause), "window": window}
                rows.append(named | texts)
        names = ["Mbit/s", "cause", "window", *columns]
        return pd.DataFrame(rows, columns=names, dtype=object)

    def quote_tcp(self) -> None:
        """Hand over goodput of TCP beside calls: in one queue, and behind priority with the default
        window and a wide one."""
        for name, cause, window in (
            ("TcpQueue", "none", "32"),
            ("TcpDefault", "priority", "32"),
            ("TcpWide", "priority", "1024"),
        ):
            where = {"rate": self.rate, "cause": cause, "window": window}
            found = self.notebook.estimate(metric="goodput", probe=_TCP, where=where)
            if found.n:
                self.notebook.results.words(name, estimate_text(found), paper=False)
            else:
                says = "goodput of TCP, not measured in this campaign"
                self.notebook.results.words(name, "n/a", says, paper=False)

    # Numbers for the answer

    def quote(self) -> None:
        """Hand over what the answer says."""
        results, notebook = self.notebook.results, self.notebook
        results.words("Rate", self.rate, "rate of the link, Mbit/s", paper=False)
        payload = str(self.payload(self.flow))
        results.words("Payload", payload, "payload of a datagram, bytes", paper=False)
        results.words("Default", str(DEFAULT), "strongSwan's window, packets", paper=False)
        results.words("Largest", str(LARGEST_WINDOW), "widest window of Linux", paper=False)
        for name, cause in (("Priority", "priority"), ("Paths", "paths-10ms")):
            where = {"cause": cause, "rate": self.rate, "window": str(DEFAULT)}
            notebook.quote(
                f"Refused{name}", paper=False, metric="refused", probe=self.flow, where=where
            )
            first = self._of(cause, self.rate, self.flow).iloc[0]
            wait = f"longest wait behind {cause} at {self.rate} Mbit/s, ms"
            results.number(f"Wait{name}", 1e3 * first["wait_s"], 1, source=wait, paper=False)
            says = f"packets that overtake one behind {cause}, {LAW}"
            results.number(f"Overtaken{name}", first["behind"], 0, source=says, paper=False)
            found = self.enough(cause, self.rate, self.flow)
            says = "narrowest measured window that refused at most 0.1 %, packets"
            results.words(f"Enough{name}", str(found or "none measured"), says, paper=False)
        self._quote_favoured()
        self._quote_gigabit()

    def _quote_favoured(self) -> None:
        results = self.notebook.results
        queued = self.runs[self.runs["cause"] == "priority"]
        sent, lost = (int(queued[name].sum()) for name in ("favoured_sent", "favoured_lost"))
        says = "packets of class EF in all runs behind a full queue with priority"
        results.number("FavouredSent", sent, 0, source=f"{says}, sent", paper=False)
        results.count("FavouredLost", lost, f"{says}, lost", paper=False)

    def _quote_gigabit(self) -> None:
        """The window that the rule names at 1 Gbit/s, measured there or not."""
        results = self.notebook.results
        for name, cause in (("Priority", "priority"), ("Paths", "paths-10ms")):
            settings = self.notebook.scenario.settings_where(rate="1000", cause=cause)
            law = law_of(settings, "large", DEFAULT)
            needed = needed_window(law.wait_s, law.sent.per_second)
            says = f"window of the rule behind {cause} at 1 Gbit/s, packets"
            results.words(f"Gigabit{name}", str(needed or "beyond"), says, paper=False)

    # Drawing

    def chart(self) -> alt.LayerChart | alt.VConcatChart:
        """What the window refuses, by window and cause, at one rate and of one flow."""
        here = self.runs[(self.runs["rate"] == self.rate) & (self.runs["probe"] == self.flow)]
        points = []
        for cause in self.causes:
            question: dict[str, Any] = {"metric": "refused", "probe": self.flow}
            windows = {w: {"where": {"window": str(w)}} for w in self.windows}
            cell = {"": {"where": {"rate": self.rate, "cause": cause}}}
            found = self.notebook.points(windows, cell, **question)
            points.append(found.assign(window=found["row"], cause=SHOWN.get(cause, cause)))
        named = [SHOWN.get(cause, cause) for cause in self.causes]
        columns = ["window", "cause", "value", "origin"]
        return window_cliff(
            pd.concat(points)[columns], self._law(here["cause"].unique()), named, DEFAULT
        )

    def _law(self, causes: Any) -> pd.DataFrame:
        """The law's line of each cause: the share refused at every window."""
        rows = []
        steps = range(self.windows[0], self.windows[-1] + 1)
        for cause in causes:
            settings = self.notebook.scenario.settings_where(rate=self.rate, cause=cause)
            for window in steps:
                law = law_of(settings, self.flow, window)
                share = 100 * law.predicted.refused / law.sent.packets
                rows.append({"window": window, "cause": SHOWN.get(cause, cause), "value": share})
        law = pd.DataFrame(rows)
        # A line needs its corners only.
        kept = [_corners(line) for _, line in law.groupby("cause", sort=False)]
        return pd.concat(kept)

    def fates(self) -> pd.DataFrame:
        """How many runs have each pair of fates of the packets that waited: predicted, measured."""
        words = [NONE, SOME, ALL]
        predicted = [
            fate(run.predicted, run.waited) for run in self.runs.itertuples() if run.wait_s
        ]
        measured = [fate(run.refused, run.waited) for run in self.runs.itertuples() if run.wait_s]
        counted = pd.crosstab(
            pd.Series(predicted, name="predicted"), pd.Series(measured, name="measured")
        )
        return counted.reindex(index=words, columns=words, fill_value=0)

    def _of(self, cause: str, rate: str, flow: str) -> pd.DataFrame:
        runs = self.runs
        chosen = (runs["cause"] == cause) & (runs["rate"] == rate) & (runs["probe"] == flow)
        return runs[chosen]

    def _ordered(self) -> pd.DataFrame:
        """One run of each cell and flow, in the scenario's order."""
        places = {place: number for number, place in enumerate(self.places())}
        keys = list(zip(self.runs["cause"], self.runs["rate"], self.runs["probe"], strict=True))
        ordered = self.runs.assign(
            place=[places[key] for key in keys], packets=self.runs["window"].astype(int)
        )
        return ordered.sort_values(["place", "packets", "block"]).drop_duplicates(_SINGLE)


def _corners(line: pd.DataFrame) -> pd.DataFrame:
    """The points of a line at which its slope changes by more than nothing."""
    value = line["value"]
    turns = (value.diff(-1).fillna(1) + value.diff().fillna(1)).abs() > 1e-6
    return line[turns]
