"""The limit of the rate of each run of a probe, and how the rate may be read.

Rates are compared to learn the cost of a suite, a mode or an SA. They show it only if the host that
does the cryptography, or the link that carries its overhead, limited them. We judge each run by
counters of its duration: bytes on links, packets that IPsec dropped, and processor time. Time is
counted over a whole run, which is longer than its traffic. Each share of a processor therefore has
two bounds, and anything between them is unknown.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import pandas as pd

from remeasure.bench.campaign.scenario import Scenario
from remeasure.paper.analysis.limits import run_loads
from remeasure.paper.analysis.limits.host_work import ShareBounds
from remeasure.paper.analysis.summaries import Tables
from remeasure.paper.words import words_of

LINK, DROPS, SENDER, GATEWAY, RECEIVER = "link", "drops", "sender", "gateway", "receiver"
CORE, MACHINE, NOTHING, UNKNOWN = "core", "machine", "nothing", "unknown"
_WORDS = words_of(__file__, "rate-limits")
LIMITS: dict[str, str] = _WORDS["limits"]
"""limit of a rate -> its meaning"""

PERFORMANCE = "performance"
PROTOCOL = "protocol and network"
FUNCTION = "function only"
READINGS = (PERFORMANCE, PROTOCOL, FUNCTION)
"""readings of a rate: the cost of a suite; the behaviour of a protocol on this network, whatever
the processors; or only that something works"""

FULL_LINK = 0.95
"""least share of its set rate that a full link carries, 0 to 1. The bytes are exact. The time is
from the first payload to the last, in which a run begins slowly (in TCP a few round trips). A link
that was idle for longer than a twentieth waited for something else."""
FULL_PROCESSOR = 0.9
"""least share of the time for which a full processor works, 0 to 1. A processor idle for longer
could have carried a ninth more. This bound is looser than a link's, because processor time is
counted in ticks of 10 ms for each of a guest's processes."""
FEW_DROPS = 0.05
"""least share of packets, dropped in one place, that decides a rate, 0 to 1: fewer drops behind a
full link change the rate by less than FULL_LINK tolerates"""
LIKE_PAYLOADS = 1.02
"""largest ratio of the payloads in a packet of two sides whose costs of packets are compared: the
smallest effect that matters to a statement on suites (data/published/sokol.yaml)"""


class LimitFinding(NamedTuple):
    limit: str
    where: str = ""
    """the interface or host that was full; empty for other limits"""
    may_be: str = ""
    """possible limits, if unknown"""


def limits(tables: Tables, scenario: Scenario) -> pd.DataFrame:
    """One row per run of a probe that measures a rate, in trials that were not rejected. Columns:
    campaign, block, trial, the factors, probe, repeat; limit (a key of LIMITS); where (the
    interface or host); may_be (possible limits, if unknown); reading (one of READINGS); datagrams
    (True for UDP); the shares behind it, under the names of RunLoad.shares; and in_packet (payload
    of an IP packet that arrived [B]). `scenario` is the frozen one, with the rates of links."""
    ends = {
        gateway
        for cell in scenario.all_cells
        for tunnel in [scenario.settings(cell).tunnel]
        if tunnel
        for gateway in tunnel.gateways
    }
    rows = []
    for keys, load in run_loads.run_loads(tables, scenario):
        found = limit_of(load)
        reading = _reading(load, found, ends)
        read = {"reading": reading, "datagrams": load.datagrams}
        rows.append(keys | found._asdict() | read | load.shares())
    columns = [
        *run_loads.run_keys(tables),
        *LimitFinding._fields,
        "reading",
        "datagrams",
        *run_loads.RunLoad().shares(),
    ]
    carried = run_loads.payloads_of_packets(tables, scenario).rename("in_packet")
    return pd.DataFrame(rows, columns=columns).join(carried, on=run_loads.run_keys(tables))


def limit_of(load: run_loads.RunLoad) -> LimitFinding:
    """The limit of one run.

    A processor that the machine counts as busy all the time did not wait for the machine. A
    processor that only its guest counts as busy may have waited: a guest does not see when it is
    not running. If hosts have no more processors than the machine, the machine cannot be the limit.

    The link did not limit traffic that is dropped behind it, by IPsec or by a receiver that reads
    too slowly. A sender that loses more than a twentieth of its datagrams sends more than can pass:
    the limit is behind it, however busy it is.
    """
    if load.drops >= FEW_DROPS:
        return LimitFinding(DROPS)
    if load.unread >= FEW_DROPS:
        return LimitFinding(RECEIVER, load.receiver.host)
    if load.link >= FULL_LINK:
        return LimitFinding(LINK, load.link_at)
    hosts = {SENDER: load.sender, GATEWAY: load.gateway, RECEIVER: load.receiver}
    if load.lost > 1 - FULL_LINK:
        del hosts[SENDER]
    full = {role: host for role, host in hosts.items() if host.low >= FULL_PROCESSOR}
    crowded = load.crowded and load.machine.low >= FULL_PROCESSOR
    if crowded and (load.by_guests or not full):
        return LimitFinding(MACHINE)
    if full:
        role = max(full, key=lambda role: full[role].low)
        return LimitFinding(role, full[role].host)
    if load.core.low >= FULL_PROCESSOR:
        return LimitFinding(CORE, load.core.host)
    # Processors can be the limit though none is full, if each host waits for another, as in TCP:
    # one or another always works. Datagrams wait for nobody.
    possible = _possible(load, hosts)
    if not load.datagrams and not load.most_at_work < FULL_PROCESSOR:
        possible.append("hosts in turn")
    return LimitFinding(UNKNOWN, may_be=", ".join(possible)) if possible else LimitFinding(NOTHING)


