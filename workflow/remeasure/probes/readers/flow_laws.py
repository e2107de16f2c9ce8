"""What must hold within the log of one flow (readers.flow_log).

Datagrams: each class has the numbers that `every` gives it; what arrived and what is missing make
them all; no more arrived than was sent. Runs: they do not touch or overlap, their counts add up,
and the longest is the first of the longest. Times: a number is due when the rate says; the sender
ends after the last is due; a gap lies between the first arrival and the last.
"""

from collections.abc import Iterator
from itertools import pairwise

from remeasure.probes.base import LogError
from remeasure.probes.readers.flow_record import Arrivals, FlowLog, Parameters, Run
from remeasure.probes.readers.printed import ordered

_SECOND = 10**9
_LISTED = 100
"""runs of missing numbers of a class that the program lists, at most"""
Wrong = Iterator[tuple[bool, int, str, str]]
"""whether it holds, line, what was found, what was expected"""


def of_class(parameters: Parameters, number: int) -> int:
    """How many of the planned datagrams are of a class."""
    favoured = -(-parameters.planned // parameters.every) if parameters.every else 0
    return favoured if number else parameters.planned - favoured


def check_flow(log: FlowLog) -> None:
    """Raises LogError for the first thing that does not hold."""
    for holds, line, found, expected in _laws(log):
        if not holds:
            raise LogError(log.file, line, found, expected)


def _laws(log: FlowLog) -> Wrong:
    yield from _sender(log)
    sent, received, lines = log.sent, log.received, log.lines
    yield received.port == sent.port, lines["port"], f"port {received.port}", f"{sent.port}"
    stopped, listening = received.stopped, received.listening
    yield stopped >= listening, lines["stopped"], f"{stopped}", f"at least {listening}"
    yield from _arrived(log)


def _arrived(log: FlowLog) -> Wrong:
    received = log.received
    if received.parameters is None or received.classes is None:
        return
    same = received.parameters == log.parameters
    yield same, log.lines["same"], f"{received.parameters}", f"{log.parameters}, what was sent"
    for number, arrivals in enumerate(received.classes):
        sent = log.sent.classes[number][1]
        planned = of_class(log.parameters, number)
        line, count = arrivals.line, arrivals.received
        yield count <= sent, line, f"received {count}", f"at most the {sent} sent"
        marked = arrivals.marked
        yield marked <= count, line, f"marked {marked}", f"at most the {count} received"
        missing = planned - count
        found = f"missing {arrivals.missing}"
        yield arrivals.missing == missing, arrivals.missing_line, found, f"{missing}"
        yield from _order(arrivals, log.parameters.planned)
        yield from _times(log, arrivals)
        yield from _runs(log, number, arrivals)


def _sender(log: FlowLog) -> Wrong:
    parameters, lines, sender = log.parameters, log.lines, log.sent
    for number, (planned, sent, errors) in enumerate(sender.classes):
        line, wanted = lines["sent"] + number, of_class(parameters, number)
        yield planned == wanted, line, f"planned {planned}", f"{wanted}, by `every`"
        counted = sent + errors
        yield counted == planned, line, f"sent {sent} errors {errors}", f"{planned} together"
    errors = sum(of[2] for of in sender.classes)
    yield (
        bool(errors) == bool(sender.error),
        lines["latest"],
        f"{errors} errors",
        "the last error's text",
    )
    line, late, number = lines["latest"], sender.late_ns, sender.late_number
    yield number < parameters.planned, line, f"number {number}", f"below {parameters.planned}"
    last = parameters.begin + _due(parameters, parameters.planned - 1)
    # The two clocks of the sender, of the time and of the schedule, may differ by a little.
    ended = sender.ended
    yield ended >= last - _SECOND, lines["ended"], f"{ended}", f"at least {last}"
    most = sender.ended - parameters.begin
    yield late <= most + _SECOND, line, f"latest {late}", f"at most {most}, the flow's time"


def _order(arrivals: Arrivals, planned: int) -> Wrong:
    line, count = arrivals.line + 1, arrivals.received
    late, overtaken, behind = arrivals.late, arrivals.overtaken, arrivals.behind
    # What is late within its class has been overtaken by a datagram of the class.
    yield late <= overtaken <= count, line, f"late {late} overtaken {overtaken}", f"up to {count}"
    yield behind < planned, line, f"behind {behind}", f"less than {planned}"
    wanted = "more than 0 if any was overtaken, else 0"
    yield bool(behind) == bool(overtaken), line, f"behind {behind}", wanted


def _times(log: FlowLog, arrivals: Arrivals) -> Wrong:
    if arrivals.delays is None or arrivals.times is None:
        return
    line = arrivals.delay_line
    yield ordered(*arrivals.delays), line, f"{arrivals.delays}", "min, median, p99, max in order"
    first, last, gap, begin = arrivals.times
    ordered_times = log.received.listening <= first <= last <= log.received.stopped
    shown = f"first {first} last {last}"
    yield (
        ordered_times,
        line + 1,
        shown,
        f"within {log.received.listening} to {log.received.stopped}",
    )
    inside = first <= begin and begin + gap <= last
    yield inside, line + 1, f"gap {gap} from {begin}", "a gap from first to last"
    if arrivals.received > 1 and last > first:
        least = (last - first) // (arrivals.received - 1)
        yield gap >= least, line + 1, f"gap {gap}", f"at least {least}, the mean of all gaps"
    longest = max(log.sent.ended, log.received.stopped) - log.parameters.begin
    span = arrivals.delays[3] - arrivals.delays[0]
    yield span <= longest, line, f"delays over {span} ns", f"at most the {longest} of the flow"


def _runs(log: FlowLog, number: int, arrivals: Arrivals) -> Wrong:
    listed, (lost, runs) = arrivals.listed, arrivals.unlisted
    line = arrivals.missing_line
    counts = sum(run.count for run in listed) + lost, len(listed) + runs
    shown = f"missing {arrivals.missing} runs {arrivals.runs}"
    found = (arrivals.missing, arrivals.runs)
    yield found == counts, line, shown, f"{counts}, what its runs add up to"
    yield not runs or len(listed) == _LISTED, line, shown, f"{_LISTED} listed before others are not"
    yield lost >= runs, line, f"unlisted {lost} runs {runs}", "a number in each run"
    planned = of_class(log.parameters, number)
    everything = listed if arrivals.longest is None else (*listed, arrivals.longest)
    for run in everything:
        yield from _run(log, number, run, planned)
    for one, other in pairwise(listed):
        shown = f"first {other.first}"
        apart = one.first + one.count < other.first
        yield apart, other.line, shown, f"more than {one.first + one.count}"
    if arrivals.longest is not None:
        longest, most = arrivals.longest, max(run.count for run in listed)
        shown = f"count {longest.count}"
        good = longest.count == most if not runs else most <= longest.count
        yield good, longest.line, shown, f"{most}, the most of a run"


def _run(log: FlowLog, number: int, run: Run, planned: int) -> Wrong:
    end = run.first + run.count
    yield run.count > 0 and end <= planned, run.line, f"count {run.count}", f"1 up to {planned}"
    due = log.parameters.begin + _due(log.parameters, _overall(log.parameters, number, run.first))
    yield run.due == due, run.line, f"due {run.due}", f"{due}, by the rate"
    open_end = run.next is None
    wanted = "none" if end == planned else "a time"
    yield open_end == (end == planned), run.line, f"next {run.next}", wanted
    if run.next is not None:
        inside = log.received.listening <= run.next <= log.received.stopped
        yield (
            inside,
            run.line,
            f"next {run.next}",
            f"{log.received.listening} to {log.received.stopped}",
        )


def _due(parameters: Parameters, number: int) -> int:
    """When a number is due [ns after the flow began]."""
    return number * _SECOND // parameters.rate


def _overall(parameters: Parameters, of: int, number: int) -> int:
    """A number of a class among all numbers."""
    every = parameters.every
    if not every:
        return number
    return number * every if of else number + number // (every - 1) + 1
