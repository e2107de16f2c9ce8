"""How long traffic waits that finds no SA: one echo that is held, or a train that is lost.

The protocol of Faigl's study: echoes are so far apart that the SAs of the previous one have been
closed. Each round trip includes a whole negotiation, and the time until the kernel sends what it
has held: Linux looks at the queue of a policy that got its SA at the next tick of its clock
(xfrm_policy_requeue in net/xfrm/xfrm_policy.c), which at 100 Hz is up to 10 ms later. A train has
no such grain: it is the wait of an application that tries again every 0.8 ms.
"""

from collections.abc import Iterable
from typing import ClassVar

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, control_of
from remeasure.bench.probes.echo_train import EchoTrain
from remeasure.bench.probes.metrics import Metrics, Observation, Value
from remeasure.bench.probes.ping import Ping
from remeasure.bench.probes.readers import charon_log


class Reauthentication(Ping):
    """Echo requests, each of which makes initiator and responder authenticate anew."""

    kind: ClassVar = "reauthentication"
    takes_ipv6: ClassVar = False  # needs on_demand
    metrics: ClassVar = Metrics(**Ping.metrics, **charon_log.ON_DEMAND)
    controls_tunnel: ClassVar = True

    def options(self, bench: Bench) -> list[str]:
        """The option for the source address. Without it, ping connects a UDP socket to find an
        address, which would begin the negotiation before the first echo."""
        link = bench.topology.link_between(self.source, self.target)
        return ["-I", bench.topology.address(self.source, link)]

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        before = len(control.read_log())
        with control.negotiated_on_demand():
            super().measure(bench, stem)
        control.bring_up()
        bench.save(f"{stem}.charon.log", control.read_log()[before:])

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; `file` is charon's log (`.charon.log`) or ping's."""
        if not file.endswith(".charon.log"):
            yield from super().read(file, content)
            return
        yield from charon_log.negotiations(file, content)

    def require_complete(self, file: str, content: bytes) -> None:
        if not file.endswith(".charon.log"):
            super().require_complete(file, content)

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """Check that every echo was answered, and that each waited for a negotiation of its own."""
        found = {o.metric: int(o.value) for o in observations}
        return [
            equal("echo", f"{name}: echoes answered", found["received"], self.count),
            equal("echo", f"{name}: negotiations on demand", found["negotiations"], self.count),
        ]


class ReauthenticationTrain(EchoTrain):
    """Trains of echo requests, each of which makes initiator and responder authenticate anew."""

    kind: ClassVar = "reauthentication_train"
    metrics: ClassVar = Metrics(**EchoTrain.metrics, **charon_log.ON_DEMAND)
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
            return charon_log.negotiations(file, content)
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
