"""How loaded links, hosts and the machine under them were during each run of a probe.

Processor time is read directly before and after a run (in blocks of earlier software, counters are,
some commands further away), so it covers more than the traffic: a tool starts and ends. Two bounds
follow for the processor time that a host spent on the traffic. At most it is all that was counted.
At least it is that less what the start and the end took. They took no more than the cheapest run of
the same probe did in all, and no more than all processors of the host in the time of the run that
was not traffic's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any

import pandas as pd

from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.probes.base import Ends, Probe
from remeasure.bench.probes.metrics import Kind
from remeasure.paper.analysis.cost import machine_time
from remeasure.paper.analysis.summaries import Tables, of_kind

TRIAL = ["campaign", "block", "trial"]
ROLES = ("sender", "gateway", "receiver")
_TIMES = "cpu_run_us|cpu_ms"
_COUNTERS = rf"{_TIMES}|.*_tx_bytes|sa_in_packets|Xfrm(In|Out).*|UdpInDatagrams|UdpRcvbufErrors"
_USED: tuple[Kind, ...] = ("time", "rate", "payload", "loss", "share")
"""kinds of all metrics that are used, of tables with many others"""
_DROPPED = ("XfrmIn", "XfrmOut")
"""how counters of packets that IPsec dropped begin"""


@dataclass(frozen=True)
class Share:
    """A share of the time of a run, 0 to 1, between two bounds; NaN if it was not counted."""

    low: float = nan
    high: float = nan
    host: str = ""


@dataclass(frozen=True)
class Load:
    """One run of a probe. A number that was not counted is NaN."""

    link: float = nan
    """bytes that the fullest link with a set rate carried, of those that it could have, 0 to 1"""
    link_at: str = ""
    """that link's interface, as <host>.<link>"""
    drops: float = 0.0
    """packets that IPsec dropped, of those that it let in or dropped, 0 to 1"""
    lost: float = 0.0
    """UDP datagrams that were lost, of those that were offered, 0 to 1"""
    unread: float = 0.0
    """UDP datagrams that reached the receiver and found its buffer full, of all that reached it, 0
    to 1"""
    datagrams: bool = False
    """True if the payload goes in UDP, whose sender waits for nobody"""
    sender: Share = Share()
    """share of the time for which the host's busiest processor worked"""
    gateway: Share = Share()
    """the same of the busiest host between sender and receiver; 0 if there is none"""
    receiver: Share = Share()
    core: Share = Share(0.0, 0.0)
    """share of the time for which the busiest core that several hosts share worked for them; 0 if
    no hosts share one"""
    spare: float = nan
    """by how much more the gateways of the tunnel could have worked for the same packets before a
    core of one was full, 0.1 is 10 %"""
    machine: Share = Share()
    """share of the processors of the machine under the hosts that worked, for them or for other
    programs; if `by_guests`, that they wanted, which may be more than 1"""
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


def run_loads(tables: Tables, scenario: Scenario) -> Iterator[tuple[dict[str, Any], Load]]:
    """Yield each run of a probe that measures a rate, as its keys (campaign, block, trial, factors,
    probe, repeat), and its load. `scenario` is the one that the campaign froze."""
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
        run = dict(zip(keys, key, strict=True))
        settings = scenario.settings({factor: run[factor] for factor in tables.between})
        probe = _probe(settings, run)
        if ends := probe.ends():
            trial = trials[key[:3]] | noted.get(key, {})
            alike = (run["campaign"], run["probe"], probe.kind, trial["guest_cpus"])
            start = starting.get(alike, {})
            hosts = scenario.topology.hosts
            yield run, _load(probe, ends, settings, hosts, trial, seen, changes.get(key, {}), start)


def arrived_packets(tables: Tables, scenario: Scenario) -> pd.DataFrame:
    """IP packets that reached the receiver of the payload in each run of a probe that measures a
    rate, on the links of the topology: columns campaign, block, trial, factors, probe, repeat,
    value. Acknowledgements go the other way and are not among them. `scenario` as of
    `run_loads`."""
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


