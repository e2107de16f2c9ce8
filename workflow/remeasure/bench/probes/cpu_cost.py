"""Processor time of an authentication, on every host that takes part.

An authentication here is a negotiation and the deletion of the SAs before it. The time of as many
requests that the initiator's daemon answers by itself is subtracted. The time of a guest is the
time of its processes on the machine under it (testbed.watching.processor_time). Any other host is
asked for the time of its daemon (/proc/<pid>/stat, proc_pid_stat(5)). A guest is not: it charges a
whole tick of 10 ms to the process that the tick interrupts, and counts time at which it was not
running, so that its daemon may use more than the whole guest.

Logs of earlier software have both for a guest, and both in ticks.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, NamedTuple

from pydantic import Field

from remeasure.bench.probes.base import Bench, LogError, Probe, control_of, text_lines
from remeasure.bench.probes.metrics import Metric, Metrics, Value
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.watching.processor_time import guest_ns, process_ms

_MARKS = ("begin", "idle", "authenticated")
_MARK = re.compile(r"=== ([a-z]+) ([1-9][0-9]*)")
_WHOLE = re.compile("[0-9]+")
_TICKS, _NS = "--- guest", "--- guest ns"
"""lines before the processes of a guest, as /proc/<pid>/stat, and before its time [ns]"""


class CpuCost(Probe):
    """`count` authentications, without the cost of a capture or a debug log."""

    kind: ClassVar = "cpu_cost"
    needs_machine: ClassVar = True
    metrics: ClassVar = Metrics(
        {
            "{host}_daemon_cpu": Metric(
                "ms",
                "processor time of strongSwan or RADIUS server for one authentication, as the host "
                "counts it; of a guest a biased sample, in logs of earlier software alone",
                "cost",
                signed=True,
            ),
            "{host}_cpu": Metric(
                "ms",
                "processor time of a whole guest of a lab for one authentication, on the machine "
                "under it",
                "cost",
                signed=True,
            ),
        }
    )
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
        control.idle(self.count)
        read(_MARKS[1])
        control.authenticate(self.count)
        read(_MARKS[2])
        for host, text in texts.items():
            bench.save(f"{stem}.{host}.txt", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        host = file.rsplit(".", 2)[1]
        readings = _readings(file, text_lines(file, content))
        if [reading.mark for reading in readings] != list(_MARKS):
            raise LogError(file, 1, f"{len(readings)} readings", f"{', '.join(_MARKS)}")
        begin, idle, end = (reading.values for reading in readings)
        for metric in end:
            spent = (end[metric] - idle[metric]) - (idle[metric] - begin[metric])
            yield Value(f"{host}_{metric}", spent / readings[-1].authentications, readings[-1].line)


def ask_times(daemons: Iterable[str]) -> str:
    """Lines for a shell that print /proc/<pid>/stat of each of the daemons that run."""
    numbers = "; ".join(f"pgrep -x {daemon}" for daemon in daemons)
    return f"for p in $({numbers}); do cat /proc/$p/stat; done"


def _read(remote: Remote, daemons: Sequence[str]) -> str:
    guest = remote.host.process
    return remote.run(ask_times(daemons)) if guest is None else f"{_NS}\n{guest_ns(guest)}\n"


class _Reading(NamedTuple):
    """What one reading of a host says."""

    mark: str
    authentications: int
    """of the run"""
    line: int
    values: dict[str, float]
    """metric, without its host -> processor time [ms]"""


def _of_ns(line: str) -> float:
    if not _WHOLE.fullmatch(line):
        raise ValueError(line)
    return int(line) / 1e6


def _readings(file: str, lines: list[str]) -> list[_Reading]:
    """Raises LogError."""
    readings: list[_Reading] = []
    metric = "daemon_cpu"
    read: Callable[[str], float] = process_ms
    for number, line in enumerate(lines, 1):
        if head := _MARK.fullmatch(line):
            readings.append(_Reading(head[1], int(head[2]), number, {}))
            metric, read = "daemon_cpu", process_ms
        elif not readings:
            raise LogError(file, number, line, "'=== <mark> <count>'")
        elif line in (_TICKS, _NS):
            metric, read = "cpu", _of_ns if line == _NS else process_ms
        else:
            try:
                values = readings[-1].values
                values[metric] = values.get(metric, 0) + read(line)
            except ValueError:
                expected = "ns" if read is _of_ns else "a line of /proc/<pid>/stat"
                raise LogError(file, number, line, expected) from None
    return readings
