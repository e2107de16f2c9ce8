"""The runs of probe `flow` in scenario reordering-causes, each with its prediction.

The law (models.queue_reordering) knows only settings of the cell: the rate of the link, its queue
and bucket or the skew of its paths, the flow, and the size of a packet of its suite.
"""

from typing import NamedTuple

import pandas as pd

from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.overhead import ETHERNET, UDP, packet_on_wire
from remeasure.bench.probes.flow import Flow
from remeasure.bench.testbed.treatments.shaping import seconds
from remeasure.paper.analysis.models.queue_reordering import (
    Predicted,
    Queue,
    Sent,
    refused_behind_paths,
    refused_behind_queue,
)

LINK = "gw1.wan"
"""the shaped interface"""
RECEIVER = "gw2"
"""the gateway that decrypts"""
REFUSED = "XfrmInStateSeqError"
"""counter of the packets that the anti-replay service drops"""
_KEYS = ["block", "trial", "rate", "cause", "window", "probe"]


class Law(NamedTuple):
    """The prediction for one run."""

    sent: Sent
    wait_s: float
    """longest wait of a packet that others overtake [s]"""
    predicted: Predicted
    """the effect of the cell's window"""


def law_of(settings: Settings, probe: str, window: int, family: Family = IPV4) -> Law:
    """The prediction for a flow (the name of its probe) behind a window [packets]."""
    flow, link = settings.probes[probe], settings.shaping[LINK]
    if not isinstance(flow, Flow):
        raise TypeError(f"{probe}: found a probe {flow.kind}, expected flow")
    sent = Sent(round(flow.sent_rate * flow.duration), flow.sent_rate)
    if link.impairment.gap:
        skew = link.impairment.delay_ms / 1e3
        return Law(sent, skew, refused_behind_paths(sent, skew, window))
    packet = packet_on_wire(settings.tunnel, family.header + UDP + flow.length, family)
    queue = Queue(
        rate_bytes=(link.rate_bits or 0) / 8,
        queue_s=seconds(link.queue),
        burst_bytes=link.burst_bytes or 0,
        frame_bytes=packet + ETHERNET,
        favoured=1 / flow.every if flow.every and link.priority else 0,
    )
    # In one queue all wait alike, and none is overtaken.
    wait = queue.wait_s(sent) if queue.favoured else 0.0
    return Law(sent, wait, refused_behind_queue(sent, queue, window))


def runs(tables: dict[str, pd.DataFrame], scenario: Scenario) -> pd.DataFrame:
    """One row per run of a flow. Columns: its keys; sent, refused (by the counter REFUSED of
    RECEIVER), waited (packets that others overtake, and that reached RECEIVER), favoured_sent and
    favoured_lost; per_second, wait_s, behind and predicted (refused), by the law."""
    observations, counters = tables["observations"], tables["counters"]
    flows = observations[observations["tool"] == "flow"]
    wide = flows.pivot_table(
        index=_KEYS, columns="metric", values="value", aggfunc="sum", observed=True
    )
    drops = counters[(counters["counter"] == REFUSED) & (counters["host"] == RECEIVER)]
    refused = drops.groupby(_KEYS, observed=True)["change"].sum()
    rows, family = [], scenario.topology.family
    for key, run in wide.iterrows():
        named = dict(zip(_KEYS, key, strict=True))
        cell = {factor: str(named[factor]) for factor in ("rate", "cause", "window")}
        settings = scenario.settings_where(**cell)
        law = law_of(settings, str(named["probe"]), int(named["window"]), family)
        rows.append(named | _row(run.fillna(0).to_dict(), int(refused.get(key, 0)), law, settings))
    return pd.DataFrame(rows)


def replay_drops(tables: dict[str, pd.DataFrame], probe: str) -> pd.DataFrame:
    """Trial summaries (analysis.summaries) of metric `dropped`: packets of each run of a probe that
    the anti-replay service of RECEIVER dropped."""
    observations, counters = tables["observations"], tables["counters"]
    ran = observations[observations["probe"] == probe].groupby(_KEYS, observed=True).size()
    drops = counters[(counters["counter"] == REFUSED) & (counters["host"] == RECEIVER)]
    dropped = drops.groupby(_KEYS, observed=True)["change"].sum().reindex(ran.index, fill_value=0)
    table = dropped.rename("value").reset_index()
    return table.assign(metric="dropped", unit="packets")


def _row(run: dict[str, float], refused: int, law: Law, settings: Settings) -> dict[str, float]:
    favoured = run.get("up_favoured_sent", 0)
    came = run["up_bulk_received"] + refused
    paths = settings.shaping[LINK].impairment.gap
    return {
        "sent": run["up_bulk_sent"] + favoured,
        "refused": refused,
        "waited": law.sent.packets / 2 if paths else came if law.wait_s else 0,
        "favoured_sent": favoured,
        "favoured_lost": run.get("up_favoured_lost", 0),
        "favoured_delay": run.get("up_favoured_delay_max", 0),
        "bulk_delay": run.get("up_bulk_delay_max", 0),
        "per_second": law.sent.per_second,
        "wait_s": law.wait_s,
        "behind": law.predicted.behind,
        "predicted": law.predicted.refused,
    }


def refused_share(table: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Trial summaries (analysis.summaries) of metric `refused`: share of the packets sent that the
    window refused [%]."""
    keys = ["block", "trial", *factors, "probe"]
    share = 100 * table["refused"] / table["sent"]
    return table[keys].assign(metric="refused", unit="%", value=share)
