"""IPsec by strongSwan and the kernel's XFRM: ESP or AH."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from remeasure.bench.base.checks import Check
from remeasure.bench.base.family import IPV6
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec import algorithms, radius
from remeasure.bench.ipsec.agreement import Carried, check_by_sas
from remeasure.bench.ipsec.authentication_proof import authentication_provers
from remeasure.bench.ipsec.clear_text import clear_text_provers
from remeasure.bench.ipsec.control import TOOLS, TunnelControl
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.proof import lifecycle_provers, policy_provers, tunnel_provers
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.watching import counters
from remeasure.bench.testbed.watching.readiness import Needs

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials


class Ipsec(TunnelControl):
    settings = IpsecTunnel

    @staticmethod
    def make_secrets(tunnel: IpsecTunnel, credentials: Credentials) -> None:
        for name in ("psk",) if tunnel.auth == "psk" else ("eap", "radius") if tunnel.eap else ():
            credentials.secret(name)
        for needed in tunnel.certificates.values():
            credentials.end_entity(*needed)

    @staticmethod
    def needs(tunnel: IpsecTunnel, topology: Topology) -> Needs:
        server = radius.TOOLS if tunnel.eap else {}
        more = algorithms.MODULES_OF_IPV6 if IPV6 in topology.families else {}
        own = {"xfrm_iptfs": "XFRM_IPTFS"} if tunnel.mode == "iptfs" else {}
        return Needs(TOOLS | server, algorithms.MODULES | more | own)

    def provers(
        self, carried: bool = True, may_leak: bool = False, cpus: int | None = None
    ) -> Iterable[Prover]:
        tunnel, topology = self.tunnel, self._topology
        yield from tunnel_provers(tunnel, carried, cpus)
        yield from policy_provers(tunnel, topology)
        yield from lifecycle_provers(tunnel)
        yield from clear_text_provers(tunnel, topology, self.interfaces, may_leak)
        yield from authentication_provers(tunnel)

    def check_carried(
        self, where: str, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        if self.tunnel.mode == "iptfs":  # a packet of ESP has several, or part of one
            carried = replace(carried, least_packets=0, most_packets=2 * carried.most_packets)
        before, after = (one[counters.SAS] for one in counts)
        return check_by_sas(where, carried, before, after, more=self.tunnel.per_cpu != "no")
