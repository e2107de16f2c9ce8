"""The cores that processes of this machine may run on: given to what is started, and read back.

A process inherits the cores of the thread that starts it, so a guest that was started on its cores
keeps to them with every thread and child that it has later.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from remeasure.bench.base.checks import Check
from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.placement import Placement
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

PROOF = "proof.placement.txt"
"""file of a trial: for each thread host, process, thread, cores that it may run on (in the form of
cpuset(7), List format) and program, separated by tabs"""
OURS = "(harness)"
"""stands in PROOF for the host where a thread is of our own process"""


def usable_cores() -> list[int]:
    """The cores that this process may use, by their numbers on this machine: all of them, or what
    it was given (taskset, a cpuset). They come in the order in which guests get them: one of each
    physical core first, then those that share it (hyper-threads)."""
    usable = os.sched_getaffinity(0)
    return in_order({core: _siblings(core) & usable for core in usable})


def in_order(siblings: Mapping[int, Collection[int]]) -> list[int]:
    """Cores, of which `siblings` says which ones share a physical core, in the order of
    `usable_cores`."""
    return sorted(siblings, key=lambda core: (sum(other < core for other in siblings[core]), core))


def _siblings(core: int) -> frozenset[int]:
    """Cores that share the physical core of this one, with itself."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    return read_cores(path.read_text().strip()) if path.exists() else frozenset({core})


@contextmanager
def starting_on(cores: Collection[int], what: str) -> Iterator[None]:
    """What this thread starts meanwhile may run on these cores alone. Raises UserError, which names
    `what` is started, if this process may use none of them."""
    before = os.sched_getaffinity(0)
    _give(0, cores, what)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def move_here(cores: Collection[int]) -> None:
    """Every thread of this process, and what they start from now on, may run on these cores alone.
    Raises UserError if this process may use none of them."""
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
    threads may run on its cores and on no others. What was read is handed to `keep`."""
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
    """The checks of what PROOF holds, one for each host and one for our own process. Raises
    ValueError if a line is malformed."""
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
