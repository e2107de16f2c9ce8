"""Guests keep to their cores, with every thread and child; one that does not is found."""

import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest
from cases import cases
from real_guests import run_inside

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.image import is_built
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.placement import (
    OURS,
    Placement,
    check_placement,
    in_order,
    prove_placement,
    usable_cores,
)
from remeasure.bench.lab.testbeds import LabTestbed
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import Wanted
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

TWO = Placement("own", {"left": (0,), "right": (1, 2)}, (3,))
PROOF = f"""\
left\t70\t70\t0\tlinux
left\t70\t71\t0\tlinux
right\t80\t80\t1-2\tlinux
{OURS}\t1\t1\t3\tremeasure
"""


@pytest.mark.parametrize(
    ("physical", "order"),
    [
        ([{0}, {1}, {2}], [0, 1, 2]),
        ([{0, 1}, {2, 3}], [0, 2, 1, 3]),
        ([{0, 2}, {1, 3}], [0, 1, 2, 3]),
        ([{3, 4}, {5}], [3, 5, 4]),
    ],
)
def test_one_core_of_each_physical_core_comes_first(physical, order):
    assert in_order({core: together for together in physical for core in together}) == order


@pytest.mark.parametrize(
    ("before", "after", "said"), cases(__file__, "a_thread_elsewhere_is_found")
)
def test_a_thread_elsewhere_is_found(before, after, said):
    assert before in PROOF
    failed = [str(c) for c in check_placement(TWO, PROOF.replace(before, after)) if not c.passed]
    assert len(failed) == 1 and failed[0].startswith(said)


def place_inside(name: str, topology: str, cpus: str) -> dict:
    """The cores of guests in the view of the machine's kernel."""
    backend = LabTestbed(name="lab", backend=name).backend_for(Wanted(int(cpus) if cpus else None))
    backend.enter()
    usable = usable_cores()
    lab = Lab(load_topology(topology), backend)

    def astray() -> list[dict]:
        checks = prove_placement(lab.placement, processes, lambda file, content: None)
        return [asdict(check) for check in checks if not check.passed]

    with lab as inventory:
        processes = {guest.name: guest.process for guest in lab.guests}
        host = inventory.hosts[-1]
        before, found = threads_of(processes[host.name]), {"guest": host.name}
        within = usable_cores() == [*lab.placement.harness]
        found["astray before"] = astray()
        Remote(host).start(["sleep", "60"], "/run/later")
        after = threads_of(processes[host.name])
        found |= {"new": len({*after} - {*before}), "astray after": astray()}
        running = read_processes()
        known = {os.getpid(), *(pid for root in processes.values() for pid in tree(running, root))}
        found["of no guest"] = [one.line for pid, one in running.items() if pid not in known]
        # The first is the guest's own, and does not end meanwhile.
        moved, own = min(after), lab.placement.cores[host.name]
        os.sched_setaffinity(moved, usable if len(own) < len(usable) else usable[:1])
        found["astray then"] = astray()
    return found | {"ours": [within, usable_cores() == usable]}


def threads_of(guest: int) -> list[int]:
    found = []
    for process in tree(read_processes(), guest):
        with suppress(FileNotFoundError):  # a process of the guest that ended meanwhile
            found += [int(task.name) for task in Path(f"/proc/{process}/task").iterdir()]
    return found


needs_smp = pytest.mark.skipif(
    not is_built("smp"), reason="env/guest/kernel/build smp makes it, in 6 min"
)


@pytest.mark.lab
@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="on one core no thread can be elsewhere"
)
@pytest.mark.parametrize(
    ("backend", "topology", "cpus"),
    [("uml", "site-to-site", ""), pytest.param("uml-smp", "host-to-host", "2", marks=needs_smp)],
)
def test_guests_keep_to_their_cores(project, backend, topology, cpus):
    found = run_inside(project, place_inside, backend, topology, cpus)
    for when in ("astray before", "astray after"):
        assert found[when] == [], when
    assert found["of no guest"] == [], "what runs in the lab's namespaces is proven"
    (moved,) = found["astray then"]
    assert moved["kind"] == "placement" and moved["name"].startswith(found["guest"])
    assert found["ours"] == [True, True]
    assert found["new"], "a thread was started meanwhile"
