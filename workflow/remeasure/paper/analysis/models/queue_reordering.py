"""The packets of an SA that the anti-replay window refuses because they waited while others went
on: a prediction without fitted parameters.

A packet that waits `wait_s` longer than the packets behind it, which leave at `packets_per_second`,
arrives `wait_s * packets_per_second` numbers behind the newest. The receiver refuses it if these
are a window or more (RFC 4303, section 3.4.3). Packets that wait equally long share one fate: as
the window grows, the refused share falls from all to none at once.

Two causes of waiting:

- Two paths that take packets in turn: every second packet is late by the skew of the paths.
- A full queue behind ESP, which packets of a favoured class pass: all others wait for the packets
  in front of them. The favoured class takes its part of the link first, so the queue empties at the
  rest of the rate. A queue that holds `queue_s` of the link's rate then makes a packet wait
  `queue_s / (1 - favoured part)`. Below a load of 1 there is no queue, and nobody waits.

Short runs show how a queue begins and ends, and both are counted here. A queue fills with the
surplus over the rate, once the bucket's tokens are spent; packets that come before it is long
enough pass. At the end of a run too few packets follow to overtake the last packets of a window.

The model counts whole packets, so a wait of some packets is off by one. Its senders are even.
"""

from typing import NamedTuple

import pandas as pd

from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.campaign.quantities import numbers_of
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.overhead import ETHERNET, UDP, packet_on_wire
from remeasure.bench.probes.flow import Flow
from remeasure.bench.testbed.treatments.shaping import seconds
from remeasure.paper.analysis.models.packet_balance import refused_packets
from remeasure.paper.analysis.models.window_acceptance import settable_window


class Sent(NamedTuple):
    packets: int
    per_second: float

    @property
    def seconds(self) -> float:
        return self.packets / self.per_second


class Predicted(NamedTuple):
    behind: float
    """numbers by which a packet with the longest wait is behind the newest"""
    refused: float
    """packets that the window refuses"""


class Queue(NamedTuple):
    """A queue behind a token bucket, of all packets that are not of the favoured class."""

    rate_bytes: float
    """rate of the link [bytes/s]"""
    queue_s: float
    """time in which the link sends a full queue [s]"""
    burst_bytes: float
    """size of the bucket"""
    frame_bytes: float
    """size of a packet on the link"""
    favoured: float
    """share of packets in the favoured class, 0 to 1"""

    def load(self, sent: Sent) -> float:
        """Offered rate over the link's."""
        return sent.per_second * self.frame_bytes / self.rate_bytes

    def wait_s(self, sent: Sent) -> float:
        """Longest wait of a packet outside the favoured class [s]."""
        load = self.load(sent)
        return self.queue_s / (1 - load * self.favoured) if load > 1 else 0.0


def needed_window(wait_s: float, per_second: float) -> int | None:
    """The narrowest power of two that refuses nothing, from strongSwan's default on [packets]; None
    if it exceeds the widest window of Linux."""
    return settable_window(int(wait_s * per_second) + 1)


def refused_behind_paths(sent: Sent, skew_s: float, window: int) -> Predicted:
    """Packets go by two paths in turn, of which one is slower by `skew_s`."""
    behind = skew_s * sent.per_second
    refused = (sent.packets - window) / 2 if behind >= window else 0.0
    return Predicted(behind, max(0.0, refused))


def refused_behind_queue(sent: Sent, queue: Queue, window: int) -> Predicted:
    """Packets of a favoured class pass the others in `queue`."""
    behind = queue.wait_s(sent) * sent.per_second
    if not queue.favoured or behind < window:
        return Predicted(behind if queue.favoured else 0.0, 0.0)
    load = queue.load(sent)
    waiting = sent.per_second * (1 - queue.favoured)
    drained = queue.rate_bytes / queue.frame_bytes * (1 - load * queue.favoured)
    through = drained * (sent.seconds + queue.wait_s(sent))
    # The queue is long enough once it holds so many bytes.
    long_enough = queue.queue_s * queue.rate_bytes * window / behind
    excess = (load - 1) * queue.rate_bytes
    before = waiting * (queue.burst_bytes + long_enough) / excess
    at_the_end = window * drained / sent.per_second
    return Predicted(behind, max(0.0, through - before - at_the_end))


LINK = "gw1.wan"
"""the shaped interface"""
RECEIVER = "gw2"
"""the gateway that decrypts"""
_KEYS = ["block", "trial", "rate", "cause", "window", "probe"]


class Law(NamedTuple):
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
    """One row per run of a flow. Columns: its keys; sent, refused (by RECEIVER), waited (packets
    that others overtake, and that reached RECEIVER), favoured_sent and favoured_lost; per_second,
    wait_s, behind and predicted (refused), by the law."""
    observations, counters = tables["observations"], tables["counters"]
    flows = observations[observations["tool"] == "flow"]
    wide = flows.pivot_table(
        index=_KEYS, columns="metric", values="value", aggfunc="sum", observed=True
    )
    refused = refused_packets(counters, RECEIVER, _KEYS)
    rows, family, windows = [], scenario.topology.family, numbers_of(scenario, "window")
    for key, run in wide.iterrows():
        named = dict(zip(_KEYS, key, strict=True))
        cell = {factor: str(named[factor]) for factor in ("rate", "cause", "window")}
        settings = scenario.settings_where(**cell)
        law = law_of(settings, str(named["probe"]), int(windows[cell["window"]]), family)
        rows.append(named | _row(run.fillna(0).to_dict(), int(refused.get(key, 0)), law, settings))
    return pd.DataFrame(rows)


def replay_drops(tables: dict[str, pd.DataFrame], probe: str) -> pd.DataFrame:
    """Trial summaries (analysis.summaries) of metric `dropped`: packets of each run of a probe that
    the anti-replay service of RECEIVER dropped."""
    observations, counters = tables["observations"], tables["counters"]
    ran = observations[observations["probe"] == probe].groupby(_KEYS, observed=True).size()
    dropped = refused_packets(counters, RECEIVER, _KEYS).reindex(ran.index, fill_value=0)
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
        "per_second": law.sent.per_second,
        "wait_s": law.wait_s,
        "behind": law.predicted.behind,
        "predicted": law.predicted.refused,
    }
