"""Scenario reordering-causes: what the anti-replay window refuses behind queues and paths that
reorder, measured and by the law, and which window to set."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.models.queue_reordering import ALL, NONE, SOME, fate, needed_window
from remeasure.paper.analysis.models.reordering_runs import (
    law_of,
    refused_share,
    replay_drops,
    runs,
)
from remeasure.paper.analysis.models.window_acceptance import DEFAULT
from remeasure.paper.analysis.models.window_advice import ALLOWED
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.charts.window_cliff import window_cliff
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SHOWN = {
    "none": "one queue, full",
    "priority": "priority, full",
    "priority-90": "priority, 90 %",
    "paths-2ms": "paths, 2 ms",
    "paths-10ms": "paths, 10 ms",
}
"""level of the factor cause -> how tables and charts name it"""
_PLACES = (("100", "large"), ("10", "small"), ("1000", "large"))
"""rate and flow that the chart shows, and numbers are of: the first that was measured"""
TCP = "tcp"
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
            replay_drops(notebook.tables, TCP),
        )
        self.causes = notebook.measured("cause")
        self.windows = sorted(map(int, notebook.measured("window")))
        self.rates = notebook.measured("rate")
        measured = set(zip(self.runs["rate"], self.runs["probe"], strict=True))
        self.rate, self.flow = next(place for place in _PLACES if place in measured)
        """the rate and the flow that the chart shows"""
        first = self.runs[(self.runs["rate"] == self.rate) & (self.runs["probe"] == self.flow)]
        self.seconds = float((first["sent"] / first["per_second"]).iloc[0])
        """duration of a run of that flow [s]"""

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
        here = self.of(cause, rate, flow)
        worst = here.groupby(here["window"].astype(int))["refused_share"].max()
        enough = worst.index[worst <= 100 * ALLOWED]
        return int(enough.min()) if len(enough) else None

    def advice(self) -> pd.DataFrame:
        """By cause, rate and flow: what a packet waits, how far behind it is, which window the rule
        names, and the narrowest measured one that was enough."""
        rows = []
        for cause, rate, flow in self.places():
            first = self.of(cause, rate, flow).iloc[0]
            needed = needed_window(first["wait_s"], first["per_second"])
            rows.append(
                {
                    "cause": SHOWN.get(cause, cause),
                    "Mbit/s": rate,
                    "payload, B": str(self.payload(flow)),
                    "packets/s": f"{first['per_second']:,.0f}",
                    "longest wait, ms": f"{1e3 * first['wait_s']:.1f}",
                    "numbers behind": f"{first['behind']:.0f}",
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
                    "run, s": f"{run.sent / run.per_second:.1f}",
                    "numbers behind": f"{run.behind:.0f}",
                    "predicted, %": f"{run.predicted_share:.1f}",
                    "measured, %": estimate,
                    "of the waiting": f"{100 * run.refused / run.waited:.0f} %",
                }
            )
        return pd.DataFrame(rows, dtype=object)

    def off(self) -> pd.Series:
        """Difference of predicted and measured share, of each run [points]."""
        return (self.runs["predicted_share"] - self.runs["refused_share"]).abs()

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

    # Drawing

    def chart(self) -> alt.LayerChart | alt.VConcatChart:
        """What the window refuses, by window and cause, at one rate and of one flow."""
        here = self.runs[(self.runs["rate"] == self.rate) & (self.runs["probe"] == self.flow)]
        points = []
        for cause in self.causes:
            question: Asked = {"metric": "refused", "probe": self.flow}
            windows: dict[int, Asked] = {w: {"where": {"window": str(w)}} for w in self.windows}
            cell: dict[str, Asked] = {"": {"where": {"rate": self.rate, "cause": cause}}}
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
        family = self.notebook.scenario.topology.family
        for cause in causes:
            settings = self.notebook.scenario.settings_where(rate=self.rate, cause=cause)
            for window in steps:
                law = law_of(settings, self.flow, window, family)
                share = 100 * law.predicted.refused / law.sent.packets
                rows.append({"window": window, "cause": SHOWN.get(cause, cause), "value": share})
        law = pd.DataFrame(rows)
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

    def of(self, cause: str, rate: str, flow: str) -> pd.DataFrame:
        """The runs of one cause, rate and flow."""
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
    """A line without the middle of its level part at 0; its slope is curved on a logarithmic
    axis, so that part keeps all points."""
    value = line["value"]
    ends = line.index.isin([line.index[0], line.index[-1]])
    return line[(value > 0) | (value.shift(1) > 0) | ends]
