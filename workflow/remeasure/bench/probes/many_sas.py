"""Many IKE_SAs between two gateways: set up one after the other, then all rekeyed.

The daemons are started again, and have no SA. The initiator asks its daemon over its control socket
from one process. Both hosts are read between the phases, never during one:

    rest            no SA
    idle            as many requests that the daemon answers by itself: the cost of asking
    up              all IKE_SAs, each with its CHILD_SA
    rekeyed-ike     all IKE_SAs rekeyed, asked for without waiting in between
    rekeyed-child   all CHILD_SAs rekeyed likewise; read at once, while old SAs are still there
    settled         old SAs are gone

In virtual time computing takes no time: there is no processor time, and times are the network's.

A log of the state of each host, and one of the times:

    === up 100                                           phase, IKE_SAs of the cell
    guest ns 8812345678 9012345678                       processor time before and after the phase
    VmRSS:     22424 kB                                  /proc/<pid>/status of charon
    SUnreclaim:       8592 kB                            /proc/meminfo
    IKE_SAs: 100 total, 0 half-open                      swanctl --stats
    mallinfo: sbrk 2277376, mmap 0, used 1551728, free 725648
    counters reply {counters { {ike-rekey-init=0 ...     swanctl --counters --raw
         SAD count 200                                   ip xfrm state count
         SPD IN  100 OUT 100 FWD 100                     ip xfrm policy count
    Udp: 402 1 0 403 0 0 0 0 0                           /proc/net/snmp

    === up 100
    asked 10 56700000                                   requests answered, time since the first [ns]
    ...
    counted 100 330100000                                charon's counter, time since the first [ns]

The log of a host begins with its reading before any SA; the log of times has only the initiator.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import ClassVar

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.errors import UserError
from remeasure.bench.ipsec.control import INITIATE_LIMIT_S
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.ipsec.vici import LIMIT_S, timed
from remeasure.bench.probes.base import (
    Bench,
    LogError,
    Probe,
    control_of,
    match_line,
    sections,
    text_lines,
)
from remeasure.bench.probes.metrics import Value
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import PERL, fail, program, wait_until
from remeasure.bench.testbed.watching.processor_time import guest_ns

_MEASURED = {
    "up": ("up", "one set-up", "SAs were set up"),
    "rekeyed-ike": ("rekey_ike", "one rekeying of an IKE_SA", "IKE_SAs were rekeyed"),
    "rekeyed-child": ("rekey_child", "one rekeying of a CHILD_SA", "CHILD_SAs were rekeyed"),
}
"""phase -> prefix of its metrics, and what is done in it"""
_TIMED = ("idle", *_MEASURED)
"""phases in which requests are made"""
_PHASES = ("rest", *_TIMED, "settled")
_WITHOUT = ("rest", "idle")
"""phases without an SA"""
_NEED_KIB, _SPARE_KIB = 64, 16 * 1024
"""memory that a host must have per IKE_SA with its CHILD_SA, and besides [KiB]: about twice its
size in virtual time, because all SAs are there twice for 5 s after a rekeying"""
_BATCHES = 10
"""parts of the set-ups whose time is read"""
_READ = program("read-many.sh")
_FREE = "awk '/^MemAvailable/ {print $2}' /proc/meminfo"
_MEMORIES = {
    "rss": "resident memory of strongSwan",
    "heap": "memory that strongSwan has allocated (mallinfo)",
    "slab": "memory of the kernel's own objects, which hosts of one kernel share,",
}
_WHEN = {
    "rest": "without an SA",
    "up": "with all SAs",
    "peak": "right after all CHILD_SAs were rekeyed, while the kernel has the old SAs, too",
    "settled": "after all was rekeyed and the old SAs are gone",
}
"""when memory is read: after the phase of this name, or `rekeyed-child`"""


_MARK = re.compile(rf"=== ({'|'.join(_PHASES)}) ([1-9][0-9]*)")
_READING = re.compile(
    r"(?:guest ns (?P<before>[0-9]+) (?P<after>[0-9]+)\n)?"
    r"VmRSS:\s+(?P<rss>[0-9]+) kB\n"
    r"SUnreclaim:\s+(?P<slab>[0-9]+) kB\n"
    r"IKE_SAs: (?P<ike>[0-9]+) total, 0 half-open\n"
    r"mallinfo: sbrk [0-9]+, mmap (?P<mapped>[0-9]+), used (?P<used>[0-9]+), free [0-9]+\n"
    r"counters reply \{counters \{ \{ike-rekey-init=(?P<started>[0-9]+) "
    r"ike-rekey-resp=(?P<answered>[0-9]+) child-rekey=(?P<children>[0-9]+) [a-z0-9= -]+\}\} "
    r"success=yes\}\n"
    r"\s+SAD count [0-9]+\n"
    r"\s+SPD IN  (?P<into>[0-9]+) OUT (?P<out>[0-9]+) FWD (?P<forward>[0-9]+)\n"
    r"Udp: [0-9]+ [0-9]+ [0-9]+ [0-9]+ (?P<overflows>[0-9]+)(?: [0-9]+)*"
)


def _read_host(file: str, content: bytes) -> Iterator[Value]:
    """Yield the values of one host. Raises LogError, also for counts that are not the cell's."""
    host, readings, spent, count = file.rsplit(".", 2)[1], {}, {}, 1
    for phase, count, line, own in _sections(file, content, _PHASES):
        match = match_line(_READING, file, line, "\n".join(own), "a reading of a host")
        of = {name: int(number) for name, number in match.groupdict().items() if number}
        if "after" in of:
            line, spent[phase] = line + 1, of["after"] - of["before"]
        readings[phase] = line, of
        found = [of["ike"], of["into"], of["out"], of["forward"]]
        found += [of["started"] + of["answered"], of["children"]]
        there = 0 if phase in _WITHOUT else count
        rekeyed = [count if phase in _PHASES[first:] else 0 for first in (3, 4)]
        if found != (wanted := [there] * 4 + rekeyed):
            what = "IKE_SAs, policies in, out and forward, rekeyed IKE_SAs and CHILD_SAs"
            raise LogError(file, line, f"{found} after {phase}", f"{wanted}: {what}")
    for when in _WHEN:
        line, of = readings["rekeyed-child" if when == "peak" else when]
        yield Value(f"{host}_rss_{when}", of["rss"], line)
        yield Value(f"{host}_slab_{when}", of["slab"], line)
        yield Value(f"{host}_heap_{when}", (of["mapped"] + of["used"]) / 1024, line)
    line, of = readings["up"]
    yield Value(f"{host}_ike_sas", of["ike"], line)
    for before, after in pairwise(_TIMED):
        line, of = readings[after]
        lost = of["overflows"] - readings[before][1]["overflows"]
        yield Value(f"{host}_overflows_{_MEASURED[after][0]}", lost, line)
    for phase, (name, *_) in _MEASURED.items() if spent else ():
        cost = (spent[phase] - spent["idle"]) / count / 1e6
        yield Value(f"{host}_cpu_{name}", cost, readings[phase][0])


