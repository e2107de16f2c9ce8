"""Results of other programs, made once (data/captured), and the bench in one table."""

import pandas as pd

from notebooks.calibration.asks import PERCENT, Calibration, percent
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models import links
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import fixed
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.results import Results
from remeasure.paper.words import words_of

CAPTURED = ROOT / "data/captured"
_FLOW = ["suite", "transport", "payload"]
_CELL = [*_FLOW, "variant"]
_AT_PACE = "_at_pace"
"""suffix of names of costs at the usual pace of the cores (data/README.md)"""
_WORDS = words_of(__file__)
LINK_SOURCES: dict[str, str] = _WORDS["link_sources"]
BENCH_SOURCES: dict[str, str] = _WORDS["bench_sources"]
BENCH: dict[str, tuple[str, Asked]] = _WORDS["bench"]


def _half_widths() -> pd.DataFrame:
    return pd.read_csv(CAPTURED / "calibration.half-widths.csv", dtype=dict.fromkeys(_CELL, str))


def compared_placements(machine: str) -> pd.DataFrame:
    """One row per suite, transport, payload [byte] and metric (the index), with columns (placement,
    mean) [unit of the metric], (placement, half): half the width of the interval of a ratio of the
    cell to itself [%], (placement, variation): standard deviation of trials [%]."""
    found = _half_widths().query("machine == @machine and variant == 'usual'")
    found = found[found["metric"].isin(["goodput", "cpu_per_megabyte"])]
    found = found.set_index([*_FLOW, "metric", "placement"])[["mean", "half", "variation"]]
    return found.unstack("placement").swaplevel(axis=1).sort_index(axis=1)


def half_widths() -> pd.DataFrame:
    """Half the width of the interval of a ratio of a cell to itself [%], with pinned guests. One
    row per metric, suite, transport, payload [byte] and variant (the index). Columns: (machine, as
    counted); and (machine, at pace), costs at the usual pace of the cores. NaN: not measured."""
    found = _half_widths().query("placement == 'pinned'")
    paced = found["metric"].str.endswith(_AT_PACE).map({False: "as counted", True: "at pace"})
    found = found.assign(time=paced, metric=found["metric"].str.removesuffix(_AT_PACE))
    table = found.pivot(index=["metric", *_CELL], columns=["machine", "time"], values="half")
    return table.sort_index(axis=1).sort_index(ascending=False)


def simulated(table: str) -> pd.DataFrame:
    """Simulated campaigns with a known answer: cases, pooled, beyond or others (the captured
    table's first column). Shares of campaigns, 0 to 1: held (the intervals include the truth),
    endless (an interval has no upper end), false (the most frequent false verdict), any false."""
    found = pd.read_csv(CAPTURED / "calibration.simulated.csv", dtype={"campaigns": "Int64"})
    return found[found["table"] == table].drop(columns="table").reset_index(drop=True)


def shown(campaigns: pd.DataFrame) -> pd.DataFrame:
    """Simulated campaigns to be shown: rates [%] by number of blocks."""
    by = ["kind", "asked of", "truth", "verdicts", "campaigns", "blocks"]
    rates = campaigns.set_index(by)[["held", "endless", "false", "any false"]]
    return rates.map(percent).unstack("blocks", sort=False)


def steady() -> dict[str, tuple[float, str]]:
    """Name of a number -> the largest half width on machine D [%], and its quantity."""
    table = half_widths()["D", "as counted"].rename("half").reset_index()
    usual, time = table["variant"] == "usual", "processor time per megabyte"
    linked = (table["payload"] == "1344") & usual
    joined = (table["payload"] == "64") & (table["transport"] == "tcp") & usual
    idle, limit = linked & (table["suite"] == "none"), "where a processor is the limit"
    goodput, cost = (table["metric"] == name for name in ("goodput", "cpu_per_megabyte"))
    kinds = {
        "SteadyLink": (goodput & linked, "goodput where a link is the limit"),
        "SteadyBound": (goodput & ~linked, f"goodput {limit}"),
        "SteadyCost": (cost & ~linked & ~joined, f"{time} {limit} and TCP joins no writes"),
        "SteadyJoined": (cost & joined, f"{time} of TCP that joins writes of 64 bytes"),
        "SteadyIdle": (cost & idle, f"{time} where the link leaves processors idle"),
    }
    return {name: (table.loc[rows, "half"].max(), what) for name, (rows, what) in kinds.items()}


