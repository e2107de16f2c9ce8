"""The program of probe `flow`, run on this machine: its counts, and its refusals."""

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from remeasure.bench.probes.flow import Flow
from remeasure.bench.probes.mixed import Mixed
from remeasure.bench.probes.readers.flow_log import read_flow
from remeasure.bench.testbed.compiled import get_program

HOST = "127.0.0.1"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [get_program("flow"), *map(str, arguments)], capture_output=True, text=True
    )


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind((HOST, 0))
        return int(one.getsockname()[1])


@contextmanager
def receiver(port: int) -> Iterator[list[str]]:
    """A receiver that is stopped at the end; the list then has its output."""
    process = subprocess.Popen(
        [get_program("flow"), "receive", str(port), "20"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    printed = [process.stdout.readline(), process.stdout.readline()]
    assert printed[0] == "flow 1 receive\n"
    try:
        yield printed
        time.sleep(0.2)
    finally:
        process.send_signal(signal.SIGTERM)
        printed.append(process.communicate(timeout=5)[0])


def captured(*arguments: object) -> tuple[str, list[bytes]]:
    """Output of the sender, and its datagrams."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taker:
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        taker.bind((HOST, 0))
        taker.settimeout(0.2)
        sent = run("send", HOST, taker.getsockname()[1], *arguments)
        assert not sent.returncode, sent
        datagrams = []
        while True:
            try:
                datagrams.append(taker.recv(2000))
            except TimeoutError:
                return sent.stdout, datagrams


def replayed(text: str, datagrams: list[bytes], order: list[int]) -> str:
    """The log of a flow whose datagrams arrive in an order of our own."""
    port = free_port()
    with receiver(port) as printed, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number in order:
            sender.sendto(datagrams[number], (HOST, port))
    lines = text.splitlines(keepends=True)
    lines[1] = f"to {HOST} port {port}\n"
    return "".join([*lines, *printed])


def test_a_flow_arrives_in_order_and_whole():
    port = free_port()
    with receiver(port) as printed:
        sent = run("send", HOST, port, 200, 500, 0.4, 46, 10)
    log = read_flow("x.up.log", (sent.stdout + "".join(printed)).encode())
    for kind, count in ((0, 180), (1, 20)):  # the last number counts datagrams with the DSCP
        assert log.lines[f"received{kind}"].values == (count, count, 0, count)
        assert not any(log.lines[f"{name}{kind}"].values[0] for name in ("order", "missing"))
    assert log.lines["strangers"].values == (0, 0)


def test_what_is_lost_late_and_doubled_is_counted():
    """Against the same counts made here, from the order in which datagrams were sent again."""
    text, datagrams = captured(100, 1000, 0.2, 46, 10)
    assert len(datagrams) == 200
    order = [n for n in range(200) if n not in (0, 31, 32, 33, 199)]
    order[50], order[60] = order[60], order[50]  # one early, and all between them are overtaken
    order.insert(100, order[20])
    log = read_flow("x.up.log", replayed(text, datagrams, order).encode())
    assert [log.lines[f"received{kind}"].values[1:3] for kind in (0, 1)] == [(176, 1), (19, 0)]
    assert [log.lines[f"missing{kind}"].values for kind in (0, 1)] == [(4, 2), (1, 1)]
    assert [run.values[:2] for run in log.runs["0"]] == [(27, 3), (179, 1)]
    assert [len(run.values) for run in log.runs["0"]] == [4, 3]
    assert log.lines["longest0"].values[:2] == (27, 3)
    behind = {0: [], 1: []}
    late = {0: 0, 1: 0}
    greatest, of_class, seen = -1, {0: -1, 1: -1}, set()
    for number in order:
        kind = int(number % 10 == 0)
        if number in seen:
            continue
        seen.add(number)
        behind[kind] += [greatest - number] if number < greatest else []
        late[kind] += number < of_class[kind]
        greatest, of_class[kind] = max(greatest, number), max(of_class[kind], number)
    for kind in (0, 1):
        order = late[kind], len(behind[kind]), max(behind[kind], default=0)
        assert log.lines[f"order{kind}"].values == order


def test_a_flow_may_begin_faster_than_it_goes_on():
    """Both ends say when each number is due: the first 10 every 10 ms, then one in 50 ms."""
    text, datagrams = captured(100, "100/0.1/20", 0.3)
    log = read_flow("x.up.log", replayed(text, datagrams, [0, 1, 4, 9, 12, 13]).encode())
    assert log.lines["sent0"].values[:2] == (14, 14)
    dues = [(run.values[2] - log.begin) // 1_000_000 for run in log.runs["0"]]
    assert [run.values[0] for run in log.runs["0"]] == [2, 5, 10]
    assert dues == [20, 50, 100]


def test_runs_beyond_the_hundredth_are_summed():
    text, datagrams = captured(100, 5000, 0.1)
    log = read_flow("x.up.log", replayed(text, datagrams, list(range(0, 500, 2))).encode())
    assert [log.lines[name].values for name in ("missing0", "unlisted0")] == [
        (250, 250),
        (150, 150),
    ]
    assert [two.values[0] - one.values[0] for one, two in pairwise(log.runs["0"])] == [2] * 99


def test_datagrams_of_nobody_are_counted_apart():
    text, datagrams = captured(100, 100, 0.1)
    _, others = captured(100, 100, 0.1)
    wrong = [b"", b"hello", datagrams[0][:-1], datagrams[0] + b"x", others[3]]
    text = replayed(text, [*datagrams, *wrong], [0, *range(10, 15), *range(1, 10)])
    log = read_flow("x.up.log", text.encode())
    assert (log.lines["strangers"].values[0], log.lines["received0"].values[1]) == (5, 10)
    assert {o.metric: o.value for o in Flow.parse("x.up.log", text.encode())}["up_strangers"] == 5


def test_a_flow_of_which_nothing_arrives_is_lost_as_a_whole():
    text, datagrams = captured(100, 100, 0.1, 46, 2)
    whole = replayed(text, datagrams, [])
    found = {o.metric: o.value for o in Flow.parse("x.down.log", whole.encode())}
    assert found["down_bulk_loss"] == found["down_favoured_loss"] == 100
    assert found["down_bulk_received"] == 0 and "down_bulk_delay_min" not in found


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"dscp": "ef"}, "every: at least 1, together with a dscp"),
        ({"every": 10}, "every: at least 1, together with a dscp"),
        ({"rate": 1_000_000, "duration": 3}, "rate: with the duration, expected 1 to 2000000"),
    ],
)
def test_fields_that_do_not_fit_are_refused(fields, said):
    whole = {"client": "a", "server": "b", "direction": "up", "rate": 10, "length": 100}
    with pytest.raises(ValueError, match=said):
        Flow(**(whole | {"duration": 1} | fields))


def test_what_a_stream_and_its_calls_carried_is_added_up(fixture):
    probe = Mixed(client="client1", server="client2", duration=1, rate=200)
    logs = {
        "tcp-01.json": fixture("iperf-3.22/beside-calls.json"),
        "tcp-01.up.log": fixture("flow-1/calls.up.log"),
    }
    observations = []
    for name, content in logs.items():
        probe.require_complete(name, content)
        observations += probe.parse(name, content)
    carried = probe.carried(observations)
    alone = probe.stream.carried([o for o in observations if not o.metric.startswith("up_")])
    assert carried is not None and alone is not None
    assert carried.receiver == "client2"
    assert carried.least_packets == alone.least_packets + 592
    assert carried.most_packets == alone.most_packets + 600
