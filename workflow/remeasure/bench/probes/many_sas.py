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
"""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.errors import UserError
from remeasure.bench.ipsec.control import INITIATE_LIMIT_S, TunnelControl
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.ipsec.vici import LIMIT_S, timed
from remeasure.bench.probes.base import Bench, Probe, control_of
from remeasure.bench.probes.metrics import Value, declare
from remeasure.bench.probes.readers.many_log import PHASES, READ_AT, TIMED, read_host, read_times
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import PERL, fail, wait_until
from remeasure.bench.testbed.watching.processor_time import guest_ns

_NEED_KIB = 64
"""memory that a host must have per IKE_SA with its CHILD_SA [KiB]: about twice its size in virtual
time, because all SAs are there twice for 5 s after a rekeying"""
_SPARE_KIB = 16 * 1024
"""further memory that a host must have [KiB]"""
_BATCHES = 10
"""parts of the set-ups whose time is read"""
_READ = """\
p=$(pgrep -x charon-systemd) || { echo 'charon does not run any more' >&2; exit 1; }
grep VmRSS: /proc/$p/status
grep SUnreclaim: /proc/meminfo
swanctl --stats | grep -E '^(IKE_SAs|mallinfo)'
swanctl --counters --raw
ip xfrm state count
ip xfrm policy count
grep '^Udp: [0-9]' /proc/net/snmp
"""
_FREE = "awk '/^MemAvailable/ {print $2}' /proc/meminfo"
_PHASES = {
    "up": ("one set-up", "SAs were set up"),
    "rekey_ike": ("one rekeying of an IKE_SA", "IKE_SAs were rekeyed"),
    "rekey_child": ("one rekeying of a CHILD_SA", "CHILD_SAs were rekeyed"),
}
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


class ManySas(Probe):
    """As many IKE_SAs as the cell's tunnel counts."""

    kind: ClassVar = "many_sas"
    tools: ClassVar = PERL
    metrics: ClassVar = declare(
        {
            "set_up: delay [ms]": "mean time of a set-up, IKE_SA and CHILD_SA, of one part of the "
            "set-ups (index: the part, from 1)",
            "up: delay [ms]": "time of all set-ups, one after the other",
            "rekey_ike: delay [ms]": "first request until all IKE_SAs are rekeyed",
            "rekey_child: delay [ms]": "first request until all CHILD_SAs are rekeyed",
            **{
                f"{{host}}_cpu_{phase}: cost [ms], signed": "processor time of a guest of a lab "
                f"for {one}, without the cost of asking"
                for phase, (one, _) in _PHASES.items()
            },
            **{
                f"{{host}}_{memory}_{when}: size [KiB]": f"{what} {then}"
                for memory, what in _MEMORIES.items()
                for when, then in _WHEN.items()
            },
            **{
                f"{{host}}_overflows_{phase}: count [datagrams]": "datagrams lost at a host while "
                f"{all_were}, because the buffer of the socket for which they came was full"
                for phase, (_, all_were) in _PHASES.items()
            },
            "{host}_ike_sas: count [IKE_SAs]": "IKE_SAs of a host, once all are set up",
        }
    )
    controls_tunnel: ClassVar = True
    many_tunnels: ClassVar = True

    def seconds(self) -> float:
        return 15

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        count = control.tunnel.count or 0
        control.configure()
        hosts = control.gateways
        for remote in hosts.values():
            require_memory(remote.name, int(remote.run(_FREE)), count)
        texts, times = dict.fromkeys(hosts, ""), ""
        for phase in PHASES:
            before = _processor_times(hosts.values())
            if phase in TIMED:
                times += f"=== {phase} {count}\n{_do(control, phase, count)}"
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

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        if file.endswith(".times.txt"):
            return read_times(file, content)
        return read_host(file, content)

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that each end had as many IKE_SAs as the cell sets. The reader checks that all
        counts within a log belong to this number."""
        assert isinstance(tunnel, IpsecTunnel)
        found = {o.metric: int(o.value) for o in observed if o.metric.endswith("_ike_sas")}
        sas = {f"{name}: IKE_SAs at {host}": f"{host}_ike_sas" for host in tunnel.gateways}
        return [equal("ike-sa", what, found.get(of), tunnel.count) for what, of in sas.items()]


def _do(control: TunnelControl, phase: str, count: int) -> str:
    """The initiator's output of one phase."""
    batch = max(count // _BATCHES, 1)
    asked = {
        "idle": timed(count, count, "version"),
        "up": timed(
            count, batch, "initiate", "child=k", f"timeout={INITIATE_LIMIT_S * 1000}", "loglevel=-1"
        ),
        "rekeyed-ike": timed(count, count, "rekey", "ike=c", counter="ike-rekey-init"),
        "rekeyed-child": timed(count, count, "rekey", "child=k", counter="child-rekey"),
    }
    return control.explained(asked[phase], 60 + LIMIT_S + count)


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
    ike_sas, kernel = (0, 0) if phase in READ_AT["rest"] else (count, 2 * count)
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
