"""A flow each way between the protected hosts, and captures at the routers next to the gateways."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
while [ -d /proc/$(cat {PROGRAM}.sender.pid) ]; do sleep 0.2; done
pid=$(cat {PROGRAM}.receiver.pid); kill -TERM $pid; while [ -d /proc/$pid ]; do sleep 0.05; done
cat {PROGRAM}.sender.log; printf %s '{_NEXT}'; cat {_LOG}
"""
_LENGTH = 200
"""payload of a datagram [bytes]"""
_LATE_S = 1.0
"""lateness from which a datagram counts as lost [s]: WireGuard holds 128 back for minutes"""


@dataclass(frozen=True)
class Flows:
    """A flow each way, once both have ended."""

    rate: float
    """datagrams per second, each way"""
    logs: dict[str, FlowLog]
    """name of the sending end -> log"""

    def lost_at(self, sender: str) -> list[float]:
        """Times at which datagrams were due that never arrived, or much too late behind one that
        never did, sent by one end [s]."""
        log = self.logs[sender]
        begin, planned = log.begin / 1e9, log.lines["sent0"].values[0]
        if "none" in log.lines:
            return [begin + number / self.rate for number in range(planned)]
        usual = log.lines["delay0"].values[0] / 1e9 + 1 / self.rate
        numbers = set[int]()
        for _, (first, count, _, *arrived) in log.runs["0"]:
            held_until = [at / 1e9 - begin - usual - _LATE_S for at in arrived]
            ends = [first + count, *(math.ceil(at * self.rate) for at in held_until)]
            numbers |= {*range(first, max(ends))}
        return [begin + number / self.rate for number in sorted(numbers)]


def start_receiver(running: RunningPair, end: End, seconds: float) -> None:
    """Let the host of an end receive a flow that lasts so long, and wait until it listens."""
    version = end.host.version if end.host else 4
    listening = wait_until(f"grep -q ^port {_LOG}", fail_showing(_LOG), pause_s=0.02)
    running.sh(
        try_network.host_of(end),
        f"setsid {PROGRAM} receive {seen.FLOW_PORT} {seconds + 60:g} {version} </dev/null >{_LOG} "
        f"2>&1 &\necho $! >{PROGRAM}.receiver.pid\n{listening}",
    )


def begin_flows(running: RunningPair, seconds: float, rate: float) -> float:
    """Start a flow each way, for so long, of so many datagrams per second. Returns when the last
    one ends [s since the epoch]."""
    ends = running.pair.ends
    for end in ends:
        start_receiver(running, end, seconds)
    for end in ends:
        to = running.pair.peer(end).host
        running.sh(
            try_network.host_of(end),
            f"setsid {PROGRAM} send {to} {seen.FLOW_PORT} {_LENGTH} {rate:g} {seconds:g} "
            f"</dev/null "
            f">{PROGRAM}.sender.log 2>&1 &\necho $! >{PROGRAM}.sender.pid",
        )
    return running.now() + seconds


def end_flows(running: RunningPair, ends_at: float) -> dict[str, FlowLog]:
    """Wait until both flows have ended. Returns name of the sending end -> log."""
    running.sleep_until(ends_at + running.way.rtt_ms / 1e3 + 1)
    hosts = {end.name: try_network.host_of(end) for end in running.pair.ends}
    told = {name: running.sh(host, _END).split(_NEXT) for name, host in hosts.items()}
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
    """What a host received by the link between an end and the router."""
    return running.remotes[host].read(f"/run/{try_network.wan_of(end)}.pcap")
