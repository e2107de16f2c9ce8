"""Released trials, as if they had been made by a planned scenario: its factors, and the time that
its links take for a packet."""

import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.ipsec.overhead import ETHERNET, IPV4_HEADER, UDP, packet_on_wire
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.treatments.shaping import rate_bits
from remeasure.paper.analysis.models.links import CAPTURED
from remeasure.paper.analysis.summaries import of_kind

_LENDERS = {
    "auth": {
        "rsa-one-packet": ("rsa", "psk"),
        "rsa-ip-fragments": ("rsa", "rsa"),
        "ecdsa": ("psk", "rsa"),
    }
}
"""factor -> a level without released trials -> the levels that lend it their means, and their
departures from them within each block: compared levels must not depart together"""


def takes_time(scenario: Scenario) -> bool:
    return all(scenario.settings(cell).links_take_time for cell in scenario.all_cells)


def with_links(summaries: pd.DataFrame) -> pd.DataFrame:
    """Summaries of scenario calibration with its trials of links that take time, which no released
    campaign has: as many blocks, in turn. The slowest link, which was not tried, has the trials of
    the next one."""
    trials = pd.read_csv(ROOT / CAPTURED).query("clock == 'real' and verdict == 'accepted'")
    trials, blocks = trials.rename(columns={"twin": "arm"}), sorted(summaries["block"].unique())
    trials = pd.concat(
        one.iloc[[place % len(one) for place in range(len(blocks))]].assign(block=blocks, trial=0)
        for _, one in trials.groupby(["network", "probe", "arm"])
    )
    slowest = trials[trials["network"] == "rate-24"].assign(network="rate-10")
    links = pd.concat([trials, slowest]).reindex(columns=summaries.columns, fill_value="")
    return pd.concat([summaries, links], ignore_index=True)


def with_wires(summaries: pd.DataFrame, scenario: Scenario) -> pd.DataFrame:
    """The summaries with one-way delays longer by the time that the planned links take to send a
    packet of the cell's payload [ms]."""
    delays = of_kind(summaries["metric"], "one-way")
    if "payload" not in summaries or not delays.any():
        return summaries
    factors = [factor for factor in scenario.design.factors if factor in summaries]
    added = {
        (*levels, payload): _wire_time(scenario, dict(zip(factors, levels, strict=True)), payload)
        for *levels, payload in summaries.loc[delays, [*factors, "payload"]]
        .drop_duplicates()
        .values
    }
    keys = summaries[[*factors, "payload"]].itertuples(index=False, name=None)
    more = [added.get(key, 0.0) if late else 0.0 for key, late in zip(keys, delays, strict=True)]
    return summaries.assign(value=summaries["value"] + more)


def _wire_time(scenario: Scenario, levels: dict[str, str], payload: str) -> float:
    """Time that the links with a set rate take for one packet, one after another [ms]."""
    settings = scenario.settings_where(**levels)
    plain = float(payload) + UDP + IPV4_HEADER
    inside = settings.tunnel.link if settings.tunnel else None
    rates = {place.partition(".")[2]: s.rate for place, s in settings.shaping.items() if s.rate}

    def size(link: str) -> float:
        return packet_on_wire(settings.tunnel, int(plain)) if link == inside else plain

    return sum(8000 * (ETHERNET + size(link)) / rate_bits(rate) for link, rate in rates.items())


def as_planned(summaries: pd.DataFrame, measured: Scenario, planned: Scenario) -> pd.DataFrame:
    """Summaries of trials of `measured` with the factors of `planned`. A new factor has all its
    levels, without an effect, in trials or in the probes that it varies; of a factor that is gone
    the last level is kept."""
    new, old = levels_of(planned), levels_of(measured)
    for factor, levels in old.items():
        if factor not in new and factor in summaries:
            summaries = summaries[summaries[factor].isin(("", levels[-1]))].drop(columns=factor)
    for factor in new.keys() - old.keys():
        between = factor in planned.design.factors
        within = {name for name, probe in probes_of(planned) if factor in probe.levels}
        varied = summaries["probe"].isin(within) | between
        each = [summaries[varied].assign(**{factor: level}) for level in new[factor]]
        rest = summaries[~varied].assign(**{factor: ""})
        summaries = pd.concat([*each, rest], ignore_index=True)
    for factor, lender in _LENDERS.items():
        wanted = {*new.get(factor, ())} - {*old.get(factor, ())}
        lent = [_lent(summaries, factor, level, *lender[level]) for level in wanted & {*lender}]
        summaries = pd.concat([summaries, *lent], ignore_index=True)
    return summaries


def _lent(
    summaries: pd.DataFrame, factor: str, level: str, mean: str, departure: str
) -> pd.DataFrame:
    """Trials at a level without any (_LENDERS)."""
    cell = [c for c in summaries if c not in (factor, "block", "trial", "value")]
    means = summaries[summaries[factor] == mean].groupby(cell, as_index=False)["value"].mean()
    found = summaries[summaries[factor] == departure]
    own = found.groupby(cell)["value"].transform("mean")
    found = found.assign(value=found["value"] - own, **{factor: level})
    found = found.merge(means, on=cell, suffixes=("", "_mean"))
    return found.assign(value=found["value"] + found.pop("value_mean"))


def probes_of(scenario: Scenario) -> list[tuple[str, Probe]]:
    """Each probe of each cell, with its name without the levels that `each` gave it."""
    return [
        (name.partition(".")[0], probe)
        for cell in scenario.cells
        for name, probe in scenario.settings(cell).probes.items()
    ]


def levels_of(scenario: Scenario) -> dict[str, list[str]]:
    """Each factor, between trials or within them -> its levels."""
    found = {factor: [*levels] for factor, levels in scenario.design.factors.items()}
    for _, probe in probes_of(scenario):
        for factor, level in probe.levels.items():
            if level not in found.setdefault(factor, []):
                found[factor].append(level)
    return found
