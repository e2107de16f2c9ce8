"""Tunnels that are an interface of both gateways. A rule of routing sends protected packets into
it. Packets of the tunnel itself have a mark and stay out of it, so the tunnel may protect the very
addresses between which it runs (wg-quick(8) does the same)."""

import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.family import IPV6, Families
from remeasure.bench.ipsec.agreement import Carried, check_by_link
from remeasure.bench.ipsec.clear_text import clear_text_provers
from remeasure.bench.ipsec.overhead import MTU
from remeasure.bench.ipsec.tunnel import LinuxControl, Tunnel
from remeasure.bench.testbed.remote import at_once
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.watching import counters

MARK = 51820
"""mark of packets of the tunnel itself, and number of the routing table of all others"""


class InterfaceTunnel(Tunnel):
    """A tunnel that is an interface."""

    interface: ClassVar[str]
    """its name on both gateways"""
    mtu: int
    """largest packet that it takes [bytes]"""

    @property
    @abstractmethod
    def interface_type(self) -> str:
        """Its type in ip-link(8)."""

    def why_not(self, families: Families) -> str:
        if families.inner != families.outer:
            return f"kind: found {self.kind}, expected ipsec"
        fits = MTU - self.growth(families.outer).fixed
        return "" if self.mtu <= fits else f"mtu: found {self.mtu}, expected at most {fits}"


class InterfaceControl(LinuxControl):
    """A tunnel that is an interface of two hosts. Every method raises CommandFailed."""

    tunnel: InterfaceTunnel
    stopping: str
    """lines for sh that remove the interface"""

    def bring_up(self) -> None:
        if not self._fresh:
            self.configure()
        self._fresh = False

    def stop(self) -> None:
        script = f"{self.stopping}{self._route_back}true"
        at_once(lambda remote: remote.run(script), self.gateways.values())

    def _route_into(self, gateway: str) -> str:
        """Lines for sh that send protected packets of a gateway into the interface."""
        tunnel, topology, interface = self.tunnel, self.topology, self.tunnel.interface
        target = tunnel.protected(topology, tunnel.peer(gateway))
        ip = f"ip -{topology.family.version}"
        own = f" src {topology.address(gateway, tunnel.link_of(gateway))}"
        # Hosts have IPv6 only on their links. The interface tells the other end of multicast
        # groups, for a second or two.
        enabled = (
            f"ip link set {interface} addrgenmode none\n"
            f"echo 0 >/proc/sys/net/ipv6/conf/{interface}/disable_ipv6\nsleep 2\n"
        )
        return (enabled if topology.family == IPV6 else "") + (
            f"{ip} route add {target} dev {interface}{'' if tunnel.protects else own} table {MARK}"
            f"\n{ip} rule add not fwmark {MARK} to {target} lookup {MARK}\n"
        )

    @property
    def _route_back(self) -> str:
        """A line for sh that removes the rule, if it is there; the route goes with the
        interface."""
        return f"ip -{self.topology.family.version} rule del lookup {MARK} 2>/dev/null\n"

    def provers(self, carried: bool, may_leak: bool, cpus: int | None) -> Iterable[Prover]:
        ip = f"ip -{self.topology.family.version} -j"
        ask = (
            f"ip -d -s -j link show dev {self.tunnel.interface}; {ip} rule show; "
            f"{ip} route show table {MARK}"
        )
        for gateway in self.gateways:
            question = {f"proof.{gateway}.interface.txt": ask}
            yield Prover(gateway, question, partial(self._check, gateway, carried))
            yield from self.own_provers(gateway)
        yield from clear_text_provers(self.tunnel, self.topology, self.interfaces, may_leak)

    @abstractmethod
    def own_provers(self, gateway: str) -> Iterable[Prover]:
        """Provers of a gateway by the kind's own tools."""

    def check_carried(
        self, where: str, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        before, after = (one[counters.LINKS] for one in counts)
        return check_by_link(where, carried, self.tunnel.interface, before, after)

    @property
    def own_state(self) -> str:
        return rf"\b{self.tunnel.interface}\b|\blookup {MARK}\b"

    def _check(self, gateway: str, carried: bool, text: str) -> list[Check]:
        tunnel = self.tunnel
        (link,), rules, routes = map(json.loads, text.splitlines())
        target = tunnel.protected(self.topology, tunnel.peer(gateway))
        found = [r.get("dst") for r in rules if r.get("table") == str(MARK)]
        into = [(r["dst"], r["dev"]) for r in routes]
        address = re.sub(r"/(32|128)$", "", target)
        kind = link["linkinfo"]["info_kind"]
        checks = [
            equal("tunnel", f"{gateway}: type", kind, tunnel.interface_type),
            equal("tunnel", f"{gateway}: MTU", link["mtu"], tunnel.mtu),
            equal("tunnel", f"{gateway}: rules", found, [address.partition("/")[0]]),
            equal("tunnel", f"{gateway}: routes", into, [(address, tunnel.interface)]),
        ]
        for way in ("rx", "tx") if carried else ():
            packets = link["stats64"][way]["packets"]
            name = f"{gateway}: packets {way}"
            checks.append(Check("sa-packets", name, packets > 0, str(packets), "more than 0"))
        return checks
