"""Packets that pass a replay window if they leave as unevenly as a real sender's. A sender that is
held up sends its backlog at once. More packets than on average may then leave within one jitter,
and each can overtake: wide windows drop more than the mean rate predicts. Between two bursts fewer
leave, and narrow windows drop less. Departures are captured, and only delays are drawn. Nothing is
fitted."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.models.window_acceptance import needed_window

CAPTURED = ROOT / "data" / "captured" / "replay-window.csv.gz"
DRAWS = 4
"""number of draws of the delays of a run"""


@dataclass(frozen=True)
class CapturedRun:
    """One run of a UDP sender, captured before and behind a network that reorders."""

    number: int
    rate: str
    """rate set at the sender, such as 100M [bit/s]"""
    sent: np.ndarray
    """time at which each packet left, from the first one on [s]; shape (packets,)"""
    arrived: np.ndarray
    """places in `sent` of the packets that arrived, in the order of arrival"""

    @property
    def packets_per_second(self) -> float:
        """Mean rate at which packets left [1/s]."""
        return (len(self.sent) - 1) / float(self.sent[-1])

    @property
    def loss(self) -> float:
        """Share of the packets that did not arrive, 0 to 1."""
        return 1 - len(self.arrived) / len(self.sent)


@cache
def captured_runs(path: Path = CAPTURED) -> tuple[CapturedRun, ...]:
    """Read the runs of a table with columns run, rate, sent_us (time of departure [us]) and arrived
    (place in the order of arrival, empty if lost)."""
    table = pd.read_csv(path)
    return tuple(
        CapturedRun(
            int(number),
            run["rate"].iloc[0],
            run["sent_us"].to_numpy() / 1e6,
            run.reset_index(drop=True)["arrived"].dropna().sort_values().index.to_numpy(),
        )
        for number, run in table.groupby("run")
    )


def places_behind(arrived: np.ndarray) -> np.ndarray:
    """For each packet in the order of arrival: how many places its number is behind the highest
    that arrived before it (negative: it is the new highest)."""
    highest = np.maximum.accumulate(np.concatenate([[-1], arrived[:-1]]))
    return highest - arrived


def passed_share(arrived: np.ndarray, window: int) -> float:
    """Share of these arrivals that a receiver with this window passes, 0 to 1."""
    return float((places_behind(arrived) < window).mean())


def predicted_share(run: CapturedRun, window: int, jitter_s: float) -> float:
    """Share of the arriving packets that pass the window, 0 to 1, with the departures and losses of
    `run` and the delays of `accepted_share`."""
    return float(np.mean([passed_share(order, window) for order in _drawn(run, jitter_s)]))


def widening(run: CapturedRun, share: float, jitter_s: float) -> float:
    """How many times as wide a window must be to pass `share` of the packets, compared with packets
    that leave evenly at the same mean rate."""
    behind = np.concatenate([places_behind(order) for order in _drawn(run, jitter_s)])
    needed = float(np.quantile(behind, share)) + 1
    return needed / needed_window(share, run.packets_per_second, jitter_s)


def bursts(run: CapturedRun, share: float, delay_s: float) -> float:
    """Packets that left within `delay_s` [s] after a packet, over their mean number, for `share` of
    the packets."""
    places = np.arange(len(run.sent))
    after = np.searchsorted(run.sent, run.sent + delay_s, side="right") - 1 - places
    return float(np.quantile(after, share)) / (run.packets_per_second * delay_s)


def _drawn(run: CapturedRun, jitter_s: float) -> Iterator[np.ndarray]:
    """Yield orders of arrival of the packets of `run` that were not lost."""
    random = np.random.default_rng(run.number)
    kept = np.sort(run.arrived)
    for _ in range(DRAWS):
        arrival = run.sent[kept] + random.normal(0, jitter_s, len(kept))
        yield kept[np.argsort(arrival, kind="stable")]
