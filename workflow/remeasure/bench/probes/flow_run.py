"""Flows of the program env/flow/flow.c between hosts, and the base of the probes that run them.

    begin(bench, streams)                               # returns once all senders run
    ...                                                 # whatever happens meanwhile
    text = finish(bench, stream)                        # when the sender has ended
    bench.save(f"{stem}.up.log", text)                  # readers.flow_log reads it

A host sends one flow and receives one at a time: the port is the same for all.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, Probe
from remeasure.bench.probes.metrics import Observation
from remeasure.bench.probes.readers.flow_metrics import direction_of
from remeasure.bench.testbed.programs import bring, get_program
from remeasure.bench.testbed.treatments.shaping import dscp as number_of
from remeasure.bench.testbed.wait import fail, fail_showing, wait_until

PROGRAM = "flow"
NAME = "remeasure-flow"
"""name of the process on a host"""
PORT = 9400
"""port to which flows are sent"""
_DRAIN_S = 1
"""time after the sender's end for which the receiver still listens [s]"""
_PLACE = f"/run/{NAME}"
_SILENCE_S = 60
"""time beyond a flow's own after which a receiver that hears nothing ends by itself [s]"""
_BEGIN = f"""\
setsid {_PLACE} %(words)s </dev/null >{_PLACE}.%(role)s.log 2>&1 &
echo $! >{_PLACE}.%(role)s.pid
"""
_STOP = f"""\
pkill -9 -x {NAME}
{wait_until(f"! pgrep -x {NAME} >/dev/null", fail("flow does not stop"), pause_s=0.02)}
rm -f {_PLACE}.*
"""
_OVER = '[ ! -d "/proc/$pid" ]'


class Stream(NamedTuple):
    """One flow of datagrams in one direction."""

    sender: str
    """role of the host"""
    receiver: str
    """role of the host"""
    length: int
    """payload of a datagram [bytes]"""
    rate: int
    """datagrams in a second"""
    duration: float
    """[s]"""
    dscp: str | None = None
    """DSCP of the favoured class; None: there is none"""
    every: int = 0
    """one datagram in so many is of the favoured class"""

    def words(self, address: str) -> str:
        """Arguments of the program that sends to `address`."""
        favoured = f" {number_of(self.dscp)} {self.every}" if self.dscp else ""
        return f"send {address} {PORT} {self.length} {self.rate} {self.duration:g}{favoured}"


class FlowProbe(Probe):
    """Base of the probes that run flows between two hosts."""

    size_fields: ClassVar = frozenset({"length"})
    prepared_by: ClassVar = ("client", "server")

    client: HostName
    """host at one end, behind the initiator if there is a tunnel: it sends `up`"""
    server: HostName
    """host at the other end: it sends `down`"""

    def streams(self) -> Mapping[str, Stream]:
        """Direction -> what is sent."""
        raise NotImplementedError

    def build(self) -> None:
        get_program(PROGRAM)

    def prepare(self, bench: Bench) -> None:
        for host in (self.client, self.server):
            bench.remotes[host].run(_STOP)  # an earlier trial may have left one
            bring(bench.remotes[host], PROGRAM, _PLACE)

    def settings_in_log(self, file: str) -> Mapping[str, object]:
        stream = self.streams()[direction_of(file)]
        wanted = {
            "bytes": stream.length,
            "rate": stream.rate,
            "planned": int(stream.rate * stream.duration + 0.5),
            "dscp": number_of(stream.dscp) if stream.dscp else 0,
            "every": stream.every,
        }
        told = {rf"^flow [0-9]+ .*\b{name} ([0-9]+)": value for name, value in wanted.items()}
        return {**told, r"^to \S+ port ([0-9]+)": PORT}

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """Check that no datagram of another flow came to the ports."""
        strangers = sum(int(o.value) for o in observations if o.metric.endswith("_strangers"))
        return [equal("logs", f"{name}: datagrams of another flow", strangers, 0)]


def begin(bench: Bench, streams: Iterable[Stream]) -> None:
    """Start all receivers and, once they listen, all senders; returns at once."""
    log, version = f"{_PLACE}.receiver.log", bench.topology.family.version
    listening = wait_until(f"grep -q ^port {log}", fail_showing(log), pause_s=0.02)
    for stream in streams:
        words = f"receive {PORT} {stream.duration + _SILENCE_S:g} {version}"
        begin = _BEGIN % {"words": words, "role": "receiver"}
        bench.remotes[stream.receiver].run(begin + listening)
    for stream in streams:
        words = stream.words(bench.topology.address(stream.receiver))
        bench.remotes[stream.sender].run(_BEGIN % {"words": words, "role": "sender"})


def finish(bench: Bench, stream: Stream) -> str:
    """Wait for the sender's end and _DRAIN_S longer, stop the receiver, and return what both
    printed: the log of the flow."""
    steps = int(20 * (stream.duration + 20))
    over = wait_until(_OVER, fail("flow does not end"), steps, pause_s=0.05)
    show_sent = f"pid=$(cat {_PLACE}.sender.pid)\n{over}\ncat {_PLACE}.sender.log\n"
    sent = bench.remotes[stream.sender].run(show_sent, timeout=stream.duration + 60)
    show_received = (
        f"sleep {_DRAIN_S}\npid=$(cat {_PLACE}.receiver.pid)\nkill -TERM $pid\n"
        f"{wait_until(_OVER, fail('flow does not stop'), 600)}\ncat {_PLACE}.receiver.log\n"
    )
    return sent + bench.remotes[stream.receiver].run(show_received, timeout=_DRAIN_S + 60)
