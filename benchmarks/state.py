"""Measure what it costs a trial to ask whether its hosts are what they were.

    env/run python benchmarks/state.py [TIMES]

Four guests of the lab are asked at the same time, as in a trial, and answer as they would in one:
their settings are as expected, so none is printed. Keep the machine idle. It takes a minute.
"""

import statistics
import sys
import time
from collections.abc import Callable

from remeasure.lab.backends import make_backend
from remeasure.lab.lab import Lab
from remeasure.lab.namespace import enter
from remeasure.measure.foreign import Foreign, started_by
from remeasure.probes import PROBES
from remeasure.testbed.remote import Remote, at_once
from remeasure.testbed.treatments.treatment import prove
from remeasure.testbed.watching.clock_rate import read_clocks
from remeasure.testbed.watching.counters import read_host
from remeasure.testbed.watching.settled import ask_settled, settled_provers
from remeasure.topology import load_topology


def milliseconds(times: int, action: Callable[[], object]) -> str:
    """Median time of an action, and the longest [ms], in words."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - start))
    return f"{statistics.median(taken):.0f} ms, at the longest {max(taken):.0f} ms"


def main(times: int = 20) -> None:
    enter()
    topology = load_topology("site-to-site")
    with Lab(topology, make_backend("uml", 256)) as inventory:
        remotes = {role: Remote(inventory.host(role)) for role in topology.hosts}
        settled = {role: ask_settled(remote) for role, remote in remotes.items()}
        ping = PROBES["ping"](source="client1", target="client2", count=1, interval=1)

        def counters() -> dict[str, str]:
            return dict(zip(remotes, at_once(read_host, remotes.values()), strict=True))

        before, after = counters(), counters()

        def look() -> None:
            foreign = Foreign(settled, started_by([ping]), None, topology, {})
            foreign.look("ping", ping, None, before, after)

        for what, action in {
            "a command that does nothing": lambda: at_once(
                lambda remote: remote.run("true"), remotes.values()
            ),
            "whether hosts are as before, once a trial": lambda: list(
                prove(settled_provers(settled), remotes, lambda *_: None)
            ),
            "what their clocks show, twice a trial": lambda: read_clocks(remotes),
            "a reading of counters, with what runs, once a run": counters,
            "looking at two readings, once a run": look,
        }.items():
            print(f"{what}: {milliseconds(times, action)}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
