"""Scenario packet-sizes: the largest payload by suite, mode and UDP, and one byte more."""

from functools import cached_property
from typing import Unpack

import altair as alt
import pandas as pd

from notebooks.packet_sizes.fates import SENDERS, Fates
from remeasure.bench.ipsec.overhead import IPV4_HEADER, UDP, largest_udp_payload
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models.datagram_fate import as_computed, segment_size
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.tunnel.size_part import Measured

WAYS = {
    ("tunnel", False): "tunnel",
    ("tunnel", True): "tunnel in UDP",
    ("transport", False): "transport",
    ("transport", True): "transport in UDP",
}
"""mode, and whether ESP goes in UDP -> column of the table"""
NONE = "n/a"
GCM, CBC = "aes128gcm16", "aes128-sha256"
ANSWERED = [
    ("Gcm", GCM, "tunnel"),
    ("GcmUdp", GCM, "tunnel in UDP"),
    ("Cbc", CBC, "tunnel"),
    ("CbcUdp", CBC, "tunnel in UDP"),
]
"""end of the name of a number, suite, and way (WAYS)"""
_FATES = "fate of four datagrams in all cells of the mode, by analysis.models.datagram_fate"
_RFC = "remeasure.bench.ipsec.overhead"
CHECKED, PIECES = (
    dict.fromkeys(("computed", "as computed"), _RFC)
    | dict.fromkeys(("sizes", "sizes not as computed"), "count of observations of on_wire"),
    {"largest packet, computed": _RFC},
)
"""columns of two tables that are computed -> by what"""


