"""A flow both ways through a tunnel that is renewed, or lost, in the middle: packets that arrive,
and packets in the clear.

A packet without an IPsec policy is sent unchanged. At the other end it may well arrive, so a loss
test need not show it. Each gateway counts these packets (ipsec/clear_text.py), from before the
event until the flow is over. The tunnel is then set up again, and the trial proves the new one: the
end of the disturbed one, with two IKE_SAs or none, is an observation.

Dead peer detection asks at multiples of its delay, so an event at such a moment may meet a question
on its way. A scenario puts its event between them.

Output of the gateways, of which the first is the initiator; `late` has no SAs:

    flow rate 20 duration 450
    event killed lasts 2
    at 1767225642300000000 over 1767225644400000000   by the initiator's clock [ns]
    === before gw1 sas
    list-sa event {s2s {uniqueid=1 ...                   swanctl --list-sas --raw
    === before gw1 clear
    filter protocol ip pref 1 u32 chain 0 ...            ipsec/clear_text.py
    === before gw2 sas
    ...
    === after gw2 clear
    ...
"""

import re
from collections.abc import Iterator
from typing import ClassVar, Self

from pydantic import Field, model_validator

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.events import OUTAGES, Event, asked, happen
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.sas import in_use
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, control_of, match_line, sections, text_lines
from remeasure.bench.probes.flow import CLOCK, ENDS, BothWays
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.probes.readers import charon_log, flow_log

LATE_S = 2.0
"""time before the end of a flow at which gateways count once more, as meanings.yaml says [s]"""
_REFUSED = "received NO_PROPOSAL_CHOSEN notify error"
_BEGIN = re.compile(
    "flow rate ([0-9]+) duration [0-9.]+\nevent [a-z-]+ lasts [0-9.]+\n"
    "at ([0-9]{19}) over ([0-9]{19})"
)
_HEAD = re.compile(r"=== (before|late|after) (\S+) (sas|clear)")


def _read_flow(file: str, content: bytes) -> Iterator[Value]:
    yield from flow_log.read_values(file, content)
    log, way = flow_log.read_flow(file, content), flow_log.direction_of(file)
    _, (_, _, rate, planned, _, _) = log.lines["parameters"]
    end = log.begin + (planned - 1) * 1_000_000_000 // rate
    times = log.lines.get("times0") or flow_log.Line(log.lines["none"].number, (0, log.begin, 0, 0))
    line, (_, last, gap, _) = times
    tail = max(0.0, (end - last) / 1e9)
    yield Value(f"{way}_silence", max(gap / 1e9, tail), line)
    yield Value(f"{way}_tail", tail, line)


def _read_charon(file: str, content: bytes) -> Iterator[Value]:
    messages = [message for *_, message in charon_log.log_lines(file, content)]
    repeated = sum(bool(charon_log.RETRANSMIT.fullmatch(message)) for message in messages)
    yield Value("retransmits", repeated, len(messages))
    renewed = sum(bool(charon_log.RENEWED.fullmatch(message)) for message in messages)
    yield Value("renewals", renewed, len(messages))
    yield Value("refusals", messages.count(_REFUSED), len(messages))


def _read_gateways(file: str, content: bytes) -> Iterator[Value]:
    """Yield the values of the event and of both gateways. An SA is known by its SPI: an IKE_SA by
    the initiator's, a CHILD_SA by both."""
    lines = text_lines(file, content)
    head = match_line(_BEGIN, file, 1, "\n".join(lines[:3]), "three lines: rate, event, times")
    rate, at, over = map(int, head.groups())
    yield Value("event_took", (over - at) / 1e9, 3)
    found = sections(file, lines, _HEAD, "'=== <moment> <gateway> ...'", begin=3)
    parts = {head.groups(): (line, "\n".join(own)) for head, line, own in found}
    gateways = list(dict.fromkeys(gateway for _, gateway, _ in parts))
    for end, gateway in zip(ENDS, gateways, strict=True):
        counts = []
        for moment in ("before", "late", "after"):
            line, text = parts[moment, gateway, "clear"]
            counts.append(clear_text.read(text, clear_text.families_in(text)).clear)
        before, late, after = counts
        yield Value(f"{end}_clear_before", before, line)
        yield Value(f"{end}_clear", after - before, line)
        yield Value(f"{end}_clear_time", (after - before) / rate, line)
        yield Value(f"{end}_still_clear", after - late, line)
        spis = list[list[object]]()
        for moment in ("before", "after"):
            line, text = parts[moment, gateway, "sas"]
            established, children = in_use(text)
            spis.append([sa.get("initiator-spi") for sa in established])
            spis.append([(child.get("spi-in"), child.get("spi-out")) for child in children])
        ike_before, child_before, ike, child = spis
        there = len(ike_before) + len(child_before)
        yield Value(f"{end}_sas_before", there, parts["before", gateway, "sas"][0])
        yield Value(f"{end}_ike_sas", len(ike), line)
        yield Value(f"{end}_child_sas", len(child), line)
        yield Value(f"{end}_ike_renewed", int(ike != ike_before), line)
        yield Value(f"{end}_child_renewed", int(child != child_before), line)