def measured_links() -> pd.DataFrame:
    """Links that take time, in real and in virtual time (analysis.models.links.compared)."""
    return links.compared(load_scenario("calibration", "quick"))


def links_table(measured: pd.DataFrame) -> pd.DataFrame:
    def found(estimate: Estimate) -> str:
        if estimate.low == estimate.high:
            return Quoted(fixed(estimate.value, 3), [estimate.origin] if estimate.origin else [])
        return text(estimate) if estimate.n else "n/a"

    rows = []
    for one in measured.itertuples():
        echo = one.probe == "sizes"
        what = "echo, ms" if echo else f"{links.FULL[one.probe]} goodput"
        row = {"link": one.network, "what": what, "set": f"{one.set:.{3 if echo else 2}f}"}
        rows.append(row | {clock: found(getattr(one, clock)) for clock in links.CLOCKS})
    return pd.DataFrame(rows, dtype=object)


def bench_table(of: Calibration, measured: pd.DataFrame) -> pd.DataFrame:
    """Settings, or expectations, and results in real and in virtual time."""

    def linked(what: str, network: str, probe: str) -> dict[str, str]:
        one = measured.query("network == @network and probe == @probe").iloc[0]
        row = {"what": what, "set": f"{one.set:.2f}", "real time": text(one.real)}
        return row | {"virtual time": fixed(one.virtual.value, 3)}

    *asked, step = (of.row(what, *one) for what, one in BENCH.items())
    rows = [
        *asked,
        linked("TCP, link of 100 Mbit/s (Mbit/s)", "rate-100", "full_tcp"),
        linked("1344 B more, 24 Mbit/s (ms)", "rate-24", "sizes"),
        step,
    ]
    return pd.DataFrame(rows, dtype=object).fillna("")


def hand_over(results: Results) -> None:
    """Keep numbers of captured tables for paper and site."""
    for name, (half, what) in steady().items():
        results.number(name, half, 1, PERCENT, f"largest half width on machine D, {what}")
    for machine, end in (("A", ""), ("C", "Elsewhere")):
        compared = compared_placements(machine)
        less = compared["pinned", "variation"] < compared["wandering", "variation"]
        by_metric = less.groupby("metric").sum()
        for name, metric in (("Goodput", "goodput"), ("Cost", "cpu_per_megabyte")):
            says = f"flows whose {metric} varied less with pinned guests, machine {machine}"
            results.count(f"Steadier{name}{end}", by_metric[metric], says)
    flows = len(compared_placements("A")) // 2
    results.number("PlacedFlows", flows, 0, source="flows of the comparison of placements")
    enough, others = simulated("cases").query("blocks > 3"), simulated("others")
    readings = others.loc[others["kind"] == "readings", "held"].min()
    for name, share, digits, says in (
        ("HeldLeast", enough["held"].min(), 1, "coverage at 5 and 10 blocks, least of all kinds"),
        ("HeldMost", enough["held"].max(), 1, "the same, most"),
        ("FalseVerdicts", enough["false"].max(), 1, "false verdicts there, most of all kinds"),
        ("HeldReadings", readings, 0, "coverage where readings are taken for replicates, least"),
    ):
        results.number(name, 100 * share, digits, PERCENT, says)
    kinds = enough["kind"].nunique()
    results.number("Kinds", kinds, 0, source="kinds of questions that were simulated")
