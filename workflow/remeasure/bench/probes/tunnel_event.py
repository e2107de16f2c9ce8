"""A flow through a tunnel of any kind, and one event of the tunnel: begun cold, restarted
at one end, or its initiator gets another address. Packets that leave a gateway in the clear are
counted meanwhile (ipsec/clear_text.py). Renewals and outages of IPsec, which need its daemons, are
probe disturbed_flow's."""

import re
import shlex
from collections.abc import Iterator
from ipaddress import ip_interface
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.kinds import KINDS
from remeasure.bench.ipsec.tunnel import LinuxControl
from remeasure.bench.probes.base import Bench, match_line, sections, text_lines
from remeasure.bench.probes.flow import CLOCK, ENDS, BothWays, Stream
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.probes.readers.flow_log import METRICS, direction_of, read_flow, read_values

_HEAD = re.compile(
    f"tunnel ({'|'.join(KINDS)}) event [a-z]+ lasts [0-9.]+ rate ([0-9]+) took ([0-9]+)"
)
_MARK = re.compile("=== (?:before|after) (?:initiator|responder)")
_OTHER_HOST = 7
"""by so much the address is higher that the initiator gets"""


def _read_flow(file: str, content: bytes) -> Iterator[Value]:
    yield from read_values(file, content)
    log = read_flow(file, content)
    if times := log.lines.get("times0"):
        wait = max(0.0, (times.values[0] - log.begin) / 1e9)
        yield Value(f"{direction_of(file)}_wait", wait, times.number)


def _read_event(file: str, content: bytes) -> Iterator[Value]:
    lines = text_lines(file, content)
    head = match_line(_HEAD, file, 1, lines[0], "kind, event, times and rate")
    yield Value("event_took", int(head[3]) / 1e9, 1)
    outer = KINDS[head[1]].settings.outer
    parts = [*sections(file, lines, _MARK, "'=== <moment> <end>'", begin=1)]
    counts = {mark[0]: clear_text.read("\n".join(own), outer=outer).clear for mark, _, own in parts}
    line = parts[-1][1] - 1
    for end in ENDS:
        packets = counts[f"=== after {end}"] - counts[f"=== before {end}"]
        yield Value(f"{end}_clear", packets, line)
        yield Value(f"{end}_clear_time", packets / int(head[2]), line)


class TunnelEvent(BothWays):
    """Datagrams at a constant rate, both ways unless it is cold, and one event of their tunnel."""

    kind: ClassVar = "tunnel_event"
    controls_tunnel: ClassVar = True
    any_tunnel: ClassVar = True
    may_leak: ClassVar = True
    readers: ClassVar = {".event.txt": _read_event, "": _read_flow}
    meanings: ClassVar = METRICS | MEANINGS["tunnel_event"]

    event: Literal["none", "cold", "restart", "roam"]
    """cold: the tunnel is set up again before the flow, by its first packet if the kind can;
    restart: the responder's service is stopped, and started again later; roam: the initiator gets
    another address"""
    at: float = Field(1, gt=0, le=3600)
    """time from the begin of the flow to the event, unless it is cold [s]"""
    lasts: float = Field(0, ge=0, le=3600)
    """time between stop and start of event restart [s]"""

    @model_validator(mode="after")
    def _within(self) -> Self:
        if self.at + self.lasts >= self.duration:
            raise ValueError("duration: expected more than at + lasts")
        return self

    def streams(self) -> dict[str, Stream]:
        # Two ends of WireGuard that begin at the same moment refuse each other, and try again later
        # after random times. In virtual time they have one kernel, whose timers
        # are too coarse for that.
        both = super().streams()
        return {"up": both["up"]} if self.event == "cold" else both

    def measure(self, bench: Bench, stem: str) -> None:
        control = bench.tunnel
        assert isinstance(control, LinuxControl)
        said = _ask(control, "before")
        initiator = bench.remotes[control.tunnel.initiator]
        started = int(initiator.run(CLOCK))
        if self.event == "cold":
            control.configure()
            took = int(initiator.run(CLOCK)) - started
            self.begin(bench)
        else:
            self.begin(bench)
            initiator.run(f"sleep {self.at:g}", timeout=self.at + 30)
            started = int(initiator.run(CLOCK))
            if self.event == "restart":
                control.restart(control.tunnel.responder, self.lasts)
            if self.event == "roam":
                _move(bench, control, back=False)
            took = int(initiator.run(CLOCK)) - started
        self.save_flows(bench, stem)
        said += _ask(control, "after")
        head = f"tunnel {control.tunnel.kind} event {self.event} lasts {self.lasts:g} "
        bench.save(f"{stem}.event.txt", f"{head}rate {self.rate} took {took}\n{said}")
        if self.event == "roam":
            _move(bench, control, back=True)
        control.configure()
        control.bring_up()


def _ask(control: LinuxControl, moment: str) -> str:
    """Packets in the clear until now, of both gateways."""
    text = ""
    for end, gateway in zip(ENDS, control.tunnel.gateways, strict=True):
        clear = control.gateways[gateway].run(clear_text.ask(control.interfaces[gateway]))
        text += f"=== {moment} {end}\n{clear}"
    return text


def _move(bench: Bench, control: LinuxControl, back: bool) -> None:
    """Give the initiator another address on the link of the tunnel, or its own. Routes by the
    interface, which are lost with the address, are put back."""
    gateway = control.tunnel.initiator
    own = ip_interface(bench.topology.links_of(gateway)[control.tunnel.link_of(gateway)])
    address = own if back else ip_interface(f"{own.ip + _OTHER_HOST}/{own.network.prefixlen}")
    interface = shlex.quote(control.interfaces[gateway])
    control.gateways[gateway].run(f"""\
routes=$(ip route show dev {interface} | grep -v 'proto kernel')
ip addr flush dev {interface} && ip addr add {address} dev {interface} || exit 1
printf '%s\\n' "$routes" | while read -r route; do
  [ -z "$route" ] || ip route replace $route dev {interface} || exit 1
done""")
