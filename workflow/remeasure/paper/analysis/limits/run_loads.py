"""How loaded links, hosts and the machine under them were during each run of a probe."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, nan
from operator import attrgetter
from typing import Any

import pandas as pd

from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.metrics import MetricKind
from remeasure.paper.analysis.limits.host_work import (
    IDLE,
    NOT_COUNTED,
    Run,
    ShareBounds,
    Work,
    shared_cores,
    spare,
    work_of_hosts,
)
from remeasure.paper.analysis.summaries import Tables, machine_time, of_kind

TRIAL = ["campaign", "block", "trial"]
ROLES = ("sender", "gateway", "receiver")
_TIMES = "cpu_run_us|cpu_ms"
_COUNTERS = rf"{_TIMES}|.*_tx_bytes|sa_in_packets|Xfrm(In|Out).*|UdpInDatagrams|UdpRcvbufErrors"
_USED: tuple[MetricKind, ...] = ("time", "rate", "payload", "loss", "share")
"""kinds of all metrics that are used, of tables with many others"""
_DROPPED = ("XfrmIn", "XfrmOut")
"""how counters of packets that IPsec dropped begin"""


@dataclass(frozen=True)
class RunLoad:
    """One run of a probe. A number that was not counted is NaN."""

    link: float = nan
    """bytes on the fullest link with a set rate over its capacity, 0 to 1"""
    link_at: str = ""
    """that link's interface, as <host>.<link>"""
    drops: float = 0.0
    """packets that IPsec dropped, over all it let in or dropped, 0 to 1"""
    lost: float = 0.0
    """UDP datagrams lost over offered, 0 to 1"""
    unread: float = 0.0
    """UDP datagrams that found the receiver's buffer full, over all that reached it, 0 to 1"""
    datagrams: bool = False
    """True if the payload goes in UDP, whose sender waits for nobody"""
    sender: ShareBounds = NOT_COUNTED
    """share of the time for which the host's busiest processor worked"""
    gateway: ShareBounds = NOT_COUNTED
    """processors of the busiest host between sender and receiver; 0 if there is none"""
    receiver: ShareBounds = NOT_COUNTED
    core: ShareBounds = IDLE
    """share of the time for which the busiest core that several hosts share worked for them; 0 if
    no hosts share one"""
    spare: float = nan
    """how much more the gateways of the tunnel could have worked for the same packets before a core
    of one was full, 0.1 is 10 %"""
    machine: ShareBounds = NOT_COUNTED
    """share of the processors of the machine under the hosts that worked, for hosts or for other
    programs; if `by_guests`, the share that guests wanted, which may exceed 1"""
    most_at_work: float = nan
    """number of processors of all hosts that worked, on average over the run, at most"""
    crowded: bool = False
    """True if hosts together have more processors than the machine under them"""
    by_guests: bool = False
    """True if hosts counted their time themselves; they do not know when they were not running"""
    emulated: bool = False
    """True if processors are emulated"""
    virtual: bool = False
    """True in virtual time, in which no processor is ever at work"""

    def shares(self) -> dict[str, float]:
        """Every number under a name: link_used, dropped, unread, lost, sender_low, ..."""
        bounds = {
            f"{role}_{bound}": getattr(getattr(self, role), bound)
            for role in (*ROLES, "core", "machine")
            for bound in ("low", "high")
        }
        numbers = {"link_used": self.link, "dropped": self.drops, "unread": self.unread}
        numbers |= {"lost": self.lost, "spare": self.spare}
        return numbers | bounds | {"most_at_work": self.most_at_work}


def run_keys(tables: Tables) -> list[str]:
    """The columns that name a run of a probe."""
    return [*TRIAL, *tables.factors, "probe", "repeat"]


