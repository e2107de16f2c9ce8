"""IP in IP, as a kind of tunnel that the project lacks (tests/measure/test_new_kind.py)."""

from typing import ClassVar

from remeasure.bench.ipsec.kinds.interface import InterfaceControl, InterfaceTunnel
from remeasure.bench.ipsec.tunnel import Growth, Outer
from remeasure.bench.testbed.watching.readiness import Needs


class IpipTunnel(InterfaceTunnel):
    kind: ClassVar = "ipip"
    outer: ClassVar = Outer("IP in IP", protocols=(4,))
    interface: ClassVar = "ipip0"
    mtu: int = 1460

    @property
    def interface_type(self) -> str:
        return "ipip"

    @property
    def debian_lacks(self) -> bool:
        return True

    def growth(self, family) -> Growth:
        return Growth(family.header, 1, 0, self.mtu)


class Ipip(InterfaceControl):
    settings = IpipTunnel
    stopping = "ip link del ipip0 2>/dev/null\n"

    def configure(self) -> None:
        self.stop()
        for gateway, remote in self.gateways.items():
            peer = self.tunnel.peer(gateway)
            own, other = (self.topology.address(g, self.tunnel.link_of(g)) for g in (gateway, peer))
            remote.run(
                f"set -e\nip link add ipip0 type ipip local {own} remote {other}\n"
                f"ip link set ipip0 mtu {self.tunnel.mtu} up\n{self._route_into(gateway)}"
            )

    @staticmethod
    def make_secrets(tunnel, credentials) -> None:
        """There are none."""

    @staticmethod
    def needs(tunnel, topology) -> Needs:
        return Needs(modules={"ipip": "NET_IPIP"})

    def own_provers(self, gateway):
        return ()

    def restart(self, gateway: str, lasts_s: float) -> None:
        self.configure()
