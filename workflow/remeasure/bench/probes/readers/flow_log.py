"""Reading the log of one flow of the program env/flow/flow.c: what the sender printed, then what
the receiver did. Times are in nanoseconds since the epoch; the first of `flow` is when it began.
Numbers count from 0.

    flow 1 send
    to 192.168.20.1 port 9400
    flow 1795716369459336780 bytes 200 rate 1000 planned 2000 dscp 46 every 10
    ended 1795716371458438097
    class 0 planned 1800 sent 1800 errors 0    errors: refused by the sender's own kernel
    class 1 planned 200 sent 200 errors 0      class 1: every 10th has the DSCP
    latest 2239194 number 418                  how late the worst datagram left [ns]
    error No buffer space available            the last error, if there was one
    end
    flow 1 receive
    port 9400 buffer 67108864 listening 1795716369257725839
    stopped 1795716372495694169 by signal      or: by silence
    strangers 0 overflow 0                     of no such flow; dropped by the socket
    flow ...                                   as above; or `flow none`, and the log ends
    class 0 planned 1800 received 1790 duplicates 0 marked 1790    marked: with the DSCP sent
    class 0 late 3 overtaken 5 behind 7           by numbers of the class; by all numbers; the most
    class 0 delay min 1029 median 1769 p99 3102 max 148007          [ns], if any arrived
    class 0 first 17957... last 17957... gap 3162971 from 17957...  longest time without an arrival
    class 0 missing 10 runs 2                     numbers that never arrived
    class 0 longest 30 count 6 due 17957... next 17957...           if any is missing
    class 0 run 3 count 4 due 17957... next 17957...                the first 100 of them
    class 0 run 30 count 6 due 17957... next none                none came after them
    class 0 unlisted 0 runs 0                     the others
    class 1 ...
    end
"""

from collections.abc import Iterator

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers.flow_lines import FORMS, Lines
from remeasure.bench.probes.readers.flow_record import (
    Arrivals,
    FlowLog,
    Parameters,
    Received,
    Run,
    Sent,
)


def read_flow(file: str, content: bytes) -> FlowLog:
    """Read a log of one flow. Raises LogError; also if it contradicts itself."""
    reader = Lines(file, content)
    sent = _sent(reader)
    received = _received(reader)
    reader.finish()
    for (_, count, _), arrivals in zip(sent.classes, received.classes or (), strict=False):
        if arrivals.received > count:
            found = f"received {arrivals.received}"
            raise LogError(file, arrivals.line, found, f"at most the {count} sent")
    return FlowLog(file, sent, received, reader.places)


def _sent(reader: Lines) -> Sent:
    reader.take("sender")
    address, port = reader.take("to").groups()
    parameters = Parameters(*reader.numbers("parameters"))
    (ended,) = reader.numbers("ended")
    classes = (reader.of_class("sent", 0), reader.of_class("sent", 1))
    late_ns, late_number = reader.numbers("latest")
    error = reader.perhaps("error")
    reader.take("end")
    said = error[1] if error else ""
    return Sent(address, int(port), parameters, ended, classes, late_ns, late_number, said)


def _received(reader: Lines) -> Received:
    reader.take("receiver")
    port, _, listening = reader.numbers("port")
    stopped = int(reader.take("stopped")[1])
    strangers, overflow = reader.numbers("strangers")
    parameters = classes = None
    if not reader.perhaps("none"):
        parameters = Parameters(*reader.numbers("parameters"))
        reader.places["same"] = reader.line
        classes = (_arrivals(reader, 0), _arrivals(reader, 1))
    reader.take("end")
    return Received(port, listening, stopped, strangers, overflow, parameters, classes)


def _arrivals(reader: Lines, number: int) -> Arrivals:
    _, received, duplicates, marked = reader.of_class("received", number)
    line = reader.line
    late, overtaken, behind = reader.of_class("order", number)
    delays = times = None
    delay_line = reader.line
    if received:
        delays, delay_line = reader.of_class("delay", number), reader.line
        times = reader.of_class("times", number)
    missing, runs = reader.of_class("missing", number)
    missing_line = reader.line
    longest = _run(reader, "longest", number) if missing else None
    listed = tuple(_runs(reader, number))
    unlisted = reader.of_class("unlisted", number)
    return Arrivals(
        received,
        duplicates,
        marked,
        line,
        late,
        overtaken,
        behind,
        delays,
        delay_line,
        times,
        missing,
        runs,
        missing_line,
        longest,
        listed,
        unlisted,
    )


def _runs(reader: Lines, number: int) -> Iterator[Run]:
    while found := _perhaps_run(reader, "run", number):
        yield found


def _run(reader: Lines, name: str, number: int) -> Run:
    found = _perhaps_run(reader, name, number)
    if not found:
        raise reader.refused(f"line {name!r} of class {number}: {FORMS[name]}")
    return found


def _perhaps_run(reader: Lines, name: str, number: int) -> Run | None:
    match = reader.perhaps(name)
    if match is None:
        return None
    if int(match[1]) != number:
        reader.line -= 1
        raise reader.refused(f"a line of class {number}")
    first, count, due = (int(match[group]) for group in (2, 3, 4))
    return Run(first, count, due, None if match[5] == "none" else int(match[5]), reader.line)
