"""What programs cost the processor of a guest, asked when a session begins.

A bound in seconds is right for one machine only. What a slower one needs for the same programs says
how much it must be given. The programs are those that probes run: a command over SSH, with a ping,
and the echo requests that it sends.
"""

from collections.abc import Mapping
from typing import NamedTuple

from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.watching.processor_time import host_time, read_processes

_STARTS, _ECHOES = 5, 100
"""so many that ticks of ended programs, at most two, matter little"""


class ProgramCost(NamedTuple):
    """Processor time of programs on one guest."""

    start_ns: float
    """of one command [ns]"""
    echo_ns: float
    """of one echo request [ns]"""


def program_costs(
    remotes: Mapping[str, Remote], processes: Mapping[str, int]
) -> dict[str, ProgramCost]:
    """Role -> cost, of guests whose programs are told from their kernel. All are asked at the same
    time. `processes`: role -> PID of the guest's first process. Raises CommandFailed,
    HostUnreachable."""
    starts = _used(remotes, processes, _STARTS, 1)
    echoes = _used(remotes, processes, 1, _ECHOES)
    return {
        role: ProgramCost(start := used / _STARTS, max(echoes[role] - start, 0) / _ECHOES)
        for role, used in starts.items()
    }


def _used(
    remotes: Mapping[str, Remote], processes: Mapping[str, int], times: int, count: int
) -> dict[str, int]:
    """Role -> processor time of `times` pings of `count` requests to the guest itself [ns]."""
    command = f"ping -n -D -O -c {count} -i 0.002 127.0.0.1"
    before = read_processes()
    at_once(lambda remote: [remote.run(command) for _ in range(times)], remotes.values())
    after = read_processes()
    used = {role: host_time(before, after, process) for role, process in processes.items()}
    return {
        role: one["user_ns"]
        for role, one in used.items()
        if one is not None and one["user_ns"] is not None
    }
