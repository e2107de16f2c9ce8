"""Which cores of this machine each guest of a lab runs on.

Unpinned guests are the noise of every rate that no link limits. Each guest therefore keeps its
cores: its own if there are enough, else cores that it shares with its neighbours in the path of the
links:

    2 cores   client1, gw1 | gw2, client2        initiator | responder, aaa        left | right
    3 cores   client1 | gw1 | gw2, client2

A packet then stays on one core until it crosses the link between two groups, and the two gateways
of a tunnel, which work at the same time, take nothing from each other.

A process inherits the cores of the thread that starts it. A guest started on its cores keeps to
them with all later threads and children. A trial proves that.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from remeasure.bench.base.checks import Check
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.watching.heartbeat import OURS
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

Rule = Literal["pinned", "wandering", "together"]
"""pinned: each guest keeps its cores (see above); `wandering`: guests run on all usable cores;
together: all hosts run on the same cores, as many as each has processors"""
PlacementChoice = Literal["pinned", "wandering"]
"""a testbed's choices; `together` is for hosts that count the processors of this machine"""
PlacementKind = Literal["own", "side by side", "shared", "wandering", "together"]
PROOF = "proof.placement.txt"
"""file of a trial: for each thread host, process, thread, cores that it may run on (in the form of
cpuset(7), List format) and program, separated by tabs"""


class Placement(NamedTuple):
    """The cores of this machine, by number, that guests and our own process may run on."""

    kind: PlacementKind
    """own: no guest shares a core; side by side: neighbours share one; shared: all guests share
    one; `wandering`, together: as for Rule"""
    cores: Mapping[str, tuple[int, ...]]
    """host of the topology -> cores of its guest"""
    harness: tuple[int, ...]
    """cores of our own process, with SSH and the relay of the control network: cores without a
    guest, or all usable cores if guests have all of them"""


