"""D-ITG: goodput, one-way delay and its variation, of one flow of constant rate."""

import math
from collections.abc import Iterator
from itertools import cycle
from typing import Annotated, ClassVar, Literal, Self
from weakref import WeakKeyDictionary

from pydantic import Field, model_validator

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import FRAGMENT, SHORT_OR_RESENT, Carried, fewest_segments
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, Ends, LogError, Probe
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers.ditg_log import INTERVAL_MS, METRICS, read_series, read_summary
from remeasure.bench.testbed.compiled import bring, get_program
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import Tool, fail, fail_showing, wait_until
from remeasure.bench.testbed.treatments.shaping import FASTEST

_TAIL_S = 1.5
"""time by which a run may exceed the requested duration [s]: ITGRecv still listens for a second
after ITGSend reported the end of the flow; and either may have to wait for a processor"""
_LEAST = {"udp": 20, "tcp": 24}
"""transport -> size of D-ITG's own header [bytes]; D-ITG sends these bytes even if fewer are
requested"""

_PORTS = (9000, 9100)
"""ports of the two ITGRecv of a receiver"""
_CONTROL_PACKETS = 60
"""packets by which ITGSend and ITGRecv agree on a flow, in one direction, at most: 6 to 18 in 800
flows"""
_STARTING_S = 0.1
"""time that ITGSend and ITGRecv take to agree on a flow, roughly [s]"""
_SEPARATE = "separate_writes"
_LIBRARY = f"/run/remeasure-{_SEPARATE}.so"
# The loader only warns of a library that it cannot load.
_REQUIRE_LIBRARY = f"""\
said=$(LD_PRELOAD={_LIBRARY} ITGDec -h 2>&1 | grep 'ld\\.so') || exit 0
echo "$said" >&2; exit 1
"""
_FILES = "/tmp/ditg-"
"""prefix of names of all files, at both ends"""
_OUT = f"{_FILES}recv-%(port)d.out"
# ITGRecv appends to its output, so that file can be emptied after each flow.
_LISTEN = f"""\
setsid ITGRecv -Sp %(port)d </dev/null >>{_OUT} 2>&1 &
{wait_until("ss -Hltn sport = :%(port)d | grep -q .", fail_showing(_OUT), pause_s=0.02)}
"""
_SERVE = f"""\
pkill -9 -x ITGRecv; pkill -9 -x ITGDec
{wait_until("! pgrep -x ITGRecv >/dev/null", fail("ITGRecv does not stop"), pause_s=0.02)}
rm -f {_FILES}*
""" + "".join(_LISTEN % {"port": port} for port in _PORTS)
# Remains of a failed trial.
_STOP_SENDING = f"pkill -9 -x ITGSend; rm -f {_FILES}*.pid"
# Quiet until the flow is over, as any command would take processor time from it.
_SEND = f"""\
before=$(cat {_FILES}%(port)d.pid 2>/dev/null)
{wait_until('[ ! -d "/proc/${before:-none}" ]', fail("ITGSend does not end"), pause_s=0.02)}
setsid timeout -s KILL %(limit).1f %(send)s </dev/null >{_FILES}%(port)d.out 2>&1 &
echo $! >{_FILES}%(port)d.pid
sleep %(wait)g
[ -d /proc/$! ] || {{ cat {_FILES}%(port)d.out >&2; exit 1; }}
"""
_ALL_SENT = wait_until("! pgrep -x ITGSend >/dev/null", fail("ITGSend does not end"), pause_s=0.02)
_UNFINISHED = f"echo ITGRecv does not finish >&2; {fail_showing(_OUT)}"
# Data in TCP's buffer arrives after the sender reported the end of the flow.
_DRAINED = wait_until('[ -z "$(ss -Htn state established sport = :$port)" ]', "break", pause_s=0.02)
_END = f"""\
{wait_until(f"grep -q '^Finish on' {_OUT}", _UNFINISHED, steps=1000, pause_s=0.02)}
grep -i error {_OUT} >&2 && exit 1
port=$(sed -n 's/^Finish on TCP port : //p' {_OUT})
if [ "$port" ]; then {_DRAINED}; fi
: >{_OUT}
"""
# For each packet ITGDec turns a spinner on standard error; its complaints are on the other. A run
# across midnight makes it write a series without end.
_DECODE = f"""\
timeout -s KILL %(limit)d ITGDec %(log)s -v -c {INTERVAL_MS} %(log)s.series 2>/dev/null || {{
  echo ITGDec does not end >&2; rm -f %(log)s*; exit 1; }}
echo '--- series ---'
cat %(log)s.series && rm -f %(log)s*
"""