def _read_times(file: str, content: bytes) -> Iterator[Value]:
    """Yield the times of the initiator's requests. Raises LogError, also if some are missing."""
    for phase, count, first, own in _sections(file, content, _TIMED):
        counted = phase.startswith("rekeyed")
        times = [(0, 0)]  # requests answered, or counted as done; time since the first [ns]
        words = ["asked"] * (len(own) - counted) + ["counted"] * counted
        for number, (line, word) in enumerate(zip(own, words, strict=True), first):
            form = re.compile(f"{word} ([0-9]+) ([0-9]+)")
            match = match_line(form, file, number, line, f"'{word} <requests> <ns>'")
            times.append((int(match[1]), int(match[2])))
        asked = times[:-1] if counted else times
        if (asked[-1][0], times[-1][0]) != (count, count):
            raise LogError(file, first, f"{[one for one, _ in times]} requests", f"{count}")
        if phase == "up":
            for index, (before, part) in enumerate(pairwise(asked), 1):
                mean = (part[1] - before[1]) / (part[0] - before[0]) / 1e6
                yield Value("set_up", mean, first + index - 1, index)
        if phase in _MEASURED:
            yield Value(_MEASURED[phase][0], times[-1][1] / 1e6, first + len(own) - 1)


def _sections(
    file: str, content: bytes, phases: tuple[str, ...]
) -> Iterator[tuple[str, int, int, list[str]]]:
    """Each phase with the number of IKE_SAs, and its lines with the number of the first one."""
    expected = f"phases {', '.join(phases)}, of one number"
    parts = [*sections(file, text_lines(file, content), _MARK, expected)]
    names, counts = [head[1] for head, _, _ in parts], {head[2] for head, _, _ in parts}
    if names != list(phases) or len(counts) != 1:
        raise LogError(file, 1, ", ".join(names), expected)
    for head, first, own in parts:
        yield head[1], int(head[2]), first, own


