"""What the log of a flow gives (readers.flow_log): names, units and values, for any probe that runs
one."""

from collections.abc import Iterator

from remeasure.bench.probes.metrics import Metric, Metrics, Value
from remeasure.bench.probes.readers.flow_log import Arrivals, FlowLog, read_flow

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
    lines = log.lines
    yield Value(f"{direction}_latest", log.late_ns / 1e6, lines["latest"])
    yield Value(f"{direction}_overflow", log.overflow, lines["strangers"])
    yield Value(f"{direction}_strangers", log.strangers, lines["strangers"])
    for number, (planned, sent, errors) in enumerate(log.sent):
        if planned:
            name, line = f"{direction}_{CLASSES[number]}", lines["sent"] + number
            yield Value(f"{name}_sent", sent, line)
            yield Value(f"{name}_unsent", errors, line)
            yield from _arrivals(log, number, name, sent)


def _arrivals(log: FlowLog, number: int, name: str, sent: int) -> Iterator[Value]:
    arrived = log.classes[number] if log.classes else None
    received, line = (arrived.received, arrived.line) if arrived else (0, log.lines["none"])
    yield Value(f"{name}_received", received, line)
    yield Value(f"{name}_lost", sent - received, line)
    if sent:
        yield Value(f"{name}_loss", 100 * (sent - received) / sent, line)
    if arrived is None:
        return
    yield Value(f"{name}_duplicates", arrived.duplicates, line)
    yield Value(f"{name}_late", arrived.late, line + 1)
    yield Value(f"{name}_overtaken", arrived.overtaken, line + 1)
    yield Value(f"{name}_behind", arrived.behind, line + 1)
    yield from _times(log, name, arrived)
    yield from _runs(log, name, arrived)


def _times(log: FlowLog, name: str, arrived: Arrivals) -> Iterator[Value]:
    if not arrived.times:
        return
    line = arrived.delay_line
    for which, delay in zip(("min", "median", "p99", "max"), arrived.delays, strict=True):
        yield Value(f"{name}_delay_{which}", delay / 1e6, line)
    _, _, gap, start = arrived.times
    yield Value(f"{name}_gap", gap / 1e6, line + 1)
    yield Value(f"{name}_gap_begin", (start - log.begin) / 1e6, line + 1)


def _runs(log: FlowLog, name: str, arrived: Arrivals) -> Iterator[Value]:
    yield Value(f"{name}_lost_runs", arrived.runs, arrived.missing_line)
    longest = arrived.longest
    line = longest.line if longest else arrived.missing_line
    yield Value(f"{name}_longest_run", longest.count if longest else 0, line)
    begun = log.begin
    for run in arrived.listed:
        yield Value(f"{name}_run_length", run.count, run.line, run.first)
        yield Value(f"{name}_run_due", (run.due - begun) / 1e6, run.line, run.first)
        if run.next is not None:
            yield Value(f"{name}_run_next", (run.next - begun) / 1e6, run.line, run.first)
