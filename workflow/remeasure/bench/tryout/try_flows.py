"""A flow each way between the protected hosts, and captures at the router between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from remeasure.bench.probes.readers.capture import capture
from remeasure.bench.probes.readers.flow_log import FlowLog, read_flow
from remeasure.bench.testbed.tools import fail_showing, wait_until
from remeasure.bench.tryout import seen, try_network
from remeasure.bench.tryout.pair import End
from remeasure.bench.tryout.running_pair import PROGRAM, RunningPair

_LOG = f"{PROGRAM}.receiver.log"
_NEXT = "--- received ---\n"
_END = f"""\
read -r pid <{PROGRAM}.sender.pid; while [ -d /proc/$pid ]; do sleep 0.2; done
read -r pid <{PROGRAM}.receiver.pid; kill $pid; while [ -d /proc/$pid ]; do sleep 0.05; done
cat {PROGRAM}.sender.log - {_LOG} <<'.'
{_NEXT}.
"""
_LENGTH = 200
"""payload of a datagram [bytes]"""
_LATE_S = 1.0
"""lateness from which a datagram counts as lost [s]: WireGuard holds 128 back for minutes"""


@dataclass(frozen=True)
class FlowRate:
    """Datagrams per second, each way: `fast` in the first `first_s` seconds, then `slow`."""

    slow: float
    fast: float = 0
    first_s: float = 0

    def __str__(self) -> str:
        """As the program takes it."""
        return f"{self.fast:g}/{self.first_s:g}/{self.slow:g}" if self.first_s else f"{self.slow:g}"

    def due(self, number: int) -> float:
        """When a datagram is due [s after the flow began]."""
        first = round(self.fast * self.first_s)
        return number / self.fast if number < first else self.first_s + (number - first) / self.slow

    def grain(self, after_s: float) -> float:
        """Time between two datagrams, so long after the flow began [s]."""
        return 1 / (self.fast if after_s < self.first_s else self.slow)


@dataclass(frozen=True)
class Flows:
    """A flow each way, once both have ended."""

    rate: FlowRate
    logs: dict[str, FlowLog]
    """name of the sending end -> log"""

    def lost_at(self, sender: str) -> list[float]:
        """Times at which datagrams were due that never arrived, or much too late behind one that
        never did, sent by one end [s]."""
        log = self.logs[sender]
        begin, planned = log.begin / 1e9, log.lines["sent0"].values[0]
        dues = [begin + self.rate.due(number) for number in range(planned)]
        if "none" in log.lines:
            return dues
        usual = log.lines["delay0"].values[0] / 1e9
        numbers = set[int]()
        for _, (first, count, _, *arrived) in log.runs["0"]:
            numbers |= {*range(first, first + count)}
            for at in arrived:
                held = at / 1e9 - usual - _LATE_S
                behind = range(first + count, planned)
                numbers |= {one for one in behind if dues[one] + self._gap(one) < held}
        return [dues[number] for number in sorted(numbers)]

    def _gap(self, number: int) -> float:
        return self.rate.due(number + 1) - self.rate.due(number)

    def time_of(self, sender: str, times: Sequence[float]) -> float:
        """The time that datagrams stand for which were due at these times [s]."""
        begin = self.logs[sender].begin / 1e9
        return sum(self.rate.grain(at - begin) for at in times)


def _after(seconds: float) -> str:
    """A line that waits; together with others, since a guest takes longer to begin a script."""
    return f"sleep {seconds:.6f}\n" if seconds else ""


def start_receiver(running: RunningPair, end: End, seconds: float, after_s: float = 0) -> None:
    """After `after_s`, let the host of an end receive a flow that lasts so long, and wait until it
    listens."""
    version = end.host.version if end.host else 4
    listens = f'{{ read -r _; read -r word _; }} <{_LOG} && [ "$word" = port ]'
    listening = wait_until(listens, fail_showing(_LOG), pause_s=0.02)
    running.sh(
        try_network.host_of(end),
        f"{_after(after_s)}{PROGRAM} receive {seen.FLOW_PORT} {seconds + 60:g} {version} "
        f"</dev/null >{_LOG} 2>&1 &\necho $! >{PROGRAM}.receiver.pid\n{listening}",
        after_s + 60,
    )


def begin_flows(running: RunningPair, seconds: float, rate: FlowRate, after_s: float = 0) -> float:
    """After `after_s`, start a flow each way, for so long. Returns when the last one ends [s since
    the epoch]."""
    ends = running.pair.ends
    for end, pause in zip(ends, (after_s, 0), strict=True):
        start_receiver(running, end, seconds, pause)
    for end in ends:
        to = running.pair.peer(end).host
        running.sh(
            try_network.host_of(end),
            f"{PROGRAM} send {to} {seen.FLOW_PORT} {_LENGTH} {rate} {seconds:g} </dev/null "
            f">{PROGRAM}.sender.log 2>&1 &\necho $! >{PROGRAM}.sender.pid",
        )
    return running.now() + seconds


def end_flows(running: RunningPair, ends_at: float) -> dict[str, FlowLog]:
    """Wait until both flows have ended. Returns name of the sending end -> log."""
    hosts, told = {end.name: try_network.host_of(end) for end in running.pair.ends}, {}
    for name, host in hosts.items():
        left = max(0, ends_at + running.way.rtt_ms / 1e3 + 1 - running.now())
        told[name] = running.sh(host, _after(left) + _END, left + 60).split(_NEXT)
    peers = {end.name: running.pair.peer(end).name for end in running.pair.ends}
    return {
        name: read_flow(f"{name}.up.log", (told[name][0] + told[peers[name]][1]).encode())
        for name in hosts
    }


@contextmanager
def captured(running: RunningPair, expression: str) -> Iterator[dict[str, bytes]]:
    """Capture packets that leave each gateway while the body runs. Gives name of an end ->
    capture, filled at the end."""
    found: dict[str, bytes] = {}
    router = try_network.ROUTER
    with ExitStack() as stack:
        for end in running.pair.ends:
            stack.enter_context(received(running, router, try_network.wan_of(end), expression))
        yield found
    found |= {end.name: captured_by(running, router, end) for end in running.pair.ends}


def received(
    running: RunningPair, host: str, link: str, expression: str
) -> AbstractContextManager[None]:
    """Capture packets that a host receives by a link, for `captured_by`."""
    file = f"/run/{link}.pcap"
    return capture(running.remotes[host], link, expression, 128, file, "-Q in -B 16384")


def captured_by(running: RunningPair, host: str, end: End) -> bytes:
    """Packets that a host received by the link between an end and the router."""
    return running.remotes[host].read(f"/run/{try_network.wan_of(end)}.pcap")
