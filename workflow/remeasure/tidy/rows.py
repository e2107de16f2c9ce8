"""The rows of one block: trials, observations, counters. The codebook is data/README.md."""

import json
from collections.abc import Iterator

from remeasure.campaign.archive import BlockArchive, Trial
from remeasure.errors import UserError
from remeasure.ipsec.sas import read_xfrm_stat, read_xfrm_state
from remeasure.probes import PROBES
from remeasure.testbed.counters import split_kinds
from remeasure.testbed.proc_stat import TICK_MS, process_ms, read_processors

Row = dict[str, object]


def trial_rows(archive: BlockArchive) -> Iterator[Row]:
    """One row a finished trial."""
    for trial in archive.trials:
        record = trial.record
        duration = record["end_ns"] - record["start_ns"]
        yield _place(archive, trial) | {
            "attempt": record["attempt"],
            "verdict": record["verdict"],
            "reasons": "; ".join(record["reasons"]),
            "start": record["start_ns"],
            "duration": duration / 1e9,
            "probe_share": record["probe_ns"] / duration,
            "checks": len(record["checks"]),
            "checks_passed": sum(check["passed"] for check in record["checks"]),
            **{name: record["health"][name] for name in ("busy", "steal", "foreign")},
            **_guests(archive.block["sessions"], record["start_ns"]),
        }


def _guests(sessions: list[dict], start_ns: int) -> Row:
    """What the hosts of a trial were, from the session that it is of: system, back end,
    accelerator, and processors of all of them against those of the machine under them."""
    sessions = [s for s in sessions if s["start_ns"] <= start_ns]
    if not sessions:  # a trial that could not be run, before any that could
        return {}
    session = sessions[-1]
    guests = session.get("guests", {"backend": session["testbed"]["backend"]})
    cpus = sum(int(host["cpus"]) for host in session["hosts"].values())
    # Machines of an inventory have their processors to themselves.
    shared = session["machine"]["cpus"] if guests["backend"] != "ssh" else cpus
    # Guests of a lab, and machines of which nothing else is said, run Linux.
    systems = {host.get("os", "linux") for host in session["testbed"].get("hosts", [])}
    return {
        "os": systems.pop() if systems else "linux",
        "backend": guests["backend"],
        "accelerator": guests.get("accelerator", "none"),
        "guest_cpus": cpus,
        "machine_cpus": shared,
    }


def observation_rows(archive: BlockArchive) -> Iterator[Row]:
    """One row a measured value, of trials that were not rejected.

    Raises LogError (a UserError) naming file and line of a log that cannot be read.
    """
    for trial in archive.trials:
        if trial.record["verdict"] == "rejected":
            continue
        place = _place(archive, trial)
        for entry, content in archive.logs(trial):
            file = f"{trial.folder}/{entry['file']}"
            # The path is what a person needs to find the line of a log that cannot be read.
            for o in PROBES[entry["probe"]].parse(f"{archive.path}/{file}", content):
                yield (
                    place
                    | entry.get("levels", {})
                    | {
                        "probe": entry["name"],
                        "tool": entry["probe"],
                        "repeat": entry["repeat"],
                        "metric": o.metric,
                        "index": o.index,
                        "value": float(o.value),
                        "unit": o.unit,
                        "file": file,
                        "line": o.line,
                    }
                )


def counter_rows(archive: BlockArchive) -> Iterator[Row]:
    """One row a counter that moved during a repeat of a probe, of trials that were not rejected."""
    for trial in archive.trials:
        if trial.record["verdict"] == "rejected":
            continue
        before: dict[str, dict[str, int]] = {}
        for entry in trial.record["counters"]:
            file = f"{trial.folder}/{entry['file']}"
            key = f"{entry['host']} {entry['kind']}"
            try:
                now = _read_counters(entry["kind"], archive.read(file).decode())
            except (ValueError, KeyError, IndexError) as error:
                raise UserError(f"{archive.path}/{file}: {error}") from None
            for counter, value in now.items():
                change = value - before.get(key, {}).get(counter, value)
                if change and entry["repeat"]:
                    yield (
                        _place(archive, trial)
                        | entry.get("levels", {})
                        | {
                            "probe": entry["after"],
                            "repeat": entry["repeat"],
                            "host": entry["host"],
                            "counter": counter,
                            "change": change,
                            "file": file,
                        }
                    )
            before[key] = now


def _place(archive: BlockArchive, trial: Trial) -> Row:
    block = archive.block
    return {
        "campaign": block["campaign"],
        "scenario": block["scenario"],
        "block": block["block"],
        "trial": trial.record["order"],
        **trial.record["cell"],
    }


def _sa_counters(text: str) -> dict[str, int]:
    """Sums over the SAs of each direction; over those of a processor too (RFC 9611), where there
    are such."""
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
    """What each queueing discipline that shapes an interface let pass and dropped; a root's drops
    hold those of its child."""
    return {
        f"{qdisc['dev']}_{qdisc['kind']}_{what}": qdisc[field]
        for qdisc in json.loads(text)
        if qdisc["kind"] in ("netem", "tbf")
        for what, field in (("packets", "packets"), ("dropped", "drops"))
    }


def _snmp_counters(text: str) -> dict[str, int]:
    """/proc/net/snmp has two lines a protocol: names, then values."""
    lines = [line.split() for line in text.splitlines()]
    return {
        f"{names[0].removesuffix(':')}{name}": int(value)
        for names, values in zip(lines[::2], lines[1::2], strict=True)
        for name, value in zip(names[1:], values[1:], strict=True)
    }


def _own_cpu(text: str) -> dict[str, int]:
    """The `cpu` line of /proc/stat: what the host itself knows."""
    return {"cpu_own_ms": TICK_MS * read_processors(text).busy}


def _process_cpu(text: str) -> dict[str, int]:
    """/proc/<pid>/stat of the processes of a guest, a line each."""
    return {"cpu_ms": sum(map(process_ms, text.splitlines()))}


def _softnet(text: str) -> dict[str, int]:
    """/proc/net/softnet_stat, a line of hexadecimal numbers a processor: packets it worked on, and
    those handed to it by another (RPS)."""
    counters = {}
    for line in text.splitlines():
        fields = [int(field, 16) for field in line.split()]
        cpu = fields[12]
        counters[f"cpu{cpu}_received"] = fields[0]
        counters[f"cpu{cpu}_received_rps"] = fields[9]
    return counters


def _queues(text: str) -> dict[str, int]:
    """Lines '<interface> <rx or tx>_queue_<n>_packets: <packets>'."""
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


def _read_counters(kind: str, text: str) -> dict[str, int]:
    """One file of counters: of one kind, or `all` of a host's."""
    if kind != "all":
        return _READERS[kind](text)
    found = {
        name: value
        for part, content in split_kinds(text).items()
        for name, value in _READERS[part](content).items()
    }
    # Where no guest's process is to be asked, the host's own account is the whole of it.
    return {"cpu_ms": found["cpu_own_ms"], **found} if "cpu_own_ms" in found else found


def within_factors(archive: BlockArchive) -> dict[str, None]:
    """Factors that trials vary within themselves, in the order of the scenario's `each`."""
    return dict.fromkeys(
        factor
        for trial in archive.trials
        for entry in trial.record["logs"]
        for factor in entry.get("levels", {})
    )
