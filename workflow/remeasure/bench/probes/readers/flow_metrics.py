"""What the log of a flow gives (readers.flow_log): names, units and values, for any probe that runs
one."""

from collections.abc import Iterator

from remeasure.bench.probes.metrics import Value, declare
from remeasure.bench.probes.readers.flow_log import FlowLog, Line, read_flow

CLASSES = ("bulk", "favoured")
"""names of the classes of a flow, by their number"""
METRICS = declare(
    {
        "{direction}_{class}_sent: sent [datagrams], sender": "datagrams of the class that were "
        "sent",
        "{direction}_{class}_unsent: total [datagrams], sender": "datagrams of the class that the "
        "sender's own kernel refused",
        "{direction}_{class}_received: total [datagrams], receiver": "datagrams of the class that "
        "arrived, each counted once",
        "{direction}_{class}_duplicates: total [datagrams], receiver": "datagrams of the class "
        "that arrived again",
        "{direction}_{class}_lost: total [datagrams], both": "datagrams of the class that were "
        "sent and never arrived",
        "{direction}_{class}_loss: loss [%], both": "lost datagrams of the class, as a share of "
        "the sent ones",
        "{direction}_{class}_late: total [datagrams], receiver": "datagrams of the class that "
        "arrived after one of the class with a greater number (RFC 4737)",
        "{direction}_{class}_overtaken: total [datagrams], receiver": "datagrams of the class that "
        "arrived after one of any class with a greater number",
        "{direction}_{class}_behind: count [datagrams], receiver": "difference between the "
        "greatest number that had arrived and a datagram's own, the greatest of the class",
        "{direction}_{class}_delay_min: one-way [ms], receiver, signed": "least one-way delay of "
        "the class",
        "{direction}_{class}_delay_median: one-way [ms], receiver, signed": "median one-way delay "
        "of the class",
        "{direction}_{class}_delay_p99: one-way [ms], receiver, signed": "99th percentile of the "
        "one-way delay of the class",
        "{direction}_{class}_delay_max: one-way [ms], receiver, signed": "greatest one-way delay "
        "of the class",
        "{direction}_{class}_gap: variation [ms], receiver": "longest time between two arrivals of "
        "the class",
        "{direction}_{class}_gap_begin: time [ms], receiver, signed": "when the longest time "
        "between two arrivals began, after the flow began",
        "{direction}_{class}_lost_runs: total [runs], receiver": "runs of numbers of the class, "
        "one after the other, that never arrived",
        "{direction}_{class}_run_length: count [datagrams], receiver": "length of a run of missing "
        "numbers, of the first 100 (index: its first number)",
        "{direction}_{class}_run_due: time [ms], receiver": "when the first number of such a run "
        "was due to be sent, after the flow began (index: this number)",
        "{direction}_{class}_run_next: time [ms], receiver, signed": "when the number behind such "
        "a run arrived, after the flow began; none for a run that ends the flow (index: the run's "
        "first number)",
        "{direction}_{class}_longest_run: count [datagrams], receiver": "most numbers of the "
        "class, one after the other, that never arrived",
        "{direction}_latest: time [ms], sender": "by how much the worst datagram left later than "
        "its time",
        "{direction}_overflow: total [datagrams], receiver": "datagrams that the receiving socket "
        "dropped because it was full",
        "{direction}_strangers: total [datagrams], receiver": "datagrams at the port that are none "
        "of the flow",
    }
)
"""what the log of a flow can give, for any probe that runs one"""


def direction_of(file: str) -> str:
    """'calls-01.up.log' -> 'up'."""
    return "down" if file.endswith(".down.log") else "up"


def read_values(file: str, content: bytes) -> Iterator[Value]:
    """Yield the values in the log of a flow, whose name ends in `.up.log` or `.down.log`. Raises
    LogError."""
    log, direction = read_flow(file, content), direction_of(file)
    late, strangers = log.lines["latest"], log.lines["strangers"]
    yield Value(f"{direction}_latest", late.values[0] / 1e6, late.number)
    yield Value(f"{direction}_overflow", strangers.values[1], strangers.number)
    yield Value(f"{direction}_strangers", strangers.values[0], strangers.number)
    for kind, name in enumerate(CLASSES):
        line, (planned, sent, errors) = log.lines[f"sent{kind}"]
        if planned:
            yield Value(f"{direction}_{name}_sent", sent, line)
            yield Value(f"{direction}_{name}_unsent", errors, line)
            for value in _arrivals(log, str(kind), sent):
                yield value._replace(metric=f"{direction}_{name}_{value.metric}")


def _arrivals(log: FlowLog, kind: str, sent: int) -> Iterator[Value]:
    """What arrived of a class; metrics without direction and class."""
    arrived = log.lines.get(f"received{kind}")
    line, (_, received, duplicates, _) = arrived or (log.lines["none"].number, (0, 0, 0, 0))
    yield Value("received", received, line)
    yield Value("lost", sent - received, line)
    if sent:
        yield Value("loss", 100 * (sent - received) / sent, line)
    if arrived is None:
        return
    yield Value("duplicates", duplicates, line)
    line, values = log.lines[f"order{kind}"]
    for metric, value in zip(("late", "overtaken", "behind"), values, strict=True):
        yield Value(metric, value, line)
    if f"delay{kind}" in log.lines:
        line, delays = log.lines[f"delay{kind}"]
        for which, delay in zip(("min", "median", "p99", "max"), delays, strict=True):
            yield Value(f"delay_{which}", delay / 1e6, line)
        line, (_, _, gap, start) = log.lines[f"times{kind}"]
        yield Value("gap", gap / 1e6, line)
        yield Value("gap_begin", (start - log.begin) / 1e6, line)
    yield from _runs(log, kind)


def _runs(log: FlowLog, kind: str) -> Iterator[Value]:
    line, (_, runs) = log.lines[f"missing{kind}"]
    yield Value("lost_runs", runs, line)
    longest = log.lines.get(f"longest{kind}", Line(line, (0, 0)))
    yield Value("longest_run", longest.values[1], longest.number)
    for run in log.runs[kind]:
        yield Value("run_length", run.length, run.line, run.first)
        yield Value("run_due", (run.due - log.begin) / 1e6, run.line, run.first)
        if run.next is not None:
            yield Value("run_next", (run.next - log.begin) / 1e6, run.line, run.first)