class PacketSizes:
    """The trials of scenario packet-sizes."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        notebook.summarise(estimator)
        self.modes, self.levels = notebook.measured("mode"), notebook.measured("suite")
        self.above = Fates(notebook, {cell: self.tunnel(*cell) for cell in self.cells})
        """what became of datagrams with one byte more"""

    def tunnel(self, suite: str, mode: str) -> Tunnel | None:
        """The tunnel of a cell."""
        return self.notebook.scenario.settings_where(suite=suite, mode=mode).tunnel

    @cached_property
    def cells(self) -> list[tuple[str, str]]:
        """Level of suite and mode of every cell that was measured."""
        found = self.notebook.observations[["suite", "mode"]].drop_duplicates()
        known = set(found.itertuples(index=False, name=None))
        return [(s, m) for s in self.levels for m in self.modes if (s, m) in known]

    @cached_property
    def _by_name(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Suite without UDP -> column of WAYS -> its cell."""
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for suite, mode in self.cells:
            tunnel = self.tunnel(suite, mode)
            name = suite if tunnel is None else self._name(tunnel)
            udp = tunnel is not None and tunnel.in_udp
            found.setdefault(name, {})[WAYS[mode, udp]] = suite, mode
        return found

    @staticmethod
    def _name(tunnel: Tunnel) -> str:
        return tunnel.esp or f"AH {tunnel.ah}"

    def largest(self, name: str, way: str) -> Estimate | None:
        """The largest payload [bytes] of a suite, in one of the columns of WAYS; None if it was not
        measured."""
        cell = self._by_name.get(name, {}).get(way)
        return cell and self._of_cell(*cell, metric="largest")

    def _of_cell(self, suite: str, mode: str, **question: Unpack[Asked]) -> Estimate:
        return self.notebook.estimate(question, where={"suite": suite, "mode": mode})

    def table(self) -> pd.DataFrame:
        """The largest payload [bytes] by suite and way."""
        rows = []
        for name in self._by_name:
            found = {way: self.largest(name, way) for way in WAYS.values()}
            rows.append({"suite": name} | {w: whole(e) if e else NONE for w, e in found.items()})
        return pd.DataFrame(rows, dtype=object)

    def chart(self) -> alt.LayerChart:
        """The largest payload by suite and way."""
        rows = [
            {"row": name, "level": way} | e.columns()
            for name in self._by_name
            for way in WAYS.values()
            if (e := self.largest(name, way)) is not None
        ]
        cells = pd.DataFrame(rows)
        return figures.points_and_intervals(
            cells[["row", "level", "value"]],
            cells,
            levels=list(WAYS.values()),
            legend="mode",
            x_title="largest UDP payload in one packet (B)",
            width=panel(PAGE, beside=170),
            scale=alt.Scale(zero=False),
        )

    # Against the RFCs

    def checked(self) -> pd.DataFrame:
        """Each cell: measured and computed payload, how many sizes were sent, and how many had
        another length on the wire than computed."""
        rows = []
        for suite, mode in self.cells:
            largest, tunnel = self._of_cell(suite, mode, metric="largest"), self.tunnel(suite, mode)
            lengths = self._observed(suite, mode, "on_wire")
            same, wrong = as_computed(tunnel, self._observed(suite, mode, "largest"), lengths)
            rows.append(
                {
                    "suite": suite,
                    "mode": mode,
                    "measured": whole(largest),
                    "computed": largest_udp_payload(tunnel),
                    "sizes": len(lengths),
                    "sizes not as computed": len(wrong),
                    "as computed": same and not wrong,
                }
            )
        return pd.DataFrame(rows, dtype=object)

    def _observed(self, suite: str, mode: str, metric: str) -> pd.Series:
        """Values of a metric in one cell, by their index."""
        table = self.notebook.observations
        chosen = table[
            (table["metric"] == metric) & (table["suite"] == suite) & (table["mode"] == mode)
        ]
        return chosen.set_index("index")["value"]

    def measured(self, name: str, mode: str, udp: bool) -> Measured | None:
        """What was measured of a suite in a mode, in UDP or not, for the site's page My tunnel."""
        way = WAYS[mode, udp]
        largest = self.largest(name, way)
        if largest is None:
            return None
        cell = self._by_name[name][way]
        lengths = self._observed(*cell, "on_wire")
        _, wrong = as_computed(self.tunnel(*cell), [], lengths)
        return Measured(round(largest.value), None if wrong else int(lengths.index.min()))

    # One byte more

    def piece(self, suite: str, mode: str, which: str) -> Estimate:
        """Length of the `longest` or `shortest` piece [bytes], where DF is not set."""
        return self._of_cell(suite, mode, metric=f"dont_{which}")

    def pieces(self) -> pd.DataFrame:
        """Lengths of the pieces [bytes] of one byte more without DF, the MTU that a sender of
        Linux's default learnt, and what the RFCs say of the largest packet."""
        rows = []
        for suite, mode in self.cells:
            ends = self.piece(suite, mode, "longest"), self.piece(suite, mode, "shortest")
            learnt = self._of_cell(suite, mode, metric="want_mtu", within="median")
            rows.append(
                {
                    "suite": suite,
                    "mode": mode,
                    "first piece": whole(ends[0]),
                    "second piece": whole(ends[1]),
                    "MTU known afterwards": whole(learnt),
                    "largest packet, computed": largest_udp_payload(self.tunnel(suite, mode))
                    + UDP
                    + IPV4_HEADER,
                }
            )
        return pd.DataFrame(rows, dtype=object)

    # Numbers

    def segment(self, name: str, way: str) -> Estimate:
        """The largest TCP segment [bytes] of a suite, from its largest payload."""
        found = self.largest(name, way)
        assert found is not None
        value = segment_size(found.value)
        says = "largest UDP payload + 8 (UDP) - 20 (TCP without options)"
        return Estimate(value, value, value, found.n).computed(says, [found])

    def smallest(self) -> tuple[str, str, Estimate]:
        """The suite, way and payload [bytes] of the smallest of all."""
        found = [
            (name, way, e)
            for name in self._by_name
            for way in WAYS.values()
            if (e := self.largest(name, way)) is not None
        ]
        return min(found, key=lambda one: one[2].value)

    def hand_over(self, checked: pd.DataFrame) -> None:
        """Keep the numbers of the answer; `checked` is the table of `checked`."""
        results = self.notebook.results
        for name, suite, way in ANSWERED:
            if (found := self.largest(suite, way)) is not None:
                results.number(f"Payload{name}", found, 0)
                results.number(f"Segment{name}", self.segment(suite, way), 0)
            else:
                for what in ("Payload", "Segment"):
                    says = f"{what.lower()} of {suite}, {way}: not measured"
                    results.words(f"{what}{name}", NO_NUMBER, says)
        suite, way, least = self.smallest()
        results.number("PayloadLeast", least, 0)
        results.number("SegmentLeast", self.segment(suite, way), 0)
        says = "suite and mode with the smallest payload"
        results.words("LeastSuite", f"{suite}, {way}", says)
        told = whole(self._of_cell(GCM, "tunnel", metric="want_told"))
        results.words("Told", told)
        for mode in ("tunnel", "transport"):
            for name, which in (("First", "longest"), ("Second", "shortest")):
                piece = whole(self.piece(GCM, mode, which))
                results.words(f"{name}{mode.capitalize()}", piece)
            for sender in SENDERS:
                name = f"{sender.capitalize()}{mode.capitalize()}"
                results.words(name, self.above.only_fate(mode, sender), _FATES)
        differing = int((~checked["as computed"].astype(bool)).sum())
        results.number("Cells", len(checked), 0, source="cells measured")
        results.count("Differing", differing, "cells not as computed")
        sizes = int(checked["sizes"].sum())
        results.number("Sizes", sizes, 0, source="sizes compared")


def whole(estimate: Estimate) -> Quoted:
    """A number of bytes as text; with its interval, if measurements differ."""
    if estimate.origin is None or estimate.high > estimate.low:
        return text(estimate)
    return Quoted(f"{estimate.value:.0f}", [estimate.origin])