def _load(
    probe: Probe,
    ends: Ends,
    settings: Settings,
    hosts: list[str],
    trial: dict[str, Any],
    seen: dict[str, float],
    changes: dict[str, float],
    start: dict[str, float],
) -> Load:
    """The load of one run. `trial`: what is known of its trial, and of the run where that was
    noted; `seen`: metric -> value; `changes`: <host>.<counter> -> change; `start`: <host>.cpu_ms ->
    the least of any run."""
    seconds = _seconds(probe, seen)
    idle = max(trial["seconds"] - seconds, 0) if "seconds" in trial else inf
    link_at, link = _fullest_link(settings, changes, seconds)
    dropped = sum(n for name, n in changes.items() if name.partition(".")[2].startswith(_DROPPED))
    passed = sum(n for name, n in changes.items() if name.endswith(".sa_in_packets"))
    guests, virtual = float(trial["guest_cpus"]), trial["hosts"] == "virtual"
    work = _work_of_hosts(probe, ends, hosts, trial, seconds, idle, seen, changes, start)
    between = [work[host].full for host in hosts if host not in (ends.sender, ends.receiver)]
    busiest = max(between, key=lambda full: (full.low, full.high), default=Share(0.0, 0.0))
    cores = _shared_cores(trial, work, idle / seconds)
    machine = float(trial["machine_cpus"])
    # What others used while there was traffic is known if they were watched during this run.
    watched = trial["foreign"] * (seconds + idle) - idle if idle < inf else 0.0
    others = max(watched / seconds, 0.0)
    return Load(
        link=link,
        link_at=link_at,
        drops=_share(dropped, passed),
        unread=_share(
            changes.get(f"{ends.receiver}.UdpRcvbufErrors", 0.0),
            changes.get(f"{ends.receiver}.UdpInDatagrams", 0.0),
        ),
        lost=_seen(probe, "loss", seen, 0.0) / 100 if ends.datagrams else 0.0,
        datagrams=ends.datagrams,
        sender=work[ends.sender].full,
        gateway=busiest,
        receiver=work[ends.receiver].full,
        core=max(cores, key=lambda core: (core.low, core.high), default=Share(0.0, 0.0)),
        spare=_spare(settings, work, cores),
        machine=Share(
            sum(w.least for w in work.values()) / machine + others,
            sum(w.most for w in work.values()) / machine + float(trial["foreign"]),
        ),
        most_at_work=sum(w.most for w in work.values()),
        crowded=guests > machine and not virtual,
        by_guests=any(w.by_guest for w in work.values()),
        emulated=trial["hosts"] == "emulated",
        virtual=virtual,
    )


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part else 0.0


def _seconds(probe: Probe, seen: dict[str, float]) -> float:
    """Time from the first payload to the last [s]; of a tool that does not tell, the time for which
    it was asked to send."""
    lasted = _seen(probe, "time", seen)
    megabits, rate = _seen(probe, "payload", seen) * 8e-6, _seen(probe, "rate", seen)
    if isnan(lasted) and megabits >= 0 and rate:
        lasted = megabits / rate
    return getattr(probe, "duration", nan) if isnan(lasted) else lasted


def _seen(probe: Probe, kind: Kind, seen: dict[str, float], otherwise: float = nan) -> float:
    """The value of the first metric of a kind that the probe declares and a run gave."""
    of_kind = (name for name, metric in probe.metrics.items() if metric.kind == kind)
    return next((seen[name] for name in of_kind if name in seen), otherwise)


def _fullest_link(
    settings: Settings, changes: dict[str, float], seconds: float
) -> tuple[str, float]:
    """The interface whose set rate was used most, and the share used. A rate counts Ethernet
    headers, as the counters of an interface do."""
    used = {
        place: changes[counter] * 8 / seconds / shaping.rate_bits
        for place, shaping in settings.shaping.items()
        for counter in [f"{place}_tx_bytes"]
        if shaping.rate_bits and counter in changes
    }
    fullest = max(used, key=lambda place: used[place], default="")
    return fullest, used.get(fullest, nan)


