"""The wait of traffic without an SA: of one echo that is kept, or of a train that is lost.

The protocol of Faigl's study: echoes are so far from each other that the SAs of the previous one
have been closed. Each round trip includes a whole negotiation, and the time until the kernel sends
the packets it has kept: Linux looks at the queue of a policy that got its SA at the next tick of
its clock (xfrm_policy_requeue in net/xfrm/xfrm_policy.c), which at 100 Hz is up to 10 ms later. A
train has no such grain: it is the wait of an application that tries again every 0.8 ms.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.swanctl import CONNECTION
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Bench, Probe, control_of
from remeasure.bench.probes.echo_train import EchoTrain
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.probes.ping import Ping
from remeasure.bench.probes.readers import charon_log


class _OnDemand(Probe):
    """Common to both probes: each request makes charon negotiate, and its log shows it."""

    controls_tunnel: ClassVar = True

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; `file` is charon's log (`.charon.log`) or the log of the requests."""
        if file.endswith(".charon.log"):
            return charon_log.negotiations(file, content)
        return super().read(file, content)

    def require_complete(self, file: str, content: bytes) -> None:
        if not file.endswith(".charon.log"):
            super().require_complete(file, content)


@contextmanager
def _on_demand(control: TunnelControl, held: bool) -> Iterator[None]:
    """While it lasts, a packet between the two hosts without an SA asks for one. It waits in the
    kernel for it if `held`; otherwise it is lost, which is Linux's default
    (net.core.xfrm_larval_drop)."""

    def hold(drop: int, command: str) -> None:
        control.initiator.run(
            f"sysctl -qw net.core.xfrm_larval_drop={drop} && "
            f"swanctl --{command} --child {CONNECTION}"
        )

    control.terminate()
    try:
        hold(int(not held), "install")
        yield
    finally:
        hold(1, "uninstall")
    control.bring_up()


class Reauthentication(_OnDemand, Ping):
    """Echo requests, each of which makes initiator and responder authenticate again."""

    kind: ClassVar = "reauthentication"
    takes_ipv6: ClassVar = False  # needs on_demand
    meanings: ClassVar = Ping.meanings | MEANINGS["on_demand"]

    def options(self, bench: Bench) -> list[str]:
        """The option for the source address. Without it, ping connects a UDP socket to find an
        address, which would begin the negotiation before the first echo."""
        link = bench.topology.link_between(self.source, self.target)
        return ["-I", bench.topology.address(self.source, link)]

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        before = len(control.read_log())
        with _on_demand(control, held=True):
            super().measure(bench, stem)
        bench.save(f"{stem}.charon.log", control.read_log()[before:])

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that every echo was answered, and that each waited for a negotiation of its own."""
        found = {o.metric: int(o.value) for o in observed}
        return [
            equal("echo", f"{name}: echoes answered", found["received"], self.count),
            equal("echo", f"{name}: negotiations on demand", found["negotiations"], self.count),
        ]


class ReauthenticationTrain(_OnDemand, EchoTrain):
    """Trains of echo requests, each of which makes initiator and responder authenticate again."""

    kind: ClassVar = "reauthentication_train"
    meanings: ClassVar = EchoTrain.meanings | MEANINGS["on_demand"]

    def seconds(self) -> float:
        return 1 + 0.5 * self.count

    def measure(self, bench: Bench, stem: str) -> None:
        control = control_of(bench)
        link = bench.topology.link_between(self.source, self.target)
        before, text = len(control.read_log()), ""
        with _on_demand(control, held=False):
            for number in range(1, self.count + 1):
                control.terminate()
                text += self.send(bench, number, link)
        bench.save(f"{stem}.log", text)
        bench.save(f"{stem}.charon.log", control.read_log()[before:])

    def agree(self, name: str, observed: list[Value], tunnel: Tunnel | None) -> list[Check]:
        """Check that each train waited for a negotiation of its own."""
        found = [int(o.value) for o in observed if o.metric == "negotiations"]
        return [equal("echo", f"{name}: negotiations on demand", found, [self.count])]
