"""What pinning guests changes, what each machine can see, and the bench in one table."""

from typing import Any

import pandas as pd

from notebooks.calibration.alike import Alike, Simulated, percent
from notebooks.calibration.asks import Calibration
from notebooks.calibration.captured import (
    PLACEMENTS,
    compared_placements,
    half_widths,
)
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import fixed, number_text
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.results import Results

_METRICS = {"goodput": "goodput", "cpu_per_megabyte": "a megabyte", "cpu_per_packet": "a packet"}
_VARIANTS = {"usual": "", "nodelay": ", no Nagle", "gigabit": ", 1 Gbit/s"}
BENCH_SOURCES = {
    "set": "as the scenario sets it, or as the method promises",
    "virtual time": "the same in virtual time",
    "real time": "measured; the last rows: counted, simulated, and the largest half widths on "
    "machine D",
}
"""column of `bench_table` -> where its numbers come from"""


class Placements:
    """Cells against themselves on one machine, with pinned and with unpinned guests."""

    def __init__(self, machine: str, order: Any = slice(None)):
        """`order` of the rows; any if none is given."""
        self.machine, self.compared = machine, compared_placements(machine).loc[order]

    def table(self) -> pd.DataFrame:
        rows = []
        for (suite, transport, payload, metric), row in self.compared.iterrows():
            shown = {"suite": suite, "flow": f"{transport.upper()} {payload}"}
            shown["metric"] = "goodput" if metric == "goodput" else "processor"
            for place in PLACEMENTS:
                for column in ("mean", "half", "variation"):
                    digits = 3 if column == "mean" else 2
                    shown[f"{place} {column}"] = number_text(row[place, column], digits)
            rows.append(shown)
        return pd.DataFrame(rows)

    @property
    def flows(self) -> int:
        return len(self.compared) // 2

    def hand_over(self, results: Results, end: str) -> str:
        """Hand over in how many flows pinning made trials vary less, and say it."""
        pinned, wandering = (self.compared[place, "variation"] for place in ("pinned", "wandering"))
        less = (pinned < wandering).groupby("metric").sum()
        goodput, cost = less["goodput"], less["cpu_per_megabyte"]
        says = f"varied less with pinned guests, machine {self.machine}"
        name = f"SteadierGoodput{end}"
        results.count(name, goodput, f"flows whose goodput {says}")
        says = f"flows whose processor time {says}"
        results.count(f"SteadierCost{end}", cost, says)
        return (
            f"On {self.machine}, pinned, goodput varied less in {goodput} of {self.flows} flows, "
            f"processor time in {cost}."
        )


class HalfWidths:
    """Half the width of the interval of a cell over itself [%], on each machine."""

    def __init__(self) -> None:
        self._widths = half_widths()
        self.steady = self._steady()
        """name of a number -> (the largest half width on machine D, of what)"""

    def _steady(self) -> dict[str, tuple[float, str]]:
        table = self._widths["D", "as counted"].rename("half").reset_index()
        usual = table["variant"] == "usual"
        linked = (table["payload"] == "1344") & usual
        joined = (table["payload"] == "64") & (table["transport"] == "tcp") & usual
        limit = "where a processor is the limit"
        time = "processor time of a megabyte"
        idle = "where the link leaves processors idle"
        kinds = {
            "SteadyLink": ("goodput", linked, "goodput where a link is the limit"),
            "SteadyBound": ("goodput", ~linked, f"goodput {limit}"),
            "SteadyCost": (
                "cpu_per_megabyte",
                ~linked & ~joined,
                f"{time} {limit} and TCP joins no writes",
            ),
            "SteadyJoined": (
                "cpu_per_megabyte",
                joined,
                f"{time} of TCP that joins writes of 64 bytes",
            ),
            "SteadyIdle": (
                "cpu_per_megabyte",
                linked & (table["suite"] == "none"),
                f"{time} with 1344 bytes and no IPsec, {idle}",
            ),
        }
        return {
            name: (table.loc[rows & (table["metric"] == metric), "half"].max(), what)
            for name, (metric, rows, what) in kinds.items()
        }

    def hand_over(self, results: Results) -> None:
        for name, (half, what) in self.steady.items():
            says = f"largest half width on machine D, {what}"
            results.number(name, half, 1, r"\percent", source=says)

    def in_words(self) -> str:
        widths = self._widths
        paced = widths[[machine for machine, time in widths if time == "at pace"]]
        paced = paced.stack("machine", future_stack=True).dropna()
        less = (paced["at pace"] < paced["as counted"]).groupby("machine").agg(["sum", "size"])
        narrower = ", ".join(f"{r['sum']} of {r['size']} costs on {m}" for m, r in less.iterrows())
        level = paced.index.get_level_values
        link = (level("suite") == "none") & (level("payload") == "1344")
        free = paced[~link].loc["cpu_per_packet"].drop("D", level="machine")
        counted, at_pace = (
            f"{free[how].min():.1f} to {free[how].max():.1f} %" for how in ("as counted", "at pace")
        )
        steady = "; ".join(f"{half:.1f} % for {what}" for half, what in self.steady.values())
        return (
            f"On *D* half the width was at most {steady}.\n\nAt the usual pace the interval is "
            f"narrower in {narrower}. On B and C, where a processor is the limit, the half width "
            f"of the cost of a packet is {counted} as it was counted, and {at_pace} at the usual "
            "pace."
        )

    def table(self) -> pd.DataFrame:
        rows = []
        for (metric, suite, transport, payload, variant), row in self._widths.iterrows():
            flow = f"{transport.upper()} {payload}{_VARIANTS[variant]}"
            shown = {"suite": suite, "flow": flow, "metric": _METRICS[metric]}
            for (machine, time), half in row.items():
                shown[f"{machine} {time}"] = "" if pd.isna(half) else number_text(half, 2)
            rows.append(shown)
        return pd.DataFrame(rows)


