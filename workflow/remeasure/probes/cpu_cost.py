"""Processor time of an authentication, on every host that takes part.

An authentication here is a negotiation and the deletion of the SAs before it. What as many requests
took that the initiator's daemon answers by itself is subtracted. A guest's time is what the machine
under it knows of the guest's processes; a daemon's is what its host knows (/proc/<pid>/stat,
proc_pid_stat(5)). Both come in ticks of 10 ms, and a User Mode Linux guest charges each tick whole
to whoever it meets, so the time of a daemon is a sample.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import ClassVar

from pydantic import Field

from remeasure.ipsec.radius import DAEMON as RADIUS_DAEMON
from remeasure.probes.base import Bench, LogError, Observation, Probe, text_lines
from remeasure.testbed.proc_stat import process_ms, process_tree
from remeasure.testbed.remote import Remote, at_once

_MARKS = ("begin", "idle", "authenticated")
_GUEST = "--- guest\n"
_DAEMON = (
    f"for p in $(pgrep -x charon-systemd; pgrep -x {RADIUS_DAEMON}); do cat /proc/$p/stat; done"
)


class CpuCost(Probe):
    """`count` authentications without anything that watches them."""

    kind: ClassVar = "cpu_cost"
    controls_tunnel: ClassVar = True

    count: int = Field(ge=1)

    def seconds(self) -> float:
        return 1 + 0.2 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = bench.tunnel
        hosts = list(bench.remotes.values())
        texts = dict.fromkeys(bench.remotes, "")

        def read(mark: str) -> None:
            for host, text in zip(bench.remotes, at_once(_read, hosts), strict=True):
                texts[host] += f"=== {mark} {self.count}\n{text}"

        # Everything that is needed for the first time is loaded now, and an SA is up that does not
        # end by itself before the first authentication deletes it.
        control.authenticate(1)
        read(_MARKS[0])
        control.idle(self.count)
        read(_MARKS[1])
        control.authenticate(self.count)
        read(_MARKS[2])
        for host, text in texts.items():
            bench.save(f"{stem}.{host}.txt", text)

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """<host>_daemon_cpu and, of a lab's guest, <host>_cpu (ms for one authentication)."""
        host = file.rsplit(".", 2)[1]
        readings = list(_readings(file, text_lines(file, content)))
        if [mark for mark, _, _, _ in readings] != list(_MARKS):
            raise LogError(file, 1, f"{len(readings)} readings", f"{', '.join(_MARKS)}")
        _, count, line, _ = readings[-1]
        begin, idle, end = (values for _, _, _, values in readings)
        for metric in end:
            spent = (end[metric] - idle[metric]) - (idle[metric] - begin[metric])
            yield Observation(f"{host}_{metric}", spent / count, "ms", line)


def _read(remote: Remote) -> str:
    text = remote.run(_DAEMON)
    guest = remote.host.process
    return text if guest is None else text + _GUEST + process_tree(guest)


def _readings(file: str, lines: list[str]) -> Iterator[tuple[str, int, int, dict[str, float]]]:
    """Mark, count, line number and values (ms) of each reading."""
    starts = [i for i, line in enumerate(lines) if line.startswith("=== ")]
    for start, end in pairwise([*starts, len(lines)]):
        values: dict[str, float] = {}
        metric = "daemon_cpu"
        for number, line in enumerate(lines[start + 1 : end], start + 2):
            if line == _GUEST.strip():
                metric = "cpu"
                continue
            try:
                values[metric] = values.get(metric, 0) + process_ms(line)
            except ValueError:
                raise LogError(file, number, line, "a line of /proc/<pid>/stat") from None
        mark, count = lines[start].split()[1:3]
        yield mark, int(count), start + 1, values