def run_loads(tables: Tables, scenario: Scenario) -> Iterator[tuple[dict[str, Any], RunLoad]]:
    """Yield each run of a probe that measures a rate, as its keys (campaign, block, trial, factors,
    probe, repeat), and its load. `scenario` is the frozen one."""
    keys = run_keys(tables)
    trials = tables["trials"].drop_duplicates(TRIAL).set_index(TRIAL).to_dict("index")
    observed = tables["observations"]
    observed = observed[of_kind(observed["metric"], *_USED)]
    first = observed[observed["index"] == 0].drop_duplicates([*keys, "metric"])
    values = _by_run(first, keys, "metric", "value")
    of_seconds = observed[observed["metric"].str.endswith("_busy")]
    means = of_seconds.groupby([*keys, "metric"], observed=True)["value"].mean().reset_index()
    for key, busy in _by_run(means, keys, "metric", "value").items():
        values[key] |= busy
    counted = tables["counters"]
    counted = counted[counted["counter"].isin(_matching(counted["counter"], _COUNTERS))]
    of_time = counted["counter"].isin(_matching(counted["counter"], _TIMES))
    counted = pd.concat([counted[~of_time], machine_time(counted[of_time])])
    counted = counted.assign(name=counted["host"] + "." + counted["counter"])
    changes = _by_run(counted, keys, "name", "change")
    starting = _cheapest(counted, tables)
    timed = tables["runs"].melt(keys, ["seconds", "foreign"], "name").dropna(subset="value")
    noted = _by_run(timed, keys, "name", "value")
    for key, seen in values.items():
        levels = dict(zip(keys, key, strict=True))
        settings = scenario.settings({factor: levels[factor] for factor in tables.between})
        probe = _probe(settings, levels)
        if ends := probe.ends():
            trial = trials[key[:3]] | noted.get(key, {})
            alike = (levels["campaign"], levels["probe"], probe.kind, trial["guest_cpus"])
            start, changed = starting.get(alike, {}), changes.get(key, {})
            hosts = scenario.topology.hosts
            run = Run(probe, ends, settings, hosts, trial, seen, changed, start)
            yield levels, _load(run)


def arrived_packets(tables: Tables, scenario: Scenario) -> pd.DataFrame:
    """IP packets that reached the receiver of the payload in each run of a probe that measures a
    rate, on the links of the topology, without acknowledgements: columns campaign, block, trial,
    factors, probe, repeat, value. `scenario` is the frozen one."""
    counted = tables["counters"]
    counted = counted[counted["counter"].str.endswith("_rx_packets")]
    factors = [*tables.factors, "probe"]
    rows = []
    for levels in counted[factors].drop_duplicates().to_dict("records"):
        settings = scenario.settings({factor: levels[factor] for factor in tables.between})
        if ends := _probe(settings, levels).ends():
            links = scenario.topology.links_of(ends.receiver)
            rows += [
                levels | {"host": ends.receiver, "counter": f"{link}_rx_packets"} for link in links
            ]
    if not rows:
        return pd.DataFrame(columns=[*run_keys(tables), "value"])
    arrived = counted.merge(pd.DataFrame(rows, columns=[*factors, "host", "counter"]))
    groups = arrived.groupby(run_keys(tables), observed=True)["change"]
    return groups.sum().rename("value").reset_index()


def payloads_of_packets(tables: Tables, scenario: Scenario) -> pd.Series:
    """Payload that arrived over the IP packets of `arrived_packets` [B], by run."""
    keys = run_keys(tables)
    observed = tables["observations"]
    of_payload = observed[of_kind(observed["metric"], "payload")]
    payload = of_payload.groupby(keys, observed=True)["value"].sum()
    return payload / arrived_packets(tables, scenario).set_index(keys)["value"]


def _matching(names: pd.Series, pattern: str) -> list[str]:
    return [name for name in names.unique() if re.fullmatch(pattern, name)]


def _by_run(
    table: pd.DataFrame, keys: list[str], name: str, value: str
) -> dict[tuple[Any, ...], dict[str, float]]:
    """Key of a run -> name -> value."""
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    columns = [table[column] for column in (*keys, name, value)]
    for *key, label, number in zip(*columns, strict=True):
        found.setdefault(tuple(key), {})[label] = number
    return found


