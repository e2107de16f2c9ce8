"""The protocol of study faigl: how long an echo takes that finds no SA and has to wait for one.

Echoes come so seldom that the SAs of the last one have been closed. The round-trip time of each
holds a whole negotiation, and what the kernel takes to notice that it has ended.
"""

import re
from collections.abc import Iterable
from typing import ClassVar

from remeasure.checks import Check, equal
from remeasure.ipsec.tunnel import Tunnel
from remeasure.probes.base import Bench, Observation
from remeasure.probes.ping import Ping
from remeasure.probes.readers import ike_messages as ike

_ON_DEMAND = re.compile(r"creating acquire job for policy \S+\[icmp/8\] === ")


class Reauthentication(Ping):
    """Echo requests, each of which makes initiator and responder authenticate anew."""

    kind: ClassVar = "reauthentication"
    controls_tunnel: ClassVar = True

    def options(self, bench: Bench) -> list[str]:
        """Without a source, ping first connects a UDP socket to find one, and the negotiation would
        begin with that, before the first echo."""
        link = bench.topology.link_between(self.source, self.target)
        return ["-I", bench.topology.address(self.source, link)]

    def measure(self, bench: Bench, stem: str) -> None:
        control = bench.tunnel
        before = len(control.read_log())
        with control.negotiated_on_demand():
            super().measure(bench, stem)
        control.bring_up()
        bench.save(f"{stem}.charon.log", control.read_log()[before:])

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """As ping; and from the initiator's log negotiations (IKE_SAs that were established
        because of an echo)."""
        if not file.endswith(".charon.log"):
            yield from super().parse(file, content)
            return
        on_demand, established, last = False, 0, 1
        for number, _, message in ike.log_lines(file, content):
            if _ON_DEMAND.match(message):
                on_demand = True
            if on_demand and ike.IKE_ESTABLISHED.fullmatch(message):
                on_demand, established, last = False, established + 1, number
        yield Observation("negotiations", established, "negotiations", last)

    def check(self, file: str, content: bytes) -> None:
        if not file.endswith(".charon.log"):
            super().check(file, content)

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """That every echo was answered, and waited for a negotiation of its own."""
        found = {o.metric: int(o.value) for o in observations}
        return [
            equal("echo", f"{name}: echoes answered", found["received"], self.count),
            equal("echo", f"{name}: negotiations on demand", found["negotiations"], self.count),
        ]