_ADDED: Asked = {
    "quantity": "difference",
    "metric": "settled_mean",
    "probe": "latency",
    "of": {"network": "delay-50"},
    "to": {"network": "normal"},
}
_JITTER: Asked = {"metric": "settled_sd", "probe": "latency", "of": {"network": "jitter-20"}}
_LOSS: Asked = {"metric": "loss", "probe": "loss", "of": {"network": "loss-1"}}
_STEP: Asked = {"metric": "clock_step", "probe": "clock", "of": {"step_ms": "20"}}
_STEADY = {
    "rate of a link": "SteadyLink",
    "rate of a processor": "SteadyBound",
    "processor time": "SteadyCost",
}
"""what varied -> the number that says by how much"""


def bench_table(
    of: Calibration, links: pd.DataFrame, alike: Alike, simulated: Simulated, widths: HalfWidths
) -> pd.DataFrame:
    """What was set, or should be, and what came of it in real and in virtual time."""

    def both(what: str, should: str, question: Asked) -> dict[str, Any]:
        real, virtual = of.notebook.text(question), of.virtual.text(question)
        return {"what": what, "set": should, "real time": real, "virtual time": virtual}

    def linked(what: str, network: str, probe: str) -> dict[str, Any]:
        one = links.query("network == @network and probe == @probe").iloc[0]
        row = {"what": what, "set": f"{one.set:.2f}", "real time": text(one.real)}
        return row | {"virtual time": fixed(one.virtual.value, 3)}

    different = f"{alike.all['false']:.0f} of {alike.all['comparisons']:.0f}"
    held = simulated.enough["held"]
    rows = [
        both("round trip, added (ms)", "50", _ADDED),
        both("jitter, standard deviation (ms)", "20", _JITTER),
        both("loss (%)", "1", _LOSS),
        linked("TCP, link of 100 Mbit/s (Mbit/s)", "rate-100", "full_tcp"),
        linked("1344 B more, 24 Mbit/s (ms)", "rate-24", "sizes"),
        both("step of a clock (ms)", "20", _STEP),
        {
            "what": "like against like, found different (%)",
            "set": "5",
            "real time": f"{percent(alike.all['share'])} ({different})",
        },
        {
            "what": "intervals that hold the truth (%)",
            "set": "95",
            "real time": f"{percent(held.min())} to {percent(held.max())}",
        },
    ]
    rows += [
        {"what": f"half width, {what} (%)", "real time": f"{widths.steady[name][0]:.1f}"}
        for what, name in _STEADY.items()
    ]
    return pd.DataFrame(rows, dtype=object).fillna("")
