"""Whether links keep their settings: the time that a frame takes, and the goodput of a full link.
The larger of two echoes takes a link longer by its additional bits over the rate. We compare the
median of each kind of echo, so the delay of hosts and their schedulers drops out. A full link
carries frames of 1514 bytes. Over IPv4 a frame has 1448 bytes of payload by TCP, and 1472 by UDP.
Frames are counted with their Ethernet header of 14 bytes, as tc counts them."""

from collections.abc import Iterable

import pandas as pd

from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.overhead import full_tcp_segment, largest_udp_payload
from remeasure.bench.testbed.treatments.shaping import FULL_FRAME, Shaping
from remeasure.paper.analysis.estimates import mean_estimate
from remeasure.paper.analysis.summaries import trial_summaries

CAPTURED = "data/captured/calibration.links.csv"
"""cells of scenario calibration, measured again and again"""
CLOCKS = ("real", "virtual")
SMALL, LARGE = 56, 1400
"""payload of the echoes of probe `sizes` [byte]"""
ARP = 5
"""echoes at the beginning of a trial that may have waited for ARP"""
FULL = {"full_tcp": "TCP", "full_udp": "UDP"}
"""probe that fills a link -> its protocol"""


def wire_ms(more: int, links: Iterable[Shaping]) -> float:
    """Time for `more` bytes on links of these rates, one after the other [ms]. A link without a
    rate needs none."""
    return sum(8e3 * more / link.rate_bits for link in links if link.rate_bits)


def longer_by(settings: Settings) -> float:
    """How much longer the larger echo should take [ms]; token buckets take no time. An echo passes
    every link that scenario calibration shapes once."""
    links = [link for link in settings.shaping.values() if link.takes_time]
    return wire_ms(LARGE - SMALL, links)


def full_goodput(probe: str, settings: Settings, family: Family = IPV4) -> float:
    """Goodput of full frames at the slowest link's rate, for a probe of `FULL` [Mbit/s]. Raises
    ValueError if no link has a rate."""
    tcp, udp = full_tcp_segment(None, family)[0], largest_udp_payload(None, family=family)
    payload = tcp if FULL[probe] == "TCP" else udp
    slowest = min(link.rate_bits for link in settings.shaping.values() if link.rate_bits)
    return slowest * payload / FULL_FRAME / 1e6


def settled_echoes(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Trial summaries of metrics `settled_mean` and `settled_sd` of probe `latency`: mean and
    standard deviation of the round trips of a trial after its first five, which may have waited for
    ARP (columns: summaries.py)."""
    rtts = observations[(observations["probe"] == "latency") & (observations["metric"] == "rtt")]
    settled = rtts[rtts["index"] > ARP]
    of_kinds = [
        trial_summaries(settled.assign(metric=f"settled_{name}"), factors, estimator)
        for name, estimator in (("mean", "mean"), ("sd", "std"))
    ]
    return pd.concat(of_kinds, ignore_index=True)


def longer_echoes(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Trial summaries of metric `longer` of probe `sizes`: median round trip of a trial's large
    echoes less the small ones' (columns: summaries.py)."""
    echoes = observations[(observations["probe"] == "sizes") & (observations["metric"] == "rtt")]
    medians = trial_summaries(echoes, factors, "median")
    keys = [key for key in medians if key not in ("size", "value")]
    sides = [medians[medians["size"] == str(size)].set_index(keys) for size in (LARGE, SMALL)]
    longer = (sides[0]["value"] - sides[1]["value"]).dropna().reset_index()
    return longer.assign(metric="longer", size="")[medians.columns]


def compared(scenario: Scenario) -> pd.DataFrame:
    """Settings and measurements: one row per network and probe, in the order of CAPTURED. Columns:
    network; probe; set (for `sizes`, the additional time of the larger echo [ms]; else goodput
    [Mbit/s]); and for each of CLOCKS the mean over rounds of accepted trials, an Estimate.
    `scenario`: calibration, as measured. Raises FileNotFoundError."""
    trials, rows = pd.read_csv(ROOT / CAPTURED), []
    for network, probe in trials[["network", "probe"]].drop_duplicates().itertuples(index=False):
        settings = scenario.settings_where(network=network)
        wanted = longer_by(settings) if probe == "sizes" else full_goodput(probe, settings)
        here = trials[(trials["network"] == network) & (trials["probe"] == probe)]
        accepted = here[here["verdict"] == "accepted"]
        rounds = accepted.groupby(["clock", "round"])["value"].mean()
        found = {
            clock: mean_estimate(rounds[clock].to_numpy()).captured(
                f"{here['metric'].iloc[0]} of probe {probe}, network {network}, {clock} time",
                CAPTURED,
            )
            for clock in CLOCKS
        }
        rows.append({"network": network, "probe": probe, "set": wanted} | found)
    return pd.DataFrame(rows)
