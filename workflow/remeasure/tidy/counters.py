"""Parsers of counters: the text that the command of each kind printed -> counter -> value.

The kinds and their commands are in testbed/counters.py. data/README.md describes the counters.
"""

import json
from functools import lru_cache

from remeasure.ipsec.sas import read_xfrm_stat, read_xfrm_state
from remeasure.testbed.counters import MARK, SAS
from remeasure.testbed.disciplines import WIRE
from remeasure.testbed.proc_stat import TICK_MS, process_ms, read_processors

_LIMIT = 2**63


def _sa_counters(text: str) -> dict[str, int]:
    """Sums over the SAs of each direction; also for each processor, where it has SAs of its own
    (RFC 9611)."""
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
    """Packets that each queueing discipline which shapes an interface let pass and dropped. The
    drops of a root include those of its child. A netem that has the link's rate is called wire."""
    return {
        f"{qdisc['dev']}_{_name_of(qdisc)}_{what}": qdisc[field]
        for qdisc in json.loads(text)
        if qdisc["kind"] in ("netem", "tbf")
        for what, field in (("packets", "packets"), ("dropped", "drops"))
    }


def _name_of(qdisc: dict) -> str:
    return "wire" if (qdisc["kind"], qdisc["handle"]) == ("netem", WIRE) else qdisc["kind"]


def _snmp_counters(text: str) -> dict[str, int]:
    """Counters of /proc/net/snmp, which has two lines for each protocol: names, then values."""
    lines = [line.split() for line in text.splitlines()]
    return {
        prefix + name: int(value)
        for (protocol, *names), (_, *values) in zip(lines[::2], lines[1::2], strict=True)
        for prefix in [protocol.removesuffix(":")]
        for name, value in zip(names, values, strict=True)
    }


def _own_cpu(text: str) -> dict[str, int]:
    """Processor time as the host itself counts it, from the `cpu` line of /proc/stat."""
    return {"cpu_own_ms": TICK_MS * read_processors(text).busy}


def _process_cpu(text: str) -> dict[str, int]:
    """Processor time of the processes of a guest, from their /proc/<pid>/stat, one line each."""
    return {"cpu_ms": sum(map(process_ms, text.splitlines()))}


def _softnet(text: str) -> dict[str, int]:
    """Packets that each processor worked on, and those that another processor handed to it (RPS),
    from /proc/net/softnet_stat: one line of hexadecimal numbers for each processor."""
    counters = {}
    for line in text.splitlines():
        fields = [int(field, 16) for field in line.split()]
        cpu = fields[12]
        counters[f"cpu{cpu}_received"] = fields[0]
        counters[f"cpu{cpu}_received_rps"] = fields[9]
    return counters


def _queues(text: str) -> dict[str, int]:
    """Packets of each queue, from lines '<interface> <rx or tx>_queue_<n>_packets: <packets>'."""
    return {
        f"{interface}_{name.rstrip(':')}": int(value)
        for interface, name, value in map(str.split, text.splitlines())
    }


_READERS = {
    "xfrm-state.txt": _sa_counters,
    "xfrm-stat.txt": read_xfrm_stat,
    "link.json": _link_counters,
    "qdisc.json": _qdisc_counters,
    "snmp.txt": _snmp_counters,
    "stat.txt": _own_cpu,
    "process.txt": _process_cpu,
    "softnet.txt": _softnet,
    "queues.txt": _queues,
}


def read_counters(parts: dict[str, str]) -> dict[str, dict[str, int]]:
    """Counters of one host: kind of counters -> counter -> value, from the text of each kind.

    Raises ValueError naming the kind whose text is not of it, or holds a number that no counter
    can have.
    """
    if not parts:
        raise ValueError(f"no counters; expected a line '{MARK}<kind>' before those of each kind")
    found = {kind: _read(kind, text) for kind, text in parts.items()}
    if "stat.txt" in found and "process.txt" not in found:
        # Only a guest has a process on another machine; any other host alone counts its time.
        found["process.txt"] = {"cpu_ms": found["stat.txt"]["cpu_own_ms"]}
    return found


@lru_cache(maxsize=128)  # three texts in ten are the same again after the next run
def _read(kind: str, text: str) -> dict[str, int]:
    if kind not in _READERS:
        raise ValueError(f"{kind}: not a kind of counters; expected {', '.join(_READERS)}")
    try:
        counters = _READERS[kind](text)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        found = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        raise ValueError(f"{kind}: found {found}, expected counters as hosts print them") from None
    for counter, value in counters.items():
        # -1 stands for no limit (TcpMaxConn).
        if type(value) is not int or not -1 <= value < _LIMIT:
            raise ValueError(f"{kind}: {counter}: found {value!s:.40}, expected 0 to 2**63 - 1")
    return counters


def check_again(before: dict[str, dict[str, int]], now: dict[str, dict[str, int]]) -> None:
    """Check that a host printed again what it printed before; SAs may go. Raises ValueError naming
    what is missing."""
    for kind, counters in before.items():
        if kind not in now:
            raise ValueError(f"{kind}: not there, but counted before in the same trial")
        gone = counters.keys() - now[kind].keys() if kind != SAS else ()
        for counter in sorted(gone):
            raise ValueError(f"{kind}: {counter}: not there, but counted before in the same trial")
