"""What the log of a flow gives (readers.flow_log): names, units and values, for any probe that runs
one."""

from collections.abc import Iterator

from remeasure.bench.probes.metrics import Metric, Metrics, Value
from remeasure.bench.probes.readers.flow_log import FlowLog, Line, read_flow

CLASSES = ("bulk", "favoured")
"""names of the classes of a flow, by their number"""
_OF = "datagrams of the class"
METRICS = Metrics(
    {
        "{direction}_{class}_sent": Metric("datagrams", f"{_OF} that were sent", "sent", "sender"),
        "{direction}_{class}_unsent": Metric(
            "datagrams", f"{_OF} that the sender's own kernel refused", "total", "sender"
        ),
        "{direction}_{class}_received": Metric(
            "datagrams", f"{_OF} that arrived, each counted once", "total", "receiver"
        ),
        "{direction}_{class}_duplicates": Metric(
            "datagrams", f"{_OF} that arrived again", "total", "receiver"
        ),
        "{direction}_{class}_lost": Metric(
            "datagrams", f"{_OF} that were sent and never arrived", "total", "both"
        ),
        "{direction}_{class}_loss": Metric(
            "%", "lost datagrams of the class, as a share of the sent ones", "loss", "both"
        ),
        "{direction}_{class}_late": Metric(
            "datagrams",
            f"{_OF} that arrived after one of the class with a greater number (RFC 4737)",
            "total",
            "receiver",
        ),
        "{direction}_{class}_overtaken": Metric(
            "datagrams",
            f"{_OF} that arrived after one of any class with a greater number",
            "total",
            "receiver",
        ),
        "{direction}_{class}_behind": Metric(
            "datagrams",
            "difference between the greatest number that had arrived and a datagram's own, the "
            "greatest of the class",
            "count",
            "receiver",
        ),
        **{
            f"{{direction}}_{{class}}_delay_{name}": Metric(
                "ms", f"{meaning} one-way delay of the class", "one-way", "receiver", signed=True
            )
            for name, meaning in (
                ("min", "least"),
                ("median", "median"),
                ("p99", "99th percentile of the"),
                ("max", "greatest"),
            )
        },
        "{direction}_{class}_gap": Metric(
            "ms", "longest time between two arrivals of the class", "variation", "receiver"
        ),
        "{direction}_{class}_gap_begin": Metric(
            "ms",
            "when the longest time between two arrivals began, after the flow began",
            "time",
            "receiver",
            signed=True,
        ),
        "{direction}_{class}_lost_runs": Metric(
            "runs",
            "runs of numbers of the class, one after the other, that never arrived",
            "total",
            "receiver",
        ),
        "{direction}_{class}_run_length": Metric(
            "datagrams",
            "length of a run of missing numbers, of the first 100 (index: its first number)",
            "count",
            "receiver",
        ),
        "{direction}_{class}_run_due": Metric(
            "ms",
            "when the first number of such a run was due to be sent, after the flow began (index: "
            "this number)",
            "time",
            "receiver",
        ),
        "{direction}_{class}_run_next": Metric(
            "ms",
            "when the number behind such a run arrived, after the flow began; none for a run that "
            "ends the flow (index: the run's first number)",
            "time",
            "receiver",
            signed=True,
        ),
        "{direction}_{class}_longest_run": Metric(
            "datagrams",
            "most numbers of the class, one after the other, that never arrived",
            "count",
            "receiver",
        ),
        "{direction}_latest": Metric(
            "ms", "by how much the worst datagram left later than its time", "time", "sender"
        ),
        "{direction}_overflow": Metric(
            "datagrams",
            "datagrams that the receiving socket dropped because it was full",
            "total",
            "receiver",
        ),
        "{direction}_strangers": Metric(
            "datagrams", "datagrams at the port that are none of the flow", "total", "receiver"
        ),
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