class ManySas(Probe):
    """As many IKE_SAs as the cell's tunnel counts."""

    kind: ClassVar = "many_sas"
    tools: ClassVar = PERL
    meanings: ClassVar = {
        "set_up: delay [ms]": "mean time of a set-up, IKE_SA and CHILD_SA, of one part of the "
        "set-ups (index: the part, from 1)",
        "up: delay [ms]": "time of all set-ups, one after the other",
        "rekey_ike: delay [ms]": "first request until all IKE_SAs are rekeyed",
        "rekey_child: delay [ms]": "first request until all CHILD_SAs are rekeyed",
        **{
            f"{{host}}_cpu_{name}: cost [ms], signed": "processor time of a guest of a lab "
            f"for {one}, without the cost of asking"
            for name, one, _ in _MEASURED.values()
        },
        **{
            f"{{host}}_{memory}_{when}: size [KiB]": f"{what} {then}"
            for memory, what in _MEMORIES.items()
            for when, then in _WHEN.items()
        },
        **{
            f"{{host}}_overflows_{name}: count [datagrams]": "datagrams lost at a host while "
            f"{all_were}, because the buffer of the socket for which they came was full"
            for name, _, all_were in _MEASURED.values()
        },
        "{host}_ike_sas: count [IKE_SAs]": "IKE_SAs of a host, once all are set up",
    }
    controls_tunnel: ClassVar = True
    many_tunnels: ClassVar = True
    readers: ClassVar = {".times.txt": _read_times, "": _read_host}

    def seconds(self) -> float:
        return 15

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        count = control.tunnel.count or 0
        control.configure()
        hosts = control.gateways
        for remote in hosts.values():
            require_memory(remote.name, int(remote.run(_FREE)), count)
        batch, limit = max(count // _BATCHES, 1), f"timeout={INITIATE_LIMIT_S * 1000}"
        asked = {
            "idle": timed(count, count, "version"),
            "up": timed(count, batch, "initiate", "child=k", limit, "loglevel=-1"),
            "rekeyed-ike": timed(count, count, "rekey", "ike=c", counter="ike-rekey-init"),
            "rekeyed-child": timed(count, count, "rekey", "child=k", counter="child-rekey"),
        }
        texts, times = dict.fromkeys(hosts, ""), ""
        for phase in _PHASES:
            before = _processor_times(hosts.values())
            if phase in asked:
                done = control.explained(asked[phase], 60 + LIMIT_S + count)
                times += f"=== {phase} {count}\n{done}"
            after = _processor_times(hosts.values())
            if phase != "rekeyed-child":
                at_once(partial(_wait_for_number, phase, count), hosts.values())
            read = at_once(lambda remote: remote.run(_READ), hosts.values())
            for name, first, last, text in zip(hosts, before, after, read, strict=True):
                spent = f"guest ns {first} {last}\n" if first is not None else ""
                texts[name] += f"=== {phase} {count}\n{spent}{text}"
        for name, text in texts.items():
            bench.save(f"{stem}.{name}.txt", text)
        bench.save(f"{stem}.times.txt", times)

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that each end had as many IKE_SAs as the cell sets. The reader checks that all
        counts within a log belong to this number."""
        assert isinstance(tunnel, IpsecTunnel)
        found = {o.metric: int(o.value) for o in observed if o.metric.endswith("_ike_sas")}
        sas = {f"{name}: IKE_SAs at {host}": f"{host}_ike_sas" for host in tunnel.gateways}
        return [equal("ike-sa", what, found.get(of), tunnel.count) for what, of in sas.items()]


def require_memory(host: str, free_kib: int, count: int) -> None:
    """Raises UserError if a host has too little free memory for so many SAs."""
    needed = count * _NEED_KIB + _SPARE_KIB
    if free_kib < needed:
        raise UserError(
            f"{host}: found {free_kib // 1024} MiB of free memory, expected {needed // 1024} MiB "
            f"for {count} IKE_SAs; give hosts more (memory_mib of the testbed), or ask for fewer "
            "(tunnel.count)"
        )


def _wait_for_number(phase: str, count: int, remote: Remote) -> None:
    """Wait until a host has exactly its SAs. Old SAs of the kernel go 5 s after a rekeying
    (charon.delete_rekeyed_delay)."""
    ike_sas, kernel = (0, 0) if phase in _WITHOUT else (count, 2 * count)
    there = (
        f"swanctl --stats | grep -q '^IKE_SAs: {ike_sas} total, 0 half-open' && "
        f"ip xfrm state count | grep -qw 'SAD count {kernel}'"
    )
    said = f"found {ike_sas} IKE_SAs and {kernel} SAs of the kernel, expected others after: {phase}"
    remote.run(wait_until(there, fail(said), steps=100, pause_s=0.2), timeout=60)


def _processor_times(remotes: Iterable[Remote]) -> list[int | None]:
    """Processor time of each guest until now [ns]; None for a host that is not a guest of this
    machine, or is one in virtual time."""
    roots = [remote.host.process for remote in remotes]
    return [None if root is None else guest_ns(root) for root in roots]