@dataclass(frozen=True)
class _Work:
    """Processors of one host that worked, on average over a run."""

    least: float = nan
    most: float = nan
    full: Share = Share()
    """share for which its busiest processor worked"""
    by_guest: bool = False


def _work(
    host: str,
    processors: float,
    seconds: float,
    idle: float,
    seen: dict[str, float],
    changes: dict[str, float],
    start: dict[str, float],
) -> _Work:
    """The work of a host with this number of processors: by mpstat where the probe ran it, which
    counts while traffic flows; else by the processor time that the machine under it counted.
    `seconds`: duration of the traffic; `idle`: of the rest of the run; infinite if it is not known
    [s]. `start` is empty if the host also works on a log of the traffic after it."""
    if f"{host}_busy" in seen:
        mean = seen[f"{host}_busy"] / 100
        each = [v / 100 for name, v in seen.items() if name.startswith(f"{host}_cpu")]
        busiest = max(each, default=mean)
        at_work = processors * mean
        return _Work(at_work, at_work, Share(busiest, busiest, host), by_guest=True)
    name = f"{host}.cpu_ms"
    if name not in changes:
        return _Work(full=Share(host=host))
    most = changes[name] / 1000 / seconds
    other = min(start.get(name, inf) / 1000, processors * idle)
    least = max(most - other / seconds, 0.0)
    # Some processor worked at least as long as their mean, and none longer than all of them.
    return _Work(least, most, Share(min(least / processors, 1), min(most, 1), host))


def _shared_cores(trial: dict[str, Any], work: dict[str, _Work], idle: float) -> list[Share]:
    """Each core that hosts of a trial share; `idle`: time of a run that was not traffic's, over its
    traffic's time."""
    shared = []
    for hosts in filter(None, trial.get("shared_cores", "").split(", ")):
        least, most = (
            sum(getattr(work[host], bound) for host in hosts.split()) for bound in ("least", "most")
        )
        shared.append(Share(min(max(least, most - idle), 1), min(most, 1), hosts))
    return shared


def _spare(settings: Settings, work: dict[str, _Work], cores: list[Share]) -> float:
    """`Load.spare`, from the least that hosts worked; NaN if no gateway was counted."""
    left = [
        (1 - core.low) / work[gateway].least
        for gateway in (settings.tunnel.gateways if settings.tunnel else ())
        for core in [next((c for c in cores if gateway in c.host.split()), work[gateway].full)]
        if work[gateway].least > 0
    ]
    return min(left, default=nan)


def _work_of_hosts(
    probe: Probe,
    ends: Ends,
    hosts: list[str],
    trial: dict[str, Any],
    seconds: float,
    idle: float,
    seen: dict[str, float],
    changes: dict[str, float],
    start: dict[str, float],
) -> dict[str, _Work]:
    """How much each host worked in a run of `seconds`; the other arguments as of `_load`."""
    if trial["hosts"] == "namespaces":  # of one kernel: no host has processor time of its own
        return {host: _Work(full=Share(host=host)) for host in hosts}
    if trial["hosts"] == "virtual":
        # The guest counts ticks in which its clock was read, and calls them work.
        return {host: _Work(full=Share(0.0, 0.0, host), least=0.0, most=0.0) for host in hosts}
    guests = float(trial["guest_cpus"])
    each = guests / len(hosts)
    if trial["hosts"] == "machines":  # they may differ: the most that one of them can have
        each = guests - len(hosts) + 1
    return {
        host: _work(host, each, seconds, idle, seen, changes, {} if reads_log else start)
        for host in hosts
        # Where a run was timed by itself, nothing that comes after it is in its time.
        for reads_log in [probe.reads_log and "seconds" not in trial and host == ends.receiver]
    }
