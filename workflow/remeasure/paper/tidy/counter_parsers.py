"""Parsers of counters: text of the command of each kind -> counter -> value. The kinds and their
commands are in testbed/watching/counters.py. data/README.md describes the counters."""

import json
import re
from collections.abc import Callable
from functools import lru_cache

from remeasure.bench.ipsec.sas import read_xfrm_stat, read_xfrm_state
from remeasure.bench.testbed.treatments.disciplines import WIRE
from remeasure.bench.testbed.watching.counters import MARK, PROTOCOLS_IPV6, SOFTNET
from remeasure.bench.testbed.watching.processor_time import TICK_MS, process_ms, read_processors

_QUEUE = re.compile(r"(\S+) ([a-z0-9_]*queue_?[0-9]+_packets): ([0-9]+)")
"""the form of a line of queues.txt"""


def read_protocols(text: str) -> dict[str, int]:
    """Counters of /proc/net/snmp, which has two lines per protocol: names, then values. Raises
    ValueError for lines of another form."""
    lines = text.splitlines()
    counters: dict[str, int] = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        counters |= _protocol(names, values)
    return counters


@lru_cache(maxsize=64)  # most protocols count nothing from one reading to the next
def _protocol(names: str, values: str) -> dict[str, int]:
    """Counters of one protocol, from its two lines."""
    (protocol, *columns), (same, *numbers) = names.split(), values.split()
    if protocol != same:
        raise ValueError(f"{values[:60]!r} behind {names[:60]!r}")
    prefix = protocol.removesuffix(":")
    return {prefix + name: int(n) for name, n in zip(columns, numbers, strict=True)}


def read_protocols_of_ipv6(text: str) -> dict[str, int]:
    """Counters of /proc/net/snmp6, a name and a value per line; zeros may be left out. Raises
    ValueError for lines of another form."""
    return {name: int(value) for name, value in map(str.split, text.splitlines())}


def _sa_counters(text: str) -> dict[str, int]:
    """Sums over the SAs of each direction, and for each processor with SAs of its own (RFC
    9611)."""
    counters: dict[str, int] = {}
    for sa in read_xfrm_state(text):
        kinds = [sa.direction] if sa.cpu is None else [sa.direction, f"{sa.direction}_cpu{sa.cpu}"]
        for name in (f"sa_{kind}_{what}" for kind in kinds for what in ("packets", "bytes")):
            counters[name] = counters.get(name, 0) + getattr(sa, name.rpartition("_")[2])
    return counters


def _link_counters(text: str) -> dict[str, int]:
    return {
        f"{link['ifname']}_{way}_{what}": link["stats64"][way][what]
        for link in json.loads(text)
        for way in ("rx", "tx")
        for what in ("packets", "bytes", "dropped")
    }


def _qdisc_counters(text: str) -> dict[str, int]:
    """Packets that each shaping discipline let pass and dropped. The drops of a root include its
    child's. A netem with the link's rate is called wire."""
    return {
        f"{qdisc['dev']}_{'wire' if is_wire else qdisc['kind']}_{what}": qdisc[field]
        for qdisc in json.loads(text)
        if qdisc["kind"] in ("netem", "tbf")
        for is_wire in [(qdisc["kind"], qdisc["handle"]) == ("netem", WIRE)]
        for what, field in (("packets", "packets"), ("dropped", "drops"))
    }


def _own_cpu(text: str) -> dict[str, int]:
    """Processor time as the host itself counts it, from the `cpu` line of /proc/stat."""
    return {"cpu_own_ms": TICK_MS * read_processors(text).busy}


_process_ms = lru_cache(maxsize=256)(process_ms)  # most processes of a guest only wait


def _process_cpu(text: str) -> dict[str, int]:
    """Processor time of the processes of a guest, from their /proc/<pid>/stat, one line each."""
    return {"cpu_ms": sum(map(_process_ms, text.splitlines()))}


def _softnet(text: str) -> dict[str, int]:
    """Packets of each processor, and packets that another one handed to it (RPS)."""
    counters = []
    for line in text.splitlines():
        fields = [int(field, 16) for field in line.split()]
        cpu = f"cpu{fields[12]}_received"
        counters += [(cpu, fields[0]), (f"{cpu}_rps", fields[9])]
    return dict(counters)


def _queues(text: str) -> dict[str, int]:
    """Packets of each queue, from lines '<interface> <rx or tx>_queue_<n>_packets: <packets>'."""
    counters = []
    for line in text.splitlines():
        match = _QUEUE.fullmatch(line)
        if not match:
            raise ValueError(f"{line[:60]!r}: expected packets of a queue")
        counters.append((f"{match[1]}_{match[2]}", int(match[3])))
    return dict(counters)


_READERS: dict[str, Callable[[str], dict[str, int]]] = {
    "xfrm-state.txt": _sa_counters,
    "xfrm-stat.txt": read_xfrm_stat,
    "link.json": _link_counters,
    "qdisc.json": _qdisc_counters,
    "snmp.txt": read_protocols,
    PROTOCOLS_IPV6: read_protocols_of_ipv6,
    "stat.txt": _own_cpu,
    "process.txt": _process_cpu,
    SOFTNET: _softnet,
    "queues.txt": _queues,
    # These kinds are judged while they are measured.
    **dict.fromkeys(("ike-sas.txt", "programs.txt"), lambda text: {}),
}


def read_counters(parts: dict[str, str]) -> dict[str, dict[str, int]]:
    """Counters of one host: kind of counters -> counter -> value, from the text of each kind.
    Raises ValueError naming the kind whose text has another form."""
    if not parts:
        raise ValueError(
            f"no counters; expected a line '{MARK}<kind>' before the counters of each kind"
        )
    found = {kind: _read(kind, text) for kind, text in parts.items()}
    if "stat.txt" in found and "process.txt" not in found:
        # Only a guest has a process on another machine; any other host counts its own time.
        found["process.txt"] = {"cpu_ms": found["stat.txt"]["cpu_own_ms"]}
    return found


@lru_cache(maxsize=128)  # three texts in ten are the same again after the next run
def _read(kind: str, text: str) -> dict[str, int]:
    try:
        return _READERS[kind](text)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        found = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        raise ValueError(f"{kind}: found {found}, expected counters as hosts print them") from None