def place(topology: Topology, usable: Sequence[int], cpus: int, rule: Rule) -> Placement:
    """The placement of guests with `cpus` processors each on the cores `usable`, which this process
    may use, in the order in which guests get them (numbers of the machine). Guests of several
    processors are unpinned if there are not enough cores for all of them."""
    hosts = path_of(topology)
    kind: PlacementKind = "wandering"
    cores = dict.fromkeys(hosts, tuple(sorted(usable)))
    if rule == "together":
        kind, cores = "together", dict.fromkeys(hosts, tuple(sorted(usable)[:cpus]))
    elif rule == "pinned" and len(usable) >= cpus * len(hosts):
        kind = "own"
        cores = {host: tuple(usable[i * cpus : (i + 1) * cpus]) for i, host in enumerate(hosts)}
    elif rule == "pinned" and cpus == 1:
        kind = "side by side" if len(usable) > 1 else "shared"
        # Groups of neighbours in the path, later ones larger if sizes cannot be equal.
        cores = {
            host: (usable[-1 - to_end * len(usable) // len(hosts)],)
            for to_end, host in zip(reversed(range(len(hosts))), hosts, strict=True)
        }
    spare = set(usable) - {core for own in cores.values() for core in own}
    return Placement(kind, cores, tuple(sorted(spare or usable)))


def path_of(topology: Topology) -> list[str]:
    """All hosts in the order of a walk along the links, from a host with one link only, if there is
    one. Hosts next to each other in a row stay next to each other."""
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


def usable_cores() -> list[int]:
    """The cores that this process may use, by their numbers on this machine: all of them, or a
    given set (taskset, a cpuset), in the order in which guests get them: one of each physical core
    first, then cores that share it (hyper-threads)."""
    usable = os.sched_getaffinity(0)
    return in_order({core: _siblings(core) & usable for core in usable})


def in_order(siblings: Mapping[int, Collection[int]]) -> list[int]:
    """Cores in the order of `usable_cores`; `siblings`: core -> cores of the same physical core."""
    return sorted(siblings, key=lambda core: (sum(other < core for other in siblings[core]), core))


def _siblings(core: int) -> frozenset[int]:
    """Cores that share the physical core of this one, with itself."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    return read_cores(path.read_text().strip()) if path.exists() else frozenset({core})


@contextmanager
def starting_on(cores: Collection[int], what: str) -> Iterator[None]:
    """Processes started by this thread meanwhile may run only on these cores. Raises UserError
    naming `what` is started if this process may use none of them."""
    before = os.sched_getaffinity(0)
    _give(0, cores, what)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def move_here(cores: Collection[int]) -> None:
    """Restrict every thread of this process, and their later children, to these cores. Raises
    UserError if this process may use none of them."""
    for thread in _threads_of("self"):
        with suppress(ProcessLookupError):  # it ended meanwhile
            _give(thread, cores, "this process")


def _threads_of(process: str) -> list[int]:
    return sorted(int(task.name) for task in Path(f"/proc/{process}/task").iterdir())


def _give(thread: int, cores: Collection[int], what: str) -> None:
    try:
        os.sched_setaffinity(thread, cores)
    except ProcessLookupError:
        raise
    except OSError as error:
        wanted = ", ".join(map(str, sorted(cores)))
        raise UserError(
            f"lab: {what} may not run on core {wanted} of the machine ({error.strerror}); look at "
            "the cpuset of this process, or write `placement: wandering` into the file of the "
            "testbed"
        ) from None


def prove_placement(
    placement: Placement, guests: Mapping[str, int], keep: Callable[[str, bytes], None]
) -> Iterable[Check]:
    """Check for every guest (host -> PID of its kernel), and for our own process, that each of its
    threads may run on its cores and on no others. The text read is handed to `keep`."""
    processes = read_processes()
    text = "".join(
        f"{host}\t{thread}\n"
        for host, root in guests.items()
        for process in tree(processes, root)
        for thread in _threads(process)
    )
    text += "".join(f"{OURS}\t{thread}\n" for thread in _threads(os.getpid()))
    keep(PROOF, text.encode())
    return check_placement(placement, text)


def check_placement(placement: Placement, text: str) -> list[Check]:
    """The checks of PROOF, one per host and one for our own process. Raises ValueError if a line is
    malformed."""
    found: dict[str, list[tuple[frozenset[int], str]]] = {}
    for line in text.splitlines():
        host, _process, thread, cores, program = line.split("\t")
        found.setdefault(host, []).append((read_cores(cores), f"{program} {thread}"))
    expected = dict(placement.cores) | {OURS: placement.harness}
    return [_check(host, frozenset(own), found.get(host, [])) for host, own in expected.items()]


def _check(host: str, expected: frozenset[int], threads: list[tuple[frozenset[int], str]]) -> Check:
    astray = [f"{program} on {_written(cores)}" for cores, program in threads if cores != expected]
    more = f" and {len(astray) - 3} more" if len(astray) > 3 else ""
    place = _written(expected)
    found = f"{', '.join(astray[:3])}{more}" if astray else place if threads else "no thread"
    passed = bool(threads) and not astray
    return Check("placement", f"{host}: cores of {len(threads)} threads", passed, found, place)


def _threads(process: int) -> Iterator[str]:
    """For each thread of a process: process, thread, cores, program, separated by tabs."""
    tasks = Path(f"/proc/{process}/task")
    with suppress(FileNotFoundError, ProcessLookupError):  # the process ended meanwhile
        for thread in _threads_of(str(process)):
            with suppress(FileNotFoundError, ProcessLookupError):
                lines = (tasks / str(thread) / "status").read_text().splitlines()
                fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
                yield f"{process}\t{thread}\t{fields['Cpus_allowed_list']}\t{fields['Name']}"


def read_cores(text: str) -> frozenset[int]:
    """The cores of a list in the form of cpuset(7), List format: '0-2,5'. Raises ValueError if it
    is malformed."""
    ranges = (part.partition("-") for part in text.split(",")) if text else ()
    return frozenset(
        core for first, _, last in ranges for core in range(int(first), int(last or first) + 1)
    )


def _written(cores: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(cores)))
