"""Running flows of the program env/flow/flow.c between hosts, for any probe that wants traffic
while it does something else.

    stream = Stream("client1", "client2", length=1250, rate=2000, duration=4)
    bring_program(bench, ["client1", "client2"])        # once, in `prepare`
    listen(bench, stream)
    begin(bench, stream)                                # returns at once
    ...                                                 # whatever happens meanwhile
    text = finish(bench, stream)                        # when the sender has ended
    bench.save(f"{stem}.up.log", text)                  # readers.flow_log reads it

Flows in both directions are two streams. A host sends one flow and receives one at a time: the port
is the same for all.
"""

from collections.abc import Iterable
from typing import NamedTuple

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.probes.base import Bench
from remeasure.bench.probes.metrics import Observation
from remeasure.bench.testbed.programs import bring, get_program
from remeasure.bench.testbed.treatments.shaping import dscp as number_of
from remeasure.bench.testbed.wait import fail, fail_showing, wait_until

PROGRAM = "flow"
NAME = "remeasure-flow"
"""name of the process on a host"""
PORT = 9400
"""port to which flows are sent"""
DRAIN_S = 1.0
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


def build_program() -> None:
    """Compile the program on this machine. Raises UserError."""
    get_program(PROGRAM)


def bring_program(bench: Bench, hosts: Iterable[str]) -> None:
    """Put the program on hosts (roles), and end what an earlier trial may have left of it."""
    for host in hosts:
        bench.remotes[host].run(_STOP)
        bring(bench.remotes[host], PROGRAM, _PLACE)


def listen(bench: Bench, stream: Stream) -> None:
    """Start the receiver; returns when it listens."""
    version = bench.topology.family.version
    words = f"receive {PORT} {stream.duration + _SILENCE_S:g} {version}"
    log = f"{_PLACE}.receiver.log"
    listening = wait_until(f"grep -q ^port {log}", fail_showing(log), pause_s=0.02)
    begin = _BEGIN % {"words": words, "role": "receiver"}
    bench.remotes[stream.receiver].run(begin + listening)


def begin(bench: Bench, stream: Stream) -> None:
    """Start the sender; returns at once."""
    words = stream.words(bench.topology.address(stream.receiver))
    bench.remotes[stream.sender].run(_BEGIN % {"words": words, "role": "sender"})


def finish(bench: Bench, stream: Stream, drain_s: float = DRAIN_S) -> str:
    """Wait for the sender's end and `drain_s` longer, stop the receiver, and return what both
    printed: the log of the flow."""
    steps = int(20 * (stream.duration + 20))
    over = wait_until(_OVER, fail("flow does not end"), steps, pause_s=0.05)
    show_sent = f"pid=$(cat {_PLACE}.sender.pid)\n{over}\ncat {_PLACE}.sender.log\n"
    sent = bench.remotes[stream.sender].run(show_sent, timeout=stream.duration + 60)
    show_received = (
        f"sleep {drain_s:g}\npid=$(cat {_PLACE}.receiver.pid)\nkill -TERM $pid\n"
        f"{wait_until(_OVER, fail('flow does not stop'), 600)}\ncat {_PLACE}.receiver.log\n"
    )
    return sent + bench.remotes[stream.receiver].run(show_received, timeout=drain_s + 60)


def no_strangers(name: str, observations: Iterable[Observation]) -> Check:
    """Check that no datagram of another flow came to the ports of a probe (`name`)."""
    strangers = sum(int(o.value) for o in observations if o.metric.endswith("_strangers"))
    return equal("logs", f"{name}: datagrams of another flow", strangers, 0)


def stream_settings(stream: Stream) -> dict[str, object]:
    """What logs of a flow repeat of its settings (Probe.settings_in_log)."""
    wanted = {
        "bytes": stream.length,
        "rate": stream.rate,
        "planned": int(stream.rate * stream.duration + 0.5),
        "dscp": number_of(stream.dscp) if stream.dscp else 0,
        "every": stream.every,
    }
    told = {rf"^flow [0-9]+ .*\b{name} ([0-9]+)": value for name, value in wanted.items()}
    return {**told, r"^to \S+ port ([0-9]+)": PORT}
