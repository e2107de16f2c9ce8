"""Scenario receive-offload: transport over tunnel mode, with receive offload and without."""

import altair as alt
import pandas as pd

from remeasure.paper.analysis.models.offload_reading import reading, transport_over_tunnel
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import Asked, each
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import COLUMN, NUMBERS, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

_METRICS = ("rate", "segments_per_megabyte", "cpu_per_megabyte")
_BOTH: Asked = {"quantity": "ratio", "of": {"mode": "transport"}, "to": {"mode": "tunnel"}}
_CHANGE = "transport over tunnel mode, receive offload off over on"


class ReceiveOffload:
    """The trials of scenario receive-offload."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        self.summaries = notebook.summarise(
            estimator,
            notebook.per_megabyte("cpu_per_megabyte", ["left", "right"]),
            notebook.per_megabyte("segments_per_megabyte", ["left"]),
        )
        self.modes, self._offload = notebook.measured("mode"), notebook.measured("gro")
        self.columns = each("gro", self._offload, "receive offload {}")
        self.found = {
            gro: {m: notebook.estimate(_BOTH, metric=m, where={"gro": gro}) for m in _METRICS}
            for gro in ("on", "off")
        }
        """transport over tunnel mode, by receive offload and metric"""
        ratios = {m: transport_over_tunnel(self.summaries, m) for m in _METRICS}
        off_on: Asked = {"quantity": "ratio", "of": {"gro": "off"}, "to": {"gro": "on"}}
        self.change = {
            m: notebook.estimate(off_on, summaries=table, metric=m).computed(
                _CHANGE, [self.found["off"][m], self.found["on"][m]]
            )
            for m, table in ratios.items()
        }
        """how switching receive offload off changes that, by metric"""

    def chart(self) -> alt.LayerChart:
        """Rate of one large file by mode."""
        points = self.summaries.query("metric == 'rate'")
        points = points.rename(columns={"mode": "row", "gro": "level"})[["row", "level", "value"]]
        rows, levels = each("mode", self.modes), each("gro", self._offload)
        return figures.points_and_intervals(
            points,
            self.notebook.points(rows, levels, metric="rate"),
            levels=self._offload,
            legend="receive offload",
            x_title=f"rate ({self.notebook.unit('rate')})",
            width=panel(COLUMN, beside=NUMBERS),
            scale=alt.Scale(domain=[0, 1.1 * points["value"].max()], nice=False),
        )

    def table(self) -> pd.DataFrame:
        """Transport over tunnel mode, by receive offload and metric."""
        rows = {
            "receive offload on": self.found["on"],
            "receive offload off": self.found["off"],
            "off over on": self.change,
        }
        return pd.DataFrame({m: {row: text(of[m]) for row, of in rows.items()} for m in _METRICS})

    def reading(self) -> str:
        """What the rates say, by the rule that was written before they were measured."""
        on, off = (self.found[gro]["rate"] for gro in ("on", "off"))
        return reading(on, off, self.change["rate"])
