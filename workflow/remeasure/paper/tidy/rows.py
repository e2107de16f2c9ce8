"""The rows of each table from one block. columns.py lists the columns and their meanings."""

from collections.abc import Callable, Iterator
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive, StoredTrial
from remeasure.bench.campaign.record import Repeat, RunEntry, TrialRecord
from remeasure.bench.probes import PROBES
from remeasure.bench.testbed.host_kind import hosts_of
from remeasure.bench.testbed.watching.counters import PROTOCOLS_IPV6
from remeasure.paper.tidy.counter_parsers import read_counters

TidyRow = dict[str, object]
"""column -> value; a column that is missing is null"""


def trial_rows(archive: BlockArchive) -> Iterator[TidyRow]:
    """Yield one row for each finished trial."""
    for trial in archive.trials:
        record = trial.record
        duration = _duration(record)
        yield _keys(archive, trial) | {
            "attempt": record["attempt"],
            "verdict": record["verdict"],
            "reasons": "; ".join(record["reasons"]),
            "start": record["start_ns"],
            "duration": duration / 1e9 if duration else None,
            "probe_share": record["probe_ns"] / duration if duration else None,
            "checks": len(record["checks"]),
            "checks_passed": sum(check["passed"] for check in record["checks"]),
            **{name: record["health"][name] for name in ("busy", "steal", "foreign")},
            "pace_before": record.get("pace_ns"),
            "pace_after": record.get("pace_after_ns"),
            **_hosts(archive.block["sessions"], record["start_ns"]),
        }


def clock_of(archive: BlockArchive) -> str:
    """The clock of a block: `real` or `virtual`. A block has one kind of hosts."""
    virtual = any(session["guests"]["virtual_clock"] for session in archive.block["sessions"])
    return "virtual" if virtual else "real"


def _duration(one: TrialRecord | RunEntry) -> int | None:
    """Duration of a trial or a run [ns]; None if the clock was set back meanwhile."""
    duration = one["end_ns"] - one["start_ns"]
    return duration if duration > 0 else None


def _hosts(sessions: list[dict[str, Any]], start_ns: int) -> TidyRow:
    """The columns on the hosts of a trial, from the session in which it was measured."""
    sessions = [s for s in sessions if s["start_ns"] <= start_ns]
    if not sessions:  # a trial that could not be run, before any that could
        return {}
    session = sessions[-1]
    guests = session["guests"]
    cpus = sum(int(host["cpus"]) for host in session["hosts"].values())
    # Machines have their processors to themselves; hosts of a lab share one machine's.
    shared = cpus if guests["own_machine"] else session["machine"]["cpus"]
    return {
        "os": "linux",
        "hosts": hosts_of(session),
        "backend": guests["backend"],
        "accelerator": guests["accelerator"],
        "guest_cpus": cpus,
        "machine_cpus": shared,
        "shared_cores": _shared_cores(guests.get("cores", {})),
    }


def _shared_cores(cores: dict[str, list[int]]) -> str:
    """The hosts on each core that several hosts were pinned to; `cores`: host -> its cores."""
    on: dict[int, list[str]] = {}
    for host, (core, *more) in cores.items():
        if not more:
            on.setdefault(core, []).append(host)
    return ", ".join(" ".join(hosts) for hosts in on.values() if len(hosts) > 1)


def observation_rows(archive: BlockArchive) -> Iterator[TidyRow]:
    """Yield one row per measured value of trials that were not rejected. Raises LogError (a
    UserError) naming file and line of an unreadable log."""
    for trial in _not_rejected(archive):
        keys = _keys(archive, trial)
        for entry, content in archive.logs(trial):
            file = f"{trial.folder}/{entry['file']}"
            # An error names this path, by which people find the unreadable line.
            path = f"{archive.path}/{file}"
            run = keys | _run_keys(entry)
            run |= {"trial_verdict": trial.record["verdict"], "tool": entry["probe"], "file": file}
            for o in PROBES[entry["probe"]].parse(path, content):
                yield run | {
                    "metric": o.metric,
                    "index": o.index,
                    "value": float(o.value),
                    "unit": o.unit,
                    "side": o.side,
                    "line": o.line,
                }