class DisturbedFlow(BothWays):
    """Datagrams both ways at a constant rate, and one event that happens to their tunnel."""

    kind: ClassVar = "disturbed_flow"
    takes_ipv6: ClassVar = True
    controls_tunnel: ClassVar = True
    may_leak: ClassVar = True
    readers: ClassVar = {
        ".gateways.txt": _read_gateways,
        ".charon.log": _read_charon,
        "": _read_flow,
    }
    meanings: ClassVar = flow_log.METRICS | MEANINGS["disturbed_flow"]

    event: Event
    """the event of the tunnel"""
    at: float = Field(gt=0, le=3600)
    """time from the begin of the flow to the event [s]"""
    lasts: float = Field(0, ge=0, le=3600)
    """time for which an outage lasts; of a boot, from the network to the start of the daemon [s]"""

    @model_validator(mode="after")
    def _within(self) -> Self:
        if self.at + self.lasts + LATE_S > self.duration:
            raise ValueError(f"duration: expected at least at + lasts + {LATE_S:g} s")
        if self.lasts and self.event not in OUTAGES:
            raise ValueError(
                f"lasts: a renewal lasts as long as it takes; remove it ({self.event})"
            )
        return self

    @property
    def boots(self) -> bool:
        return self.event == "boot"

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        said = _ask(control, "before", sas=True)
        self.begin(bench)
        began = int(control.initiator.run(CLOCK))
        _wait_until(control, began, self.at)
        at = control.initiator.run(CLOCK).strip()
        happen(control, self.event, self.lasts)
        over = control.initiator.run(CLOCK).strip()
        _wait_until(control, began, self.duration - LATE_S)
        said += _ask(control, "late", sas=False)
        self.save_flows(bench, stem)
        said += _ask(control, "after", sas=True)
        head = f"flow rate {self.rate} duration {self.duration:g}\n"
        head += f"event {self.event} lasts {self.lasts:g}\nat {at} over {over}\n"
        bench.save(f"{stem}.gateways.txt", head + said)
        bench.save(f"{stem}.charon.log", control.read_log())
        (bench.set_up if self.boots else control.configure)()
        control.bring_up()

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that the tunnel was there before the event and nothing left in the clear; that a
        renewal renewed the right SAs, at both ends, as often as planned; and that no other flow
        came to the port."""
        found = {o.metric: int(o.value) for o in observed}
        checks = super().agree(name, observed, tunnel)
        for end in ENDS:
            what = f"{name}: IKE_SAs and CHILD_SAs of the {end} before the event"
            checks.append(equal("logs", what, found[f"{end}_sas_before"], 2))
            what = f"{name}: packets in the clear at the {end} before the event"
            checks.append(equal("logs", what, found[f"{end}_clear_before"], 0))
            if self.event not in OUTAGES:
                other_ike = self.event in ("ike", "reauthentication", "terminate-initiate")
                renewed = int(other_ike), int(self.event not in ("none", "ike"))
                told = found[f"{end}_ike_renewed"], found[f"{end}_child_renewed"]
                what = f"{name}: IKE_SA and CHILD_SA of the {end} are others (1) or not (0)"
                checks.append(equal("logs", what, told, renewed))
        if self.event not in OUTAGES and isinstance(tunnel, IpsecTunnel):
            by_time = tunnel.lifecycle.extra.renewals(self.duration)
            least, most = (sum(both) for both in zip(asked(self.event), by_time, strict=True))
            what, count = f"{name}: renewals in the initiator's log", found["renewals"]
            planned = f"{least} to {most}" if least < most else str(most)
            checks.append(Check("logs", what, least <= count <= most, str(count), planned))
        return checks


def _ask(control: TunnelControl, moment: str, sas: bool) -> str:
    """State of the gateways at a moment: their SAs, and how many packets left in the clear."""
    text = ""
    for name, gateway in control.gateways.items():
        if sas:
            text += f"=== {moment} {name} sas\n{gateway.run('swanctl --list-sas --raw')}"
        clear = gateway.run(clear_text.ask(control.interfaces[name]))
        text += f"=== {moment} {name} clear\n{clear}"
    return text


def _wait_until(control: TunnelControl, began: int, after_s: float) -> None:
    """Wait until a time after the flow began, by the initiator's clock. If commands take time, a
    mere sleep would be late by all of it."""
    until = began + round(after_s * 1e9)
    control.initiator.run(
        f"left=$(( ({until} - $({CLOCK})) / 1000000 )); [ $left -le 0 ] || "
        "sleep $((left / 1000)).$(printf %03d $((left % 1000)))",
        timeout=after_s + 30,
    )
