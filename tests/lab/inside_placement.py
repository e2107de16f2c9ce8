"""Run inside a lab's namespaces: the cores of guests, as the machine's kernel says, as JSON.

    inside_placement.py BACKEND TOPOLOGY CPUS

CPUS is what a scenario would ask for; 0: it does not say.
"""

import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.affinity import prove_placement, usable_cores
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import Wanted
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

name, topology, cpus = sys.argv[1:]
backend = make_backend(name, 256, Wanted(int(cpus) or None))
backend.enter()
usable = usable_cores()
lab = Lab(load_topology(topology), backend)


def astray() -> list[dict]:
    """The checks that fail."""
    checks = prove_placement(lab.placement, processes, lambda file, content: None)
    return [asdict(check) for check in checks if not check.passed]


def threads() -> list[int]:
    found = []
    for process in tree(read_processes(), processes[host.name]):
        with suppress(FileNotFoundError):  # a process of the guest that ended meanwhile
            found += [int(task.name) for task in Path(f"/proc/{process}/task").iterdir()]
    return found


with lab as inventory:
    processes = {guest.name: guest.process for guest in lab.guests}
    host = inventory.hosts[-1]
    before = threads()
    found = {
        "guest": host.name,
        "placement": asdict(lab.placement),
        "usable": usable,
        "ours within": usable_cores(),
        "astray before": astray(),
    }
    Remote(host).start(["sleep", "60"], "/run/later")
    found |= {"new threads": len(set(threads()) - set(before)), "astray after": astray()}
    running = read_processes()
    known = {os.getpid(), *(pid for root in processes.values() for pid in tree(running, root))}
    found["of no guest"] = [one.line for pid, one in running.items() if pid not in known]
    # The first is the guest's own, and does not end meanwhile.
    moved, own = min(threads()), lab.placement.cores[host.name]
    os.sched_setaffinity(moved, usable if len(own) < len(usable) else usable[:1])
    found["astray then"] = astray()
    os.sched_setaffinity(moved, own)
    found["put back"] = astray()
found["ours behind"] = usable_cores()
print(json.dumps(found))
