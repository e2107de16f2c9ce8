"""Which cores of this machine each guest of a lab runs on.

Unpinned guests are the noise of every rate that no link limits. So each guest keeps its cores: its
own where there are enough, else cores that it shares with its neighbours in the path of the links:

    2 cores   client1, gw1 | gw2, client2        initiator | responder, aaa        left | right
    3 cores   client1 | gw1 | gw2, client2

A packet then stays on one core until it crosses the link between two groups, and the two gateways
of a tunnel, which work at the same time, take nothing from each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from remeasure.bench.base.errors import UserError

if TYPE_CHECKING:  # the command line reads the names of back ends, and is to start at once
    from remeasure.bench.base.topology import Topology

Rule = Literal["pinned", "wandering", "together"]
"""pinned: each guest keeps its cores, as said above; `wandering`: guests run on all usable cores;
together: all hosts run on the same cores, as many as each has processors"""
Choice = Literal["pinned", "wandering"]
"""what a testbed may choose; `together` is for hosts that count the processors of this machine"""
Kind = Literal["given", "own", "side by side", "shared", "wandering", "together"]


@dataclass(frozen=True)
class Placement:
    """The cores of this machine, by number, that guests and our own process may run on."""

    kind: Kind
    """given: as the topology says; own: no guest shares a core; side by side: neighbours share one;
    shared: all guests share one; `wandering`, together: as for Rule"""
    cores: Mapping[str, tuple[int, ...]]
    """host of the topology -> cores of its guest"""
    harness: tuple[int, ...]
    """cores of our own process, with SSH and the relay of the control network: those that no guest
    has, or all usable cores where guests have all of them"""


def place(topology: Topology, usable: Sequence[int], cpus: int, rule: Rule) -> Placement:
    """The placement of guests with `cpus` processors each on the cores `usable`, which this process
    may use, in the order in which guests get them (numbers of the machine).

    `cores` of the topology is for guests of one processor. A guest of several has as many cores of
    its own; where there are not enough, all guests are unpinned. Raises UserError if the topology
    names a core that is not there.
    """
    hosts = path_of(topology)
    everywhere = dict.fromkeys(hosts, tuple(sorted(usable)))
    if rule == "wandering":
        return _placement("wandering", everywhere, usable)
    if rule == "together":
        first = tuple(sorted(usable)[:cpus])
        return _placement("together", dict.fromkeys(hosts, first), usable)
    if topology.cores and cpus == 1:
        _require_cores(topology, usable)
        given = {host: (usable[topology.cores[host]],) for host in hosts}
        return _placement("given", given, usable)
    if len(usable) >= cpus * len(hosts):
        own = {host: tuple(usable[i * cpus : (i + 1) * cpus]) for i, host in enumerate(hosts)}
        return _placement("own", own, usable)
    if cpus > 1:
        return _placement("wandering", everywhere, usable)
    grouped = {host: (usable[_group(i, len(hosts), len(usable))],) for i, host in enumerate(hosts)}
    return _placement("side by side" if len(usable) > 1 else "shared", grouped, usable)


def path_of(topology: Topology) -> list[str]:
    """All hosts in the order of a walk along the links, from a host that has one link only, if
    there is one. Neighbours in a row of hosts are neighbours in this order."""
    ends = [host for host in topology.hosts if len(topology.links_of(host)) == 1]
    path: list[str] = []
    waiting = [*reversed(topology.hosts), *reversed(ends)]
    while waiting:
        host = waiting.pop()
        if host not in path:
            path.append(host)
            joined = [other for link in topology.links_of(host) for other in topology.links[link]]
            waiting += reversed(joined)
    return path


def advice(placement: Placement) -> str | None:
    """What a person should know before guests of this placement measure, in one line; None where
    there is nothing to say."""
    if placement.kind != "shared":
        return None
    (core,) = placement.harness
    return (
        f"lab: this process may use one core of the machine (core {core}), so all guests share it "
        "and what one of them uses is missing to the others; give it more cores (taskset, cpuset), "
        "or write `placement: wandering` into the file of the testbed if one core is meant"
    )


def _placement(
    kind: Kind, cores: Mapping[str, tuple[int, ...]], usable: Sequence[int]
) -> Placement:
    taken = {core for own in cores.values() for core in own}
    spare = set(usable) - taken
    return Placement(kind, cores, tuple(sorted(spare or usable)))


def _group(index: int, hosts: int, groups: int) -> int:
    """Group, from 0, of the host at `index` of a path that is cut into groups of neighbours. Where
    they cannot be of equal size, the later ones are larger."""
    return groups - 1 - (hosts - 1 - index) * groups // hosts


def _require_cores(topology: Topology, usable: Sequence[int]) -> None:
    wrong = [f"{host} {core}" for host, core in topology.cores.items() if core >= len(usable)]
    if wrong:
        there = f"{len(usable)} core{'s' if len(usable) > 1 else ''}"
        raise UserError(
            f"topology {topology.name}: cores: found {', '.join(wrong)}; this process may use "
            f"{there} of the machine ({', '.join(map(str, usable))}), counted from 0, so expected "
            f"at most {len(usable) - 1}; change config/topologies/{topology.name}.yaml, give this "
            "process more cores, or write `placement: wandering` into the file of the testbed"
        )