def _cheapest(counted: pd.DataFrame, tables: Tables) -> dict[tuple[Any, ...], dict[str, float]]:
    """Campaign, probe, tool, processors of all hosts -> <host>.cpu_ms -> least of any run [ms]."""
    runs = run_keys(tables)
    tools = tables["observations"][[*runs, "tool"]].drop_duplicates(runs)
    processors = tables["trials"][[*TRIAL, "guest_cpus"]].drop_duplicates(TRIAL)
    time = counted[counted["counter"] == "cpu_ms"].merge(tools, on=runs).merge(processors, on=TRIAL)
    alike = ["campaign", "probe", "tool", "guest_cpus"]
    least = time.groupby([*alike, "name"], observed=True)["change"].min()
    return _by_run(least.reset_index(), alike, "name", "change")


def _probe(settings: Settings, run: dict[str, Any]) -> Probe:
    """The probe of a run: of this name, at these levels of the factors within trials."""
    return next(
        probe
        for name, probe in settings.probes.items()
        if name.split(".")[0] == run["probe"]
        and all(run[factor] == level for factor, level in probe.levels.items())
    )


def _load(run: Run) -> RunLoad:
    link_at, link = _fullest_link(run)
    changes, trial, ends = run.changes, run.trial, run.ends
    dropped = sum(n for name, n in changes.items() if name.partition(".")[2].startswith(_DROPPED))
    passed = sum(n for name, n in changes.items() if name.endswith(".sa_in_packets"))
    unread, read = (
        changes.get(f"{ends.receiver}.{name}", 0.0)
        for name in ("UdpRcvbufErrors", "UdpInDatagrams")
    )
    work = work_of_hosts(run)
    between = [work[host].full for host in run.hosts if host not in (ends.sender, ends.receiver)]
    cores, bounds = shared_cores(run, work), attrgetter("low", "high")
    virtual, machine_cpus = trial["hosts"].startswith("virtual"), float(trial["machine_cpus"])
    return RunLoad(
        link=link,
        link_at=link_at,
        drops=_share(dropped, passed),
        unread=_share(unread, read),
        lost=run.measured("loss", 0.0) / 100 if ends.datagrams else 0.0,
        datagrams=ends.datagrams,
        sender=work[ends.sender].full,
        gateway=max(between, key=bounds, default=IDLE),
        receiver=work[ends.receiver].full,
        core=max(cores, key=bounds, default=IDLE),
        spare=spare(run.settings, work, cores),
        machine=_machine(run, work, machine_cpus),
        most_at_work=sum(w.most for w in work.values()),
        crowded=float(trial["guest_cpus"]) > machine_cpus and not virtual,
        by_guests=any(w.by_guest for w in work.values()),
        emulated=trial["hosts"] == "emulated",
        virtual=virtual,
    )


def _machine(run: Run, work: dict[str, Work], processors: float) -> ShareBounds:
    """The share of the machine's processors that hosts and other programs used."""
    foreign, seconds, idle = float(run.trial["foreign"]), run.seconds, run.idle
    # Work of other programs during traffic is known if they were watched during this run.
    watched = foreign * (seconds + idle) - idle if idle < inf else 0.0
    return ShareBounds(
        sum(w.least for w in work.values()) / processors + max(watched / seconds, 0.0),
        sum(w.most for w in work.values()) / processors + foreign,
    )


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part else 0.0


def _fullest_link(run: Run) -> tuple[str, float]:
    """The interface with the highest share of its set rate, and this share. A rate counts Ethernet
    headers, as interface counters do."""
    used = {
        place: run.changes[counter] * 8 / run.seconds / shaping.rate_bits
        for place, shaping in run.settings.shaping.items()
        for counter in [f"{place}_tx_bytes"]
        if shaping.rate_bits and counter in run.changes
    }
    fullest = max(used, key=lambda place: used[place], default="")
    return fullest, used.get(fullest, nan)
