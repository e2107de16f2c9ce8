"""Scenario packet-sizes: the largest payload by suite, mode and UDP, and one byte more."""

from functools import cached_property

import altair as alt
import pandas as pd

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.lineage import Quoted
from remeasure.analysis.models.datagram_fate import as_computed, fate, in_order, segment_size
from remeasure.analysis.texts import estimate_text as text
from remeasure.ipsec.overhead import IPV4, UDP, largest_udp_payload
from remeasure.ipsec.tunnel import Tunnel
from remeasure.notebook.charts import figures
from remeasure.notebook.charts.theme import PAGE, panel
from remeasure.notebook.scenario_notebook import ScenarioNotebook

SENDERS = {"dont": "DF not set", "want": "Linux's default", "do": "DF demanded"}
"""kind of sender -> its label"""
WAYS = {
    ("tunnel", False): "tunnel",
    ("tunnel", True): "tunnel in UDP",
    ("transport", False): "transport",
    ("transport", True): "transport in UDP",
}
"""mode, and whether ESP goes in UDP -> column of the table"""
NONE = "n/a"
_RFC = "remeasure.ipsec.overhead"
CHECKED, PIECES = (
    dict.fromkeys(("computed", "as computed"), _RFC),
    {"largest packet, computed": _RFC},
)
"""columns of two tables that are computed -> by what"""
_FATE = ("arrived", "refused", "packets", "fragments")


class PacketSizes:
    """The trials of scenario packet-sizes."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        notebook.summarise(estimator)
        self.modes, self.levels = notebook.measured("mode"), notebook.measured("suite")

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

    def _of_cell(self, suite: str, mode: str, **question: str) -> Estimate:
        return self.notebook.estimate(where={"suite": suite, "mode": mode}, **question)

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

    # One byte more

    def fate(self, suite: str, mode: str, sender: str) -> str:
        """What became of the datagrams of one kind of sender, in words."""
        table = self.notebook.observations
        metrics = {f"{sender}_{metric}": metric for metric in _FATE}
        chosen = table[
            (table["suite"] == suite) & (table["mode"] == mode) & table["metric"].isin(metrics)
        ]
        wide = chosen.assign(metric=chosen["metric"].map(metrics)).pivot_table(
            index=["campaign", "block", "index"], columns="metric", values="value", observed=True
        )
        protected = self.tunnel(suite, mode) is not None
        in_blocks = {
            in_order([fate(row, protected) for row in block.to_dict("records")])
            for _, block in wide.groupby(level=["campaign", "block"], observed=True)
        }
        return "; or ".join(sorted(in_blocks))

    @cached_property
    def fates(self) -> pd.DataFrame:
        """Cell and kind of sender, with what became of its datagrams."""
        return pd.DataFrame(
            [
                {"suite": s, "mode": m, "sender": sender, "fate": self.fate(s, m, sender)}
                for s, m in self.cells
                for sender in SENDERS
            ]
        )

    def fates_by_mode(self) -> pd.DataFrame:
        """What became of four datagrams, by mode and sender, with the number of cells."""
        table = self.fates.assign(
            mode=[
                mode if self.tunnel(suite, mode) else f"none, {_SENDING[mode]}"
                for suite, mode in zip(self.fates["suite"], self.fates["mode"], strict=True)
            ],
            sender=self.fates["sender"].map(SENDERS),
        )
        groups = table.groupby(["mode", "sender", "fate"], sort=False)
        return groups.size().rename("cells").reset_index()

    def only_fate(self, mode: str, sender: str) -> str:
        """The fate that all cells of a mode with IPsec share; 'not the same in all cells' if they
        share none."""
        chosen = self.fates[(self.fates["mode"] == mode) & (self.fates["sender"] == sender)]
        found = {
            fate
            for suite, fate in zip(chosen["suite"], chosen["fate"], strict=True)
            if self.tunnel(suite, mode)
        }
        return found.pop() if len(found) == 1 else "not the same in all cells"

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
                    + IPV4,
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


def whole(estimate: Estimate) -> Quoted:
    """A number of bytes as text; with its interval, if measurements differ."""
    if estimate.origin is None or estimate.high > estimate.low:
        return text(estimate)
    return Quoted(f"{estimate.value:.0f}", [estimate.origin])


_SENDING = {"tunnel": "a host behind the gateway sends", "transport": "the gateway sends"}
