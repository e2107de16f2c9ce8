"""Whether a trial.json contradicts itself: what this software writes, it writes so that several
fields say the same, and a record in which they do not was changed, or written by something else.

`check_record` raises UserError naming the field, what was found and what was expected.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from remeasure.campaign.record import CounterEntry, LogEntry, RunEntry, TrialRecord
from remeasure.errors import UserError

ALL = "all"
"""kind of a reading that has all kinds of counters, as each has since format 4"""
Run = tuple[str, str, tuple[tuple[str, str], ...], int]
"""what tells a run from all others of its trial: name and kind of its probe, levels, repeat"""


def run_of(entry: Mapping[str, Any]) -> Run:
    """The run that an entry of trial.json is of."""
    levels = tuple(sorted(entry.get("levels", {}).items()))
    return entry["name"], entry["probe"], levels, entry["repeat"]


def check_record(source: str, record: TrialRecord) -> None:
    """Check one trial.json; `source` names it in messages."""
    _check_verdict(source, record)
    _check_logs(source, record["logs"])
    _check_readings(source, record["counters"], together="members" in record)
    if "runs" in record:
        _check_runs(source, record, record["runs"])
    if record["verdict"] == "accepted":
        _check_times(source, record, record["probe_ns"])


def _check_verdict(source: str, record: TrialRecord) -> None:
    """Check that the verdict is the one that follows from reasons and checks."""
    verdict, reasons = record["verdict"], record["reasons"]
    if bool(reasons) != (verdict != "accepted"):
        expected = "none, as the trial is accepted" if reasons else f"why it is {verdict}"
        raise UserError(f"{source}: reasons: found {reasons}, expected {expected}")
    if verdict == "rejected":
        return
    if not record["checks"]:
        raise UserError(f"{source}: checks: found none, expected some, as the trial is {verdict}")
    for place, check in enumerate(record["checks"]):
        if not check["passed"]:
            raise UserError(
                f"{source}: checks.{place}.passed: found False ({check['name']}), expected True, "
                f"as the trial is {verdict}"
            )


def _check_logs(source: str, logs: Sequence[LogEntry]) -> None:
    """Check that each log is of one run, and is called after it."""
    seen = {"trial.json": "this file"}
    for place, entry in enumerate(logs):
        where, file = f"{source}: logs.{place}", entry["file"]
        if file in seen:
            raise UserError(f"{where}.file: {file} again, as in {seen[file]}; expected each once")
        seen[file] = f"logs.{place}"
        begins, ends = f"{entry['name']}", f"-{entry['repeat']:02d}."
        if not (file.startswith(begins) and ends in file[len(begins) :]):
            raise UserError(
                f"{where}: found file {file} of run {entry['repeat']} of {begins}, expected a name "
                f"{begins}...{ends}..."
            )


def _check_readings(source: str, counters: Sequence[CounterEntry], together: bool) -> None:
    """Check that all hosts were read at once, and each reading is there once; `together`: with all
    kinds of counters in one."""
    readings: dict[int, set[tuple[str, str]]] = {}
    for place, entry in enumerate(counters):
        if together and entry["kind"] != ALL:
            raise UserError(
                f"{source}: counters.{place}.kind: found {entry['kind']!r}, expected {ALL!r}"
            )
        of, now = (entry["host"], entry["kind"]), readings.setdefault(entry["number"], set())
        if of in now:
            raise UserError(
                f"{source}: counters.{place}: reading {entry['number']} of {entry['host']} again; "
                "expected each once"
            )
        now.add(of)
    for number in range(len(readings)):
        if readings.get(number) != readings.get(0):
            raise UserError(
                f"{source}: counters: reading {number}: found of "
                f"{_hosts(readings.get(number, set()))}, expected of "
                f"{_hosts(readings.get(0, set()))}, as the first"
            )


def _hosts(found: set[tuple[str, str]]) -> str:
    return ", ".join(sorted({host for host, _ in found})) or "no host"


def _check_runs(source: str, record: TrialRecord, runs: Sequence[RunEntry]) -> None:
    """Check runs by themselves, with their logs, and with the whole trial."""
    known: set[Run] = set()
    for place, run in enumerate(runs):
        where = f"{source}: runs.{place}"
        if run_of(run) in known:
            raise UserError(f"{where}: {run['name']} {run['repeat']} again; expected each once")
        known.add(run_of(run))
        if "reasons" in run and bool(run["reasons"]) != (run.get("verdict") == "suspect"):
            raise UserError(
                f"{where}: found verdict {run.get('verdict')!r} with reasons {run['reasons']}, "
                "expected reasons where, and only where, a run is suspect"
            )
    if record["verdict"] == "rejected":  # a run may have ended before it was noted
        return
    for complaint in _complaints(known, record["logs"]):
        raise UserError(f"{source}: {complaint}")
    if (total := sum(run["end_ns"] - run["start_ns"] for run in runs)) != record["probe_ns"]:
        raise UserError(
            f"{source}: probe_ns: found {record['probe_ns']}, expected {total}, which is the sum "
            "of its runs"
        )
    if record["verdict"] == "accepted" and not any(r.get("verdict") == "suspect" for r in runs):
        _check_order(source, record, runs)


def _complaints(runs: set[Run], logs: Sequence[LogEntry]) -> Iterator[str]:
    for place, entry in enumerate(logs):
        if run_of(entry) not in runs:
            yield f"logs.{place}: of {entry['name']} {entry['repeat']}, which is none of the runs"
    for run in sorted(runs - {run_of(entry) for entry in logs}):
        yield f"runs: {run[0]} {run[3]}: found no log of it, expected one"


def _check_order(source: str, record: TrialRecord, runs: Sequence[RunEntry]) -> None:
    """Check that the runs of an undisturbed trial follow each other within it."""
    last = record["start_ns"]
    for place, run in enumerate(runs):
        _check_times(f"{source}: runs.{place}", run)
        if run["start_ns"] < last:
            raise UserError(
                f"{source}: runs.{place}.start_ns: found {run['start_ns']}, expected at least "
                f"{last}, when what is before it ended"
            )
        last = run["end_ns"]
    if last > record["end_ns"]:
        raise UserError(
            f"{source}: end_ns: found {record['end_ns']}, expected at least {last}, when its last "
            "run ended"
        )


def _check_times(where: str, one: TrialRecord | RunEntry, inside_ns: int = 0) -> None:
    """Check that something ended after it began, and had time for `inside_ns` [ns]."""
    start, end = one["start_ns"], one["end_ns"]
    if end <= start:
        raise UserError(f"{where}: end_ns: found {end}, expected more than start_ns, {start}")
    if inside_ns > end - start:
        raise UserError(
            f"{where}: probe_ns: found {inside_ns}, expected at most {end - start}, which is "
            "end_ns less start_ns"
        )