def counter_rows(archive: BlockArchive) -> Iterator[TidyRow]:
    """Yield one row per counter that moved during a run of a probe, in trials that were not
    rejected. Raises UserError naming an unreadable file of counters."""
    for trial in _not_rejected(archive):
        keys = _keys(archive, trial)
        yield from (keys | row for row in _processor_counters(trial))
        before: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
        for entry, parts in archive.counters(trial):
            file = f"{trial.folder}/{entry['file']}"
            source = entry["host"], entry["kind"]
            try:
                now = read_counters(parts)
            except ValueError as error:
                raise UserError(f"{archive.path}/{file}: {error}") from None
            last, before[source] = before.get(source, {}), now
            if not entry["repeat"]:  # changes between runs belong to no probe
                continue
            run = keys | entry["levels"] | {"probe": entry["after"], "repeat": entry["repeat"]}
            run |= {"host": entry["host"], "file": file}
            for kind, counters in now.items():
                then = last.get(kind, counters)
                for counter, value in () if counters is then else counters.items():
                    # Of IPv6, readings leave out zeros (testbed.watching.counters).
                    if change := value - then.get(counter, 0 if kind == PROTOCOLS_IPV6 else value):
                        yield run | {"counter": counter, "change": change}


def run_rows(archive: BlockArchive) -> Iterator[TidyRow]:
    """Yield one row per run of a probe, in trials that were not rejected. Unrecorded facts of a run
    are null: archives of earlier software have only its logs."""
    for trial in _not_rejected(archive):
        keys = _keys(archive, trial)
        for run in _runs(trial):
            load = run.get("load")
            duration = _duration(run) if "start_ns" in run else None
            yield (
                keys
                | _run_keys(run)
                | {
                    "tool": run["probe"],
                    "start": run.get("start_ns"),
                    "seconds": duration / 1e9 if duration else None,
                    "verdict": run.get("verdict"),
                    **{name: load[name] if load else None for name in ("busy", "steal", "foreign")},
                }
            )


def _runs(trial: StoredTrial) -> list[RunEntry]:
    """The runs of a trial in their order; runs of an archive without them come from the logs."""
    if "runs" in trial.record:
        return trial.record["runs"]
    found: dict[str, RunEntry] = {}
    for entry in trial.record["logs"]:
        if entry["repeat"]:
            run = {field: value for field, value in entry.items() if field != "file"}
            found.setdefault(str(run), run)  # type: ignore[arg-type]
    return list(found.values())


def _run_keys(run: Repeat) -> TidyRow:
    return run.get("levels", {}) | {"probe": run["name"], "repeat": run["repeat"]}


def _processor_counters(trial: StoredTrial) -> Iterator[TidyRow]:
    """Yield the rows of counters of the time that processors of the machine worked for each host
    during a run."""
    for run in trial.record.get("runs", []):
        for host, time in run.get("processors", {}).items():
            parts = {"cpu_run_us": time["ns"]}
            if time["user_ns"] is not None:
                parts["cpu_user_us"] = time["user_ns"]
                parts["cpu_kernel_us"] = time["ns"] - time["user_ns"]
            for counter, ns in parts.items():
                yield _run_keys(run) | {
                    "host": host,
                    "counter": counter,
                    "change": round(ns / 1000),
                    "file": f"{trial.folder}/trial.json",
                }


def check_rows(archive: BlockArchive) -> Iterator[TidyRow]:
    """Yield one row for each check of every finished trial."""
    for trial in archive.trials:
        keys = _keys(archive, trial)
        for check in trial.record["checks"]:
            yield keys | check


def _not_rejected(archive: BlockArchive) -> Iterator[StoredTrial]:
    return (trial for trial in archive.trials if trial.record["verdict"] != "rejected")


def _keys(archive: BlockArchive, trial: StoredTrial) -> TidyRow:
    """The key columns of a row: campaign, scenario, block, trial and clock, and the level of each
    factor between trials."""
    block = archive.block
    return {
        "campaign": block["campaign"],
        "scenario": block["scenario"],
        "block": archive.number,
        "trial": trial.record["order"],
        "clock": clock_of(archive),
        **trial.record["cell"],
    }


ROWS_OF: dict[str, Callable[[BlockArchive], Iterator[TidyRow]]] = {
    "trials": trial_rows,
    "runs": run_rows,
    "observations": observation_rows,
    "counters": counter_rows,
    "checks": check_rows,
}
"""name of a table -> its rows of one block"""
