"""Whether links take time to send a packet."""

import pandas as pd

from notebooks.calibration.asks import SWEEP, Calibration
from remeasure.bench.campaign.folder import block_path, measured_scenario
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models import links
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import fixed

SOURCES = {
    "set": "what wires of the rate need (echo), or what full frames leave of it (goodput)",
}
"""column of `links_table` -> where its numbers come from"""
_WAY = ["client1.site1", "gw1.wan", "gw2.site2"]
"""the links on the way of a datagram of algorithm-sweep"""


def sweep_links(of: Calibration) -> pd.DataFrame:
    """Hand over, and return, how much longer a large datagram takes than a small one over the links
    of algorithm-sweep, beside what wires of their rate need."""
    results = of.notebook.results
    says = "whether links of algorithm-sweep took time"
    if SWEEP not in of.summaries:
        results.words("SweepLinks", "not measured", says)
        return pd.DataFrame()
    observations = of.tables[SWEEP]["observations"]
    (campaign, block), *_ = observations.groupby(["campaign", "block"], observed=True).groups
    plain = measured_scenario(block_path(campaign, SWEEP, block)).settings_where(suite="none")
    needed = links.wire_ms(1344 - 64, [plain.shaping[place] for place in _WAY])
    delay = of.notebook.estimate(
        summaries=of.summaries[SWEEP],
        quantity="difference",
        metric="delay_mean",
        probe="flow",
        of={"payload": "1344"},
        to={"payload": "64"},
        where={"suite": "none", "transport": "udp", "load": "moderate"},
    )
    took = _took(delay, needed)
    source = (
        "one-way delay of UDP without IPsec, 1344 less 64 bytes, moderate rate, algorithm-sweep"
    )
    results.words("SweepDelay", text(delay), source)
    source = "time that three wires of 100 Mbit/s need for 1280 bytes"
    results.number("SweepWires", needed, 2, r"\milli\second", source)
    results.words("SweepLinks", took, says)
    row = {
        "links as their campaign has them": "take time"
        if plain.links_take_time
        else "token buckets",
        "delay, 1344 B less 64 B (ms)": text(delay),
        "three wires need (ms)": f"{needed:.3f}",
        "so these links": took,
    }
    return pd.DataFrame([row])


def _took(delay: Estimate, needed: float) -> str:
    if delay.low <= needed <= delay.high:
        return "took the time that wires need"
    if delay.high < needed / 2:
        return "took no time to send a packet"
    return "did not take the time that wires need"


def measured_links() -> pd.DataFrame:
    """Links that take time, as they were measured in real and in virtual time (see
    analysis.models.links.compared)."""
    return links.compared(load_scenario("calibration", "quick"))


def links_table(measured: pd.DataFrame) -> pd.DataFrame:
    """The same as text."""

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
