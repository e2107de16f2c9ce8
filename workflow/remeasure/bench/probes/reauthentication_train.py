"""How long an initiator is without an SA when traffic begins: a train of echo requests, of which
the first makes the hosts authenticate, and the first that passes ends the wait.

This is the wait of an application that tries again every 0.8 ms. The study's own echo (probe
reauthentication) waits in the kernel instead, until the next tick of its clock.
"""

from collections.abc import Iterable
from typing import ClassVar

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, control_of
from remeasure.bench.probes.echo_train import EchoTrain
from remeasure.bench.probes.metrics import Metrics, Observation, Value
from remeasure.bench.probes.readers import on_demand


class ReauthenticationTrain(EchoTrain):
    """Trains of echo requests, each of which makes initiator and responder authenticate anew."""

    kind: ClassVar = "reauthentication_train"
    metrics: ClassVar = Metrics(**EchoTrain.metrics, **on_demand.METRICS)
    controls_tunnel: ClassVar = True

    def seconds(self) -> float:
        return 1 + 0.5 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        link = bench.topology.link_between(self.source, self.target)
        before, text = len(control.read_log()), ""
        with control.negotiated_on_demand(held=False):
            for number in range(1, self.count + 1):
                control.terminate()
                text += self.send(bench, number, link)
        control.bring_up()
        bench.save(f"{stem}.log", text)
        bench.save(f"{stem}.charon.log", control.read_log()[before:])

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; `file` is charon's log (`.charon.log`) or the trains'."""
        if file.endswith(".charon.log"):
            return on_demand.negotiations(file, content)
        return super().read(file, content)

    def require_complete(self, file: str, content: bytes) -> None:
        if not file.endswith(".charon.log"):
            super().require_complete(file, content)

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """Check that each train waited for a negotiation of its own."""
        found = [int(o.value) for o in observations if o.metric == "negotiations"]
        return [equal("echo", f"{name}: negotiations on demand", found, [self.count])]
