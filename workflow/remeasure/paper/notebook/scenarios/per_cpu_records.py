"""The raw data of Wagner 2025, computed again."""

import pandas as pd

from remeasure.paper.notebook.results import Results
from remeasure.paper.studies.wagner.recomputed import kept_or_recomputed, value_text

_SELECTED = {
    "none-before.throughput_mean": "throughput, no IPsec, before it falls",
    "none-after.throughput_mean": "throughput, no IPsec, after",
    "single.throughput_mean": "throughput, single SA",
    "per-cpu.throughput_mean": "throughput, per-CPU SAs",
    "speed_up": "per-CPU over single",
    "single.throughput_cv": "variation, single SA",
    "per-cpu.throughput_cv": "variation, per-CPU SAs",
    "per-cpu.flow_jain": "fairness of flows, per-CPU SAs",
    "per-cpu.flow_max_over_min": "fastest over slowest flow, per-CPU SAs",
    "none.hosts_busy": "both hosts busy, no IPsec",
    "none-after.hosts_busy": "the same, after the fall",
    "single.sender_busy_mean": "sender busy, single SA",
    "single.receiver_busy_mean": "receiver busy, single SA",
    "per-cpu.sender_busy_mean": "sender busy, per-CPU SAs",
    "per-cpu.receiver_busy_mean": "receiver busy, per-CPU SAs",
    "hosts_busy.per-cpu_less_single": "busier with per-CPU SAs by",
    "single.receiver_saturated_cores": "saturated receiving cores, single SA",
    "per-cpu.receiver_saturated_cores": "saturated receiving cores, per-CPU SAs",
    "single.throughput_per_saturated_receive_core": "throughput for each of them, single SA",
    "per-cpu.throughput_per_saturated_receive_core": "throughput for each of them, per-CPU SAs",
    "single.cores_per_gbit": "processors for a Gbit/s, single SA",
    "per-cpu.cores_per_gbit": "processors for a Gbit/s, per-CPU SAs",
}
"""quantity -> its label in the table for readers"""
SOURCES = {
    "published": "study wagner, as printed",
    "recomputed": "from the study's raw files (data/published/wagner-recomputed.json)",
}
"""column of `Records.selected` -> where its numbers come from"""
_QUOTED = {
    "SpeedUp": ("speed_up", "recomputed", 2),
    "SpeedUpPrinted": ("speed_up_printed", "recomputed", 2),
    "SingleMean": ("single.throughput_mean", "recomputed", 2),
    "SinglePrinted": ("single.throughput_mean", "published", 2),
    "FallSecond": ("none.change_second", "recomputed", 0),
    "FallRatio": ("none.change_ratio", "recomputed", 2),
}
"""name of a number -> quantity, published or recomputed, decimals"""


class Records:
    """Quantities of the study's records, as kept or computed again."""

    def __init__(self, raw: str):
        """`raw`: folder with the study's raw files; as kept if there is none. Raises UserError for
        a value that does not come out as it was kept."""
        self._raw, self._kept = raw, kept_or_recomputed(raw)
        self.quantities = pd.DataFrame(self._kept["quantities"]).set_index("quantity")

    def files(self) -> pd.DataFrame:
        how = "computed anew, with the same result where there was one" if self._raw else "as kept"
        files = pd.DataFrame(self._kept["files"].items(), columns=["file", "SHA-256"])
        return files.rename_axis(columns=how)

    def table(self) -> pd.DataFrame:
        """Every quantity, published and computed again, as text."""
        columns = {name: self.quantities[name].map(value_text) for name in SOURCES}
        return self.quantities.assign(**columns)

    def selected(self) -> pd.DataFrame:
        """The quantities that a reader would ask for first."""
        table = self.table().loc[list(_SELECTED)]
        table = table.assign(quantity=list(_SELECTED.values()))
        return table[["quantity", "unit", "published", "recomputed"]]

    def hand_over(self, results: Results) -> None:
        for name, (quantity, column, digits) in _QUOTED.items():
            value = self.quantities.loc[quantity, column]
            says = "computed again" if column == "recomputed" else "as printed"
            says = f"Wagner 2025, {says}: {quantity}"
            results.number(name, value, digits, source=says)