def _possible(load: run_loads.RunLoad, hosts: Mapping[str, ShareBounds]) -> list[str]:
    """Limits that could not be excluded. A comparison with NaN, a share that was not counted, is
    false, so this limit stays possible."""
    left = [role for role, host in hosts.items() if not host.high < FULL_PROCESSOR]
    if not load.core.high < FULL_PROCESSOR:
        left.append(CORE)
    if load.crowded and not load.machine.high < FULL_PROCESSOR:
        left.append(MACHINE)
    return left


def _reading(load: run_loads.RunLoad, found: LimitFinding, ipsec_ends: set[str]) -> str:
    if load.emulated:  # an emulated processor has other costs than a real one
        return FUNCTION
    if load.virtual or found.limit in (DROPS, NOTHING):
        return PROTOCOL
    if found.limit in (LINK, GATEWAY) or found.where in ipsec_ends:
        return PERFORMANCE
    # If each host does the cryptography and has its own processor, it does not matter which of them
    # was the limit: both ends of the SA make the rate.
    hosts = {host.host for host in (load.sender, load.gateway, load.receiver) if host.host}
    if found.limit == UNKNOWN and hosts and hosts <= ipsec_ends and not load.crowded:
        return PERFORMANCE
    return FUNCTION


def shares(found: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Number of runs by limit and by reading: one row per combination of `by`, columns runs, then
    the limits and readings that occur. `found` is the table of `limits`."""
    groups = found.groupby(by, observed=True)
    table = groups.size().rename("runs").to_frame()
    for column, words in (("limit", LIMITS), ("reading", READINGS)):
        counts = groups[column].value_counts().unstack(fill_value=0)
        table = table.join(counts[[word for word in words if word in counts]])
    return table


def runs_of(found: pd.DataFrame, cells: pd.DataFrame, blocks: Collection[int]) -> pd.DataFrame:
    """The rows of `found`, a table of `limits`, of these cells and blocks; their index is the cell.
    `cells` has one row per cell, and a column for each fixed factor, `probe` and `campaign` among
    them if wanted."""
    wanted = set(cells.itertuples(index=False, name=None))
    of_runs = zip(*(found[factor].tolist() for factor in cells), strict=True)
    # A set is faster than a merge: this is called a hundred times for thousands of runs.
    chosen = pd.Series([levels in wanted for levels in of_runs], found.index, dtype=bool)
    return found[chosen & found["block"].isin(blocks)].set_index(list(cells))


def link_share(runs: pd.DataFrame) -> float:
    """Share of these runs (`runs_of`) that a link limited, 0 to 1; 0 without runs."""
    return float((runs["limit"] == LINK).sum() / max(len(runs), 1))


def hidden_cost(runs: pd.DataFrame) -> float:
    """How much more processor time one of the cells of these runs (`runs_of`) could have cost, at
    most, without a lower rate: the median `RunLoad.spare` of the runs that a link limited, in the
    cell with the highest. NaN if it was not counted."""
    spare = runs.loc[runs["limit"] == LINK, "spare"]
    return float(spare.groupby(level=spare.index.names, observed=True).median().max())


def only_datagrams(runs: pd.DataFrame) -> bool:
    """True if all payload of these runs (`runs_of`) went in UDP."""
    return bool(len(runs) and runs["datagrams"].all())


def unlike_packets(runs: pd.DataFrame, contrasted: tuple[str, ...]) -> str:
    """The reason not to compare costs of packets in these runs (`runs_of`); empty if there is none.
    Cells that differ only in the `contrasted` factors must carry equal payloads in a packet, in the
    median of their runs, to LIKE_PAYLOADS."""
    alike = [factor for factor in runs.index.names if factor not in contrasted]
    of_cells = runs["in_packet"].groupby(level=runs.index.names, observed=True).median()
    ends = of_cells.groupby(level=alike, observed=True).agg(["min", "max"])
    ends = ends[ends["max"] > LIKE_PAYLOADS * ends["min"]]
    if ends.empty:
        return ""
    worst = ends.loc[(ends["max"] / ends["min"]).idxmax()]
    apart, most = (100 * (one - 1) for one in (worst["max"] / worst["min"], LIKE_PAYLOADS))
    return str(_WORDS["unlike_packets"]).format(**worst, apart=apart, most=most)


def not_a_cost(runs: pd.DataFrame) -> str:
    """The reason not to compare costs in these runs (`runs_of`); empty if there is none. Runs that
    a link limited are not left out: the slow ones would stay, and sizes would differ."""
    held = (runs["limit"] == LINK).sum()
    return str(_WORDS["not_a_cost"]).format(held=held, runs=len(runs)) if held else ""


def not_performance(runs: pd.DataFrame) -> str:
    """Why a comparison of rates in these runs (`runs_of`) shows no cost; empty if it does, or if
    there are none. At most half of the runs of each cell may show function only: a difference can
    come from a few cells, and the others do not make their rates readable."""
    shown = runs["reading"] == FUNCTION
    of_cells = shown.groupby(level=runs.index.names, observed=True).mean()
    if not (bad := int((of_cells > 0.5).sum())):
        return ""
    words = ", ".join(f"{word} {n}" for word, n in runs.loc[shown, "limit"].value_counts().items())
    counts = {"bad": bad, "cells": len(of_cells), "shown": shown.sum(), "runs": len(runs)}
    return str(_WORDS["not_performance"]).format(**counts, function=FUNCTION, words=words)


def read_as_performance(summaries: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """The summaries (summaries.py) of trials whose runs of the probe are all read as performance.
    `found` is the table of `limits`, of the same campaign."""
    keys = [column for column in summaries if column in found]
    performance = (found["reading"] == PERFORMANCE).groupby([found[key] for key in keys]).all()
    return summaries.merge(performance[performance].index.to_frame(index=False), on=keys)
