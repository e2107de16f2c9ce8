"""Processor time of an authentication, on every host that takes part.

An authentication here is a negotiation and the deletion of the SAs before it. The time of as many
requests that the initiator's daemon answers by itself is subtracted. The time of a guest is that of
its processes on the machine under it (testbed.processor_time). Any other host is asked for the time
of its daemon (/proc/<pid>/stat, proc_pid_stat(5)). A guest is not: it charges a whole tick of 10 ms
to the process that the tick interrupts, and counts time at which it was not running, so that its
daemon may use more than the whole guest.

Logs of earlier software have both for a guest, and both in ticks.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import ClassVar

from pydantic import Field

from remeasure.ipsec.radius import DAEMON as RADIUS_DAEMON
from remeasure.probes.base import Bench, LogError, Probe, control_of, text_lines
from remeasure.probes.metrics import Metric, Metrics, Value
from remeasure.testbed.proc_stat import process_ms
from remeasure.testbed.processor_time import guest_ns
from remeasure.testbed.remote import Remote, at_once

_MARKS = ("begin", "idle", "authenticated")
_TICKS, _NS = "--- guest", "--- guest ns"
"""lines before the processes of a guest, as /proc/<pid>/stat, and before its time [ns]"""
_DAEMON = (
    f"for p in $(pgrep -x charon-systemd; pgrep -x {RADIUS_DAEMON}); do cat /proc/$p/stat; done"
)


class CpuCost(Probe):
    """`count` authentications, without the cost of a capture or a debug log."""

    kind: ClassVar = "cpu_cost"
    needs_machine: ClassVar = True
    metrics: ClassVar = Metrics(
        {
            "{host}_daemon_cpu": Metric(
                "ms",
                "processor time of strongSwan or FreeRADIUS for one authentication, as the host "
                "counts it; of a guest a biased sample, in logs of earlier software alone",
                signed=True,
            ),
            "{host}_cpu": Metric(
                "ms",
                "processor time of a whole guest of a lab for one authentication, on the machine "
                "under it",
                signed=True,
            ),
        }
    )
    controls_tunnel: ClassVar = True

    count: int = Field(ge=1)
    """set-ups of an IKE_SA in one run"""

    def seconds(self) -> float:
        return 1 + 0.2 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        hosts = list(bench.remotes.values())
        texts = dict.fromkeys(bench.remotes, "")

        def read(mark: str) -> None:
            for host, text in zip(bench.remotes, at_once(_read, hosts), strict=True):
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
        readings = list(_readings(file, text_lines(file, content)))
        if [mark for mark, _, _, _ in readings] != list(_MARKS):
            raise LogError(file, 1, f"{len(readings)} readings", f"{', '.join(_MARKS)}")
        _, count, line, _ = readings[-1]
        begin, idle, end = (values for _, _, _, values in readings)
        for metric in end:
            spent = (end[metric] - idle[metric]) - (idle[metric] - begin[metric])
            yield Value(f"{host}_{metric}", spent / count, line)


def _read(remote: Remote) -> str:
    guest = remote.host.process
    return remote.run(_DAEMON) if guest is None else f"{_NS}\n{guest_ns(guest)}\n"


def _of_ns(line: str) -> float:
    return int(line) / 1e6


def _readings(file: str, lines: list[str]) -> Iterator[tuple[str, int, int, dict[str, float]]]:
    """Yield mark, count, line number and values [ms] of each reading."""
    starts = [i for i, line in enumerate(lines) if line.startswith("=== ")]
    for start, end in pairwise([*starts, len(lines)]):
        values: dict[str, float] = {}
        read: Callable[[str], float]
        metric, read = "daemon_cpu", process_ms
        for number, line in enumerate(lines[start + 1 : end], start + 2):
            if line in (_TICKS, _NS):
                metric, read = "cpu", _of_ns if line == _NS else process_ms
                continue
            try:
                values[metric] = values.get(metric, 0) + read(line)
            except ValueError:
                expected = "ns" if read is _of_ns else "a line of /proc/<pid>/stat"
                raise LogError(file, number, line, expected) from None
        mark, count = lines[start].split()[1:3]
        yield mark, int(count), start + 1, values