_turns: WeakKeyDictionary[Remote, Iterator[int]] = WeakKeyDictionary()
"""receiver -> port of the ITGRecv that serves the next flow"""


class Ditg(Probe):
    """One flow of packets of one size, at a constant rate.

    A delay is the receiver's clock less the sender's, so it contains the difference of the clocks,
    and may be negative. Differences of delays, jitter and standard deviation do not contain it.

    With `skip`, the goodput covers the time from `skip` to `duration` after the first packet
    arrived: the mean of the intervals of 100 ms that begin in it. All other metrics cover the whole
    flow. Both times are in the names of the logs, as in `flow-01.500-3000ms.series.txt`.

    After each flow ITGRecv listens for another second (`sleep(1)` in its source), and ITGSend waits
    for it. Its log is complete as soon as the flow is over, so the trial goes on meanwhile. Two
    ITGRecv, which serve all flows of a trial, take turns, since one cannot serve flows that
    overlap: it closes sockets twice, the second time another flow's.
    """

    kind: ClassVar = "ditg"
    size_fields: ClassVar = frozenset({"payload"})
    cost_fields: ClassVar = frozenset({"transport", "separate_writes"})
    prepared_by: ClassVar = ("sender", "receiver", "separate_writes")
    verifies: ClassVar = True
    reads_log: ClassVar = True  # ITGDec, in blocks measured before it ran in `verify`
    tools: ClassVar = {"d-itg": Tool(["ITGDec", "-h"], "d-itg")}
    meanings: ClassVar = METRICS
    readers: ClassVar = {".series.txt": read_series, "": read_summary}

    sender: HostName
    """host that runs ITGSend"""
    receiver: HostName
    """host that runs ITGRecv"""
    transport: Literal["tcp", "udp"]
    """transport protocol of the flow"""
    payload: int = Field(le=65507)
    """payload of a packet [bytes], D-ITG's own header of 20 (UDP) or 24 (TCP) bytes included"""
    rate: Annotated[
        str, Field(pattern=r"^(0\.[0-9]*[1-9][0-9]*|[1-9][0-9]*(\.[0-9]+)?)(pps|kbit|mbit)$")
    ]
    """offered rate: packets per second ("1000pps") or bits of payload per second ("120mbit")"""
    separate_writes: bool = False
    """by TCP only; true: no two writes share a packet (TCP_NODELAY and MSG_EOR, by
    env/programs/separate_writes.c); false: small ones that wait, as for an acknowledgement, are
    joined to longer segments"""
    duration: float = Field(gt=0, le=3600)
    """duration of the flow [s]"""
    skip: float = Field(0, ge=0, le=3600)
    """time after the first packet that goodput leaves out, while the flow finds its rate [s]; 0:
    goodput covers the whole flow"""

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        if self.skip and self.skip + INTERVAL_MS / 1e3 > self.duration:
            raise ValueError(
                f"skip: {self.skip:g} s; leaves less than {INTERVAL_MS} ms of {self.duration:g} s"
            )
        if self.payload < (least := _LEAST[self.transport]):
            raise ValueError(
                f"payload: {self.payload}; D-ITG sends at least {least} bytes by {self.transport}"
            )
        if self.separate_writes and self.transport != "tcp":
            raise ValueError(
                f"separate_writes: found true by {self.transport}, expected only by tcp"
            )
        if self.packets_per_second * self.payload * 8 > FASTEST:
            raise ValueError(f"rate: found {self.rate}, expected at most {FASTEST / 1e6:g}mbit")
        return self

    @property
    def packets_per_second(self) -> float:
        number, unit, _ = self.numbers()["rate"]["rate"]
        return number if unit == "packets/s" else number * (1e6 / 8 / self.payload)

    def numbers(self) -> dict[str, dict[str, tuple[float, str, str]]]:
        number = float(self.rate.rstrip("psmkbit")) * (1e-3 if self.rate.endswith("kbit") else 1)
        unit = "packets/s" if self.rate.endswith("pps") else "Mbit/s"
        return {"rate": {"rate": (number, unit, "offered rate")}}

    def seconds(self) -> float:
        return self.duration + 0.5

    def options(self, address: str, log: str) -> str:
        """Arguments of ITGSend, for a receiver at `address` that writes `log`."""
        now = " -D" * self.separate_writes
        return (
            f"-a {address} -T {self.transport.upper()}{now} -c {self.payload} "
            f"-C {self.packets_per_second:.3f} -t {self.duration * 1000:.0f} -x {log}"
        )

    @property
    def decode_limit(self) -> float:
        """The longest that decoding may take [s]."""
        return 20 + 5 * self.duration

    def build(self) -> None:
        if self.separate_writes:
            get_program(_SEPARATE)

    def prepare(self, bench: Bench) -> None:
        steps = {self.sender: _STOP_SENDING, self.receiver: _SERVE}
        at_once(lambda role: bench.remotes[role].run(steps[role]), steps)
        _turns[bench.remotes[self.receiver]] = cycle(_PORTS)
        if self.separate_writes:
            bring(bench.remotes[self.sender], _SEPARATE, _LIBRARY)
            bench.remotes[self.sender].run(_REQUIRE_LIBRARY)

    def measure(self, bench: Bench, stem: str) -> None:
        sender, receiver = bench.remotes[self.sender], bench.remotes[self.receiver]
        preloaded = f"env LD_PRELOAD={_LIBRARY} " * self.separate_writes
        options = self.options(bench.topology.address(self.receiver), f"{_FILES}{stem}.log")
        port = next(_turns[receiver])
        send = {
            "port": port,
            # An ITGSend that is interrupted corrupts the heap of ITGRecv; `prepare` starts a new
            # one.
            "limit": self.duration + 20,
            # 0: ITGRecv takes a free port for the data.
            "send": f"{preloaded}ITGSend {options} -Sdp {port} -rp 0",
            "wait": self.duration + _STARTING_S,
        }
        sender.run(_SEND % send, timeout=self.duration + 30)
        receiver.run(_END % {"port": port})

    def verify(self, bench: Bench, stem: str) -> None:
        """Decode the log, which may take longer than the flow."""
        decode = _DECODE % {"log": f"{_FILES}{stem}.log", "limit": self.decode_limit}
        text = bench.remotes[self.receiver].run(decode, timeout=self.decode_limit + 10)
        summary, _, series = text.partition("--- series ---\n")
        if self.skip:
            stem = f"{stem}.{self.skip * 1000:.0f}-{self.duration * 1000:.0f}ms"
        bench.save(f"{stem}.txt", summary)
        bench.save(f"{stem}.series.txt", series)

    def finish(self, bench: Bench) -> None:
        """ITGSend closes its connection a second after the flow."""
        bench.remotes[self.sender].run(_ALL_SENT)

    def ends(self) -> Ends:
        return Ends(self.sender, self.receiver, datagrams=self.transport == "udp")

    def carried(self, observations: list[Value]) -> Carried:
        found = {o.metric: int(o.value) for o in observations}
        arrived = found["received"]
        if self.transport == "udp":
            # Packets lost behind the gateway, in a full socket buffer, did pass the SA, and packets
            # lost after the last one that arrived, which no gap in the numbers reveals.
            parts = math.ceil((self.payload + 8) / FRAGMENT)
            most = int((arrived + found["lost"]) * parts * SHORT_OR_RESENT)
            return Carried(self.receiver, arrived, most, control_packets=_CONTROL_PACKETS)
        # TCP may join small packets to full segments, send each by itself, or cut a long one.
        least = arrived if self.separate_writes else fewest_segments(found["received_bytes"])
        most = int(arrived * math.ceil(self.payload / FRAGMENT) * SHORT_OR_RESENT)
        return Carried(self.receiver, least, most)

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that the series of intervals has the bytes and the losses of the whole flow."""

        def total(metric: str) -> float:
            return sum(o.value for o in observed if o.metric == metric)

        size = round(total("goodput_interval") * INTERVAL_MS * 1e3 / 8)
        lost, of = round(total("loss_interval")), "of all intervals"
        return [
            equal("logs", f"{name}: bytes {of}", size, round(total("received_bytes"))),
            equal("logs", f"{name}: packets lost {of}", lost, round(total("lost"))),
        ]

    def require_complete(self, file: str, content: bytes) -> None:
        found = {o.metric: o for o in self.parse(file, content)}
        # One packet is due every 1 / rate; the first and the last may be late.
        least = self.duration * 0.9 - 2 / self.packets_per_second
        if file.endswith(".series.txt"):
            last = found["loss_interval"]
            if (last.index + 1) * INTERVAL_MS / 1e3 < least:
                wrong = f"{last.index + 1} intervals of {INTERVAL_MS} ms"
                expected = f"about {self.duration:g} s (is the file cut?)"
                raise LogError(file, last.line, wrong, expected)
            return
        duration = found["duration"]
        if not least <= duration.value <= self.duration + _TAIL_S:
            expected = f"about {self.duration:g} s, from first packet to last"
            raise LogError(file, duration.line, f"{duration.value:g} s", expected)
