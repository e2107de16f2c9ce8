"""Whether links do what they are set to: the time that a frame takes, and what a full link carries.

The larger of two echoes takes a link longer by the bits that it has more, over the rate. The median
of each kind of echo is compared, so hosts and their schedulers, which delay both alike, drop out.
A full link carries frames of 1514 bytes, of which 1448 are payload of TCP, and 1472 of UDP. Frames
are counted with their Ethernet header of 14 bytes, as tc counts them.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from remeasure.analysis.estimates import NOTHING, Estimate, mean_estimate
from remeasure.campaign.scenario import Settings
from remeasure.ipsec.overhead import full_tcp_segment, largest_udp_payload
from remeasure.paths import ROOT
from remeasure.testbed.shaping import FULL_FRAME, Shaping

CAPTURED = ROOT / "data" / "captured" / "calibration.links.csv"
"""cells of scenario calibration, measured again and again (benchmarks/links.py)"""
CLOCKS = ("real", "virtual")
SMALL, LARGE = "56", "1400"
"""payload of the echoes of probe `sizes` [byte]"""
HEADERS = 28
"""IP and ICMP headers of an echo [byte]"""
ECHOES = "longer"
"""metric: median round trip of the larger echoes less that of the smaller [ms]"""
FULL = {"full_tcp": "TCP", "full_udp": "UDP"}
"""probe that fills a link -> its protocol"""
WITHIN = 0.005
"""greatest distance of a rate from what full frames leave that counts as the rate that was set, as a
share of it"""


def wire_ms(more: int, links: Iterable[Shaping]) -> float:
    """Time that `more` bytes take to be sent by each of these links, one after the other [ms].
    A link without a rate takes none, as one with a token bucket does."""
    return sum(8e3 * more / (link.rate_bits or 1) for link in links if link.takes_time)


def longer_by(settings: Settings) -> float:
    """What the larger echo should take longer than the smaller [ms]. Every link that a cell of
    scenario calibration shapes is passed by an echo once, on its way there or back."""
    return wire_ms(int(LARGE) - int(SMALL), settings.shaping.values())


def full_goodput(probe: str, settings: Settings) -> float:
    """What full frames leave of the slowest link's rate for the payload of a probe of `FULL`
    [Mbit/s]. Raises ValueError if no link has a rate."""
    payload = full_tcp_segment(None)[0] if FULL[probe] == "TCP" else largest_udp_payload(None)
    slowest = min(link.rate_bits for link in settings.shaping.values() if link.rate_bits)
    return slowest * payload / FULL_FRAME / 1e6


def echoes_longer(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Trial summaries of metric `ECHOES` of probe `sizes` (their columns: summaries.py); none where
    the probe was not run."""
    rtts = observations[(observations["probe"] == "sizes") & (observations["metric"] == "rtt")]
    keys = ["block", "trial", *factors, "probe"]
    if rtts.empty:
        return pd.DataFrame(columns=[*keys, "metric", "unit", "value"])
    by = [key for key in keys if key != "size"]
    medians = rtts.groupby([*by, "size"], observed=True)["value"].median().unstack("size")
    longer = (medians[LARGE] - medians[SMALL]).rename("value").reset_index()
    return longer.assign(metric=ECHOES, unit="ms", size="")[[*keys, "metric", "unit", "value"]]


def captured(path: Path = CAPTURED) -> pd.DataFrame:
    """The trials of `path`: columns clock (real or virtual), network, round, twin, verdict, probe,
    metric, unit, value. Raises FileNotFoundError."""
    return pd.read_csv(path)


def estimate(trials: pd.DataFrame, **chosen: str) -> Estimate:
    """The mean over rounds of the accepted trials that have these values in their columns, with its
    interval; NOTHING if there are none."""
    for column, value in {"verdict": "accepted", **chosen}.items():
        trials = trials[trials[column] == value]
    if trials.empty:
        return NOTHING
    return mean_estimate(trials.groupby("round")["value"].mean().to_numpy())
