"""IP in IP, as a kind of tunnel that the project lacks (tests/measure/test_new_kind.py)."""

from typing import ClassVar

from remeasure.bench.ipsec.kinds.interface import (
    InterfaceKind,
    InterfaceTunnel,
    route_back,
    route_into,
)
from remeasure.bench.ipsec.tunnel import Growth, Outer
from remeasure.bench.testbed.watching.readiness import Needs


class IpipTunnel(InterfaceTunnel):
    kind: ClassVar = "ipip"
    outer: ClassVar = Outer("IP in IP", protocols=(4,))
    mtu: int = 1460

    @property
    def debian_lacks(self) -> bool:
        return True

    def growth(self, family) -> Growth:
        return Growth(family.header, 1, 0, self.mtu)


class IpipControl:
    def __init__(self, tunnel, topology, remotes, _):
        self.tunnel, self._topology, self._remotes = tunnel, topology, remotes

    def configure(self) -> None:
        self.stop()
        for gateway in self.tunnel.gateways:
            peer = self.tunnel.peer(gateway)
            own, other = (
                self._topology.address(g, self.tunnel.link_of(g)) for g in (gateway, peer)
            )
            self._remotes[gateway].run(
                f"set -e\nip link add ipip0 type ipip local {own} remote {other}\n"
                f"ip link set ipip0 mtu {self.tunnel.mtu} up\n"
                + route_into(self.tunnel, self._topology, gateway, "ipip0")
            )

    def bring_up(self) -> None:
        self.configure()

    def stop(self) -> None:
        for gateway in self.tunnel.gateways:
            script = f"ip link del ipip0 2>/dev/null\n{route_back(self._topology)}true"
            self._remotes[gateway].run(script)

    def restart(self, gateway: str, lasts_s: float) -> None:
        self.configure()


class Ipip(InterfaceKind[IpipTunnel]):
    settings = IpipTunnel
    control = IpipControl
    interface = "ipip0"

    def make_secrets(self, tunnel, credentials) -> None:
        """There are none."""

    def type_of(self, tunnel) -> str:
        return "ipip"

    def own_provers(self, tunnel, gateway, used):
        return ()

    def needs(self, tunnel, topology) -> Needs:
        return Needs(modules={"ipip": "NET_IPIP"})
