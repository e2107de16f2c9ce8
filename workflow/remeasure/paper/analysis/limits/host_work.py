"""Work of the hosts' processors during a run of a probe.

Processor time is read directly before and after a run (in blocks of earlier software, a few
commands further away), so it covers more than the traffic: a tool starts and ends. Two bounds
follow for the traffic's processor time. At most it is all counted time. At least it is the counted
time less start and end. Start and end took no more than the cheapest run of the same probe in all,
and no more than all processors of the host could work while no traffic flowed.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan, nan
from typing import Any

from remeasure.bench.campaign.settings import Settings
from remeasure.bench.probes.base import Ends, Probe
from remeasure.bench.probes.metrics import MetricKind


@dataclass(frozen=True)
class ShareBounds:
    """A share of the time of a run, 0 to 1, between two bounds; NaN if it was not counted."""

    low: float = nan
    high: float = nan
    host: str = ""


NOT_COUNTED = ShareBounds()
IDLE = ShareBounds(0.0, 0.0)


@dataclass(frozen=True)
class Run:
    """One run of a probe that measures a rate."""

    probe: Probe
    ends: Ends
    settings: Settings
    hosts: list[str]
    """all hosts of the topology"""
    trial: dict[str, Any]
    """all that is known of its trial, and of the run if noted"""
    seen: dict[str, float]
    """metric -> value"""
    changes: dict[str, float]
    """<host>.<counter> -> change"""
    start: dict[str, float]
    """<host>.cpu_ms -> the least of any run [ms]"""

    @cached_property
    def seconds(self) -> float:
        """Time from the first payload to the last [s]; for a tool that does not print it, the time
        for which it was asked to send."""
        lasted, rate = self.measured("time"), self.measured("rate")
        megabits = self.measured("payload") * 8e-6
        if isnan(lasted) and megabits >= 0 and rate:
            lasted = megabits / rate
        return getattr(self.probe, "duration", nan) if isnan(lasted) else lasted

    @property
    def idle(self) -> float:
        """Time of the run without traffic [s]; infinite if it is not known."""
        return max(self.trial["seconds"] - self.seconds, 0) if "seconds" in self.trial else inf

    def measured(self, kind: MetricKind, otherwise: float = nan) -> float:
        """The value of the first metric of a kind that the probe declares and the run gave."""
        of_kind = (name for name, metric in self.probe.metrics.items() if metric.kind == kind)
        return next((self.seen[name] for name in of_kind if name in self.seen), otherwise)


@dataclass(frozen=True)
class Work:
    """Average number of processors of one host that worked during a run."""

    least: float = nan
    most: float = nan
    full: ShareBounds = NOT_COUNTED
    """share for which its busiest processor worked"""
    by_guest: bool = False


def _work(run: Run, host: str, processors: float) -> Work:
    """The work of a host with this number of processors: by mpstat if the probe ran it, which
    counts while traffic flows; else by processor time on the machine under the host."""
    if f"{host}_busy" in run.seen:
        mean = run.seen[f"{host}_busy"] / 100
        each = [v / 100 for name, v in run.seen.items() if name.startswith(f"{host}_cpu")]
        busiest = max(each, default=mean)
        at_work = processors * mean
        return Work(at_work, at_work, ShareBounds(busiest, busiest, host), by_guest=True)
    name = f"{host}.cpu_ms"
    if name not in run.changes:
        return Work(full=ShareBounds(host=host))
    most = run.changes[name] / 1000 / run.seconds
    # A receiver also reads its log after the traffic, unless the run was timed by itself.
    reads_log = run.probe.reads_log and "seconds" not in run.trial and host == run.ends.receiver
    start = inf if reads_log else run.start.get(name, inf) / 1000
    least = max(most - min(start, processors * run.idle) / run.seconds, 0.0)
    # Some processor worked at least as long as their mean, and none longer than all of them.
    return Work(least, most, ShareBounds(min(least / processors, 1), min(most, 1), host))


def work_of_hosts(run: Run) -> dict[str, Work]:
    kind = run.trial["hosts"]
    if kind == "namespaces":  # hosts of one kernel have no processor time of their own
        return {host: Work(full=ShareBounds(host=host)) for host in run.hosts}
    if kind.startswith("virtual"):
        # The guest counts ticks in which its clock was read, and calls them work.
        return {host: Work(0.0, 0.0, ShareBounds(0.0, 0.0, host)) for host in run.hosts}
    guests = float(run.trial["guest_cpus"])
    # Machines may differ: this is the most that one of them can have.
    each = guests - len(run.hosts) + 1 if kind == "machines" else guests / len(run.hosts)
    return {host: _work(run, host, each) for host in run.hosts}


def shared_cores(run: Run, work: dict[str, Work]) -> list[ShareBounds]:
    """Each core that hosts of a trial share."""
    shared = []
    for hosts in filter(None, run.trial.get("shared_cores", "").split(", ")):
        least, most = (
            sum(getattr(work[host], bound) for host in hosts.split()) for bound in ("least", "most")
        )
        least = max(least, most - run.idle / run.seconds)
        shared.append(ShareBounds(min(least, 1), min(most, 1), hosts))
    return shared


def spare(settings: Settings, work: dict[str, Work], cores: list[ShareBounds]) -> float:
    """How much more the gateways of the tunnel could have worked before a core of one was full, by
    the least that hosts worked; NaN if no gateway was counted."""
    left = [
        (1 - core.low) / work[gateway].least
        for gateway in (settings.tunnel.gateways if settings.tunnel else ())
        for core in [next((c for c in cores if gateway in c.host.split()), work[gateway].full)]
        if work[gateway].least > 0
    ]
    return min(left, default=nan)
