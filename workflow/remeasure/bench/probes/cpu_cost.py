"""Processor time of an authentication, on every host that takes part.

An authentication here is a negotiation and the deletion of the SAs before it. The time of as many
requests that the initiator's daemon answers by itself is subtracted. A guest's time is the time of
its processes on the machine under it (testbed.watching.processor_time). Any other host gives the
time of its daemon (/proc/<pid>/stat, proc_pid_stat(5)). A guest would charge a whole tick of 10 ms
to the process that the tick interrupts, and count time at which it was not running, so that its
daemon may use more than the whole guest.
"""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.bench.ipsec import vici
from remeasure.bench.probes.base import Bench, LogError, Probe, control_of, sections, text_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.watching.processor_time import guest_ns, process_ms

_MARKS = ("begin", "idle", "authenticated")
_MARK = re.compile(r"=== ([a-z]+) ([1-9][0-9]*)")
_NS = "--- guest ns"
"""line before the time of a guest [ns]"""


class CpuCost(Probe):
    """`count` authentications, without the cost of a capture or a debug log."""

    kind: ClassVar = "cpu_cost"
    needs_machine: ClassVar = True
    meanings: ClassVar = MEANINGS["cpu_cost"]
    controls_tunnel: ClassVar = True

    count: int = Field(ge=1, le=10_000)
    """set-ups of an IKE_SA in one run"""

    def seconds(self) -> float:
        return 1 + 0.2 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        hosts = list(bench.remotes.values())
        texts = dict.fromkeys(bench.remotes, "")

        def read(mark: str) -> None:
            found = at_once(lambda remote: _read(remote, control.daemons), hosts)
            for host, text in zip(bench.remotes, found, strict=True):
                texts[host] += f"=== {mark} {self.count}\n{text}"

        # The first authentication loads everything that is loaded only once. It also leaves an SA,
        # which the first counted authentication deletes.
        control.authenticate(1)
        read(_MARKS[0])
        # As many requests to the initiator's daemon, without effect.
        control.initiator.run(vici.ask(self.count, "version", "version"))
        read(_MARKS[1])
        control.authenticate(self.count)
        read(_MARKS[2])
        for host, text in texts.items():
            bench.save(f"{stem}.{host}.txt", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        host = file.rsplit(".", 2)[1]
        parts = [*sections(file, text_lines(file, content), _MARK, "'=== <mark> <count>'")]
        if tuple(mark[1] for mark, _, _ in parts) != _MARKS:
            raise LogError(file, 1, f"{len(parts)} readings", f"{', '.join(_MARKS)}")
        begin, idle, end = (_times(own) for _, _, own in parts)
        mark, line, _ = parts[-1]
        for metric in end:
            spent = (end[metric] - idle[metric]) - (idle[metric] - begin[metric])
            yield Value(f"{host}_{metric}", spent / int(mark[2]), line - 1)


def _times(lines: list[str]) -> dict[str, float]:
    """Processor times in one reading [ms]: of daemons, and behind _NS of the whole guest."""
    at = lines.index(_NS) if _NS in lines else len(lines)
    daemons: list[float] = [process_ms(line) for line in lines[:at]]
    guest = [int(line) / 1e6 for line in lines[at + 1 :]]
    found = {"daemon_cpu": daemons, "cpu": guest}
    return {metric: sum(times) for metric, times in found.items() if times}


def _read(remote: Remote, daemons: Iterable[str]) -> str:
    if (guest := remote.host.process) is not None:
        return f"{_NS}\n{guest_ns(guest)}\n"
    numbers = "; ".join(f"pgrep -x {daemon}" for daemon in daemons)
    return remote.run(f"for p in $({numbers}); do cat /proc/$p/stat; done")
