"""Settings of a tunnel: a scenario's `tunnel`."""

from typing import Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, model_validator

from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import HostName, Topology
from remeasure.bench.ipsec.algorithms import CIPHERS, algorithms, negotiated
from remeasure.bench.ipsec.lifecycle import Lifecycle, Reactions


def _known(proposal: str) -> str:
    negotiated(proposal)
    return proposal


def _authenticates_only(proposal: str) -> str:
    if "encr-alg" in negotiated(proposal):
        raise ValueError("AH does not encrypt (RFC 4302); expected an integrity algorithm")
    return proposal


def _encrypts(proposal: str) -> str:
    if "encr-alg" not in negotiated(proposal):
        raise ValueError("no encryption algorithm; for only integrity use ah")
    cipher, digest = algorithms(proposal)
    if not digest and CIPHERS[cipher].icv is None:
        raise ValueError(f"{cipher} needs an integrity algorithm; expected such as {cipher}-sha256")
    return proposal


Auth = Literal["psk", "rsa", "ecdsa", "eap-md5", "eap-tls", "eap-ttls"]
Chain = Annotated[int, Field(ge=2, lt=100)]
LARGEST_WINDOW = 4096
"""widest anti-replay window that Linux takes: XFRMA_REPLAY_ESN_MAX in linux/xfrm.h [packets]"""
RadiusKind = Literal["freeradius"]
"""kind of a RADIUS server; each is a class of ipsec/radius.py"""
MOST_SAS = 10_000
"""most IKE_SAs that a cell may ask for [IKE_SAs]"""


SUPPLICANT = "supplicant"
"""EAP identity of every initiator. It differs from the IKE identity, so that a listing of SAs
distinguishes them."""


class CertificateNeeded(NamedTuple):
    """Arguments of `Credentials.end_entity`."""

    name: str
    kind: str
    chain: int


Proposal = Annotated[str, AfterValidator(_known)]
EspProposal = Annotated[Proposal, AfterValidator(_encrypts)]
AhProposal = Annotated[Proposal, AfterValidator(_authenticates_only)]


class Tunnel(Strict):
    """One IKE_SA with one CHILD_SA between two gateways, and how they authenticate."""

    protection_fields: ClassVar[frozenset[str]] = frozenset({"esp", "ah", "mode"})
    """names of the fields that decide how packets are protected"""
    cost_fields: ClassVar[frozenset[str]] = protection_fields | {"per_cpu"}
    """names of the fields that decide the processor's work per bit of payload"""
    set_up_fields: ClassVar[frozenset[str]] = frozenset(
        {"ike", "auth", "rsa_bits", "chains", "aaa", "radius", "fragmentation"}
    )
    """names of the fields that decide only how the IKE_SA is set up"""

    initiator: HostName
    """host that starts the IKE exchange"""
    responder: HostName
    """host that answers it"""
    link: str | Annotated[list[str], Field(min_length=1)]
    """link between the two gateways; a list: the links of the path between them, the initiator's
    first"""
    protects: dict[HostName, str] = {}
    """gateway -> link of the network behind it (tunnel mode); empty: the tunnel protects the
    gateways' own packets"""
    ike: Proposal
    """proposal of the IKE_SA, as in swanctl.conf(5)"""
    esp: EspProposal | None = None
    """proposal of an ESP CHILD_SA"""
    ah: AhProposal | None = None
    """proposal of an AH CHILD_SA, instead of ESP"""
    mode: Literal["tunnel", "transport"] = "tunnel"
    """encapsulation of the CHILD_SA (RFC 4301, section 3.2)"""
    replay_window: int = Field(32, ge=0, le=LARGEST_WINDOW)
    """anti-replay window [packets]; 32 is strongSwan's default, 0 switches the service off"""
    auth: Auth = "psk"
    """authentication method of both ends; with EAP the initiator uses it, and the responder has an
    RSA certificate (RFC 7296, section 2.16)"""
    rsa_bits: int = Field(2048, ge=1024, le=8192)
    """length of every RSA key [bit]"""
    chains: tuple[Chain, Chain] = (2, 2)
    """length of the certificate chains, end entity and root included [certificates]: of the
    initiator, and of its peer (the AAA server with EAP, else the responder)"""
    aaa: HostName | None = None
    """host that runs the RADIUS server, for EAP"""
    radius: RadiusKind = "freeradius"
    """kind of that server"""
    fragmentation: bool = True
    """whether IKE fragments its messages (RFC 7383); if not, IP fragments longer ones"""
    encap: bool = False
    """whether ESP goes in UDP although there is no NAT on the path (RFC 3948)"""
    on_demand: bool = False
    """whether the first packet triggers the negotiation (start_action = trap)"""
    per_cpu: Literal["no", "yes", "encap"] = "no"
    """whether each sending processor gets its own CHILD_SA (RFC 9611); encap: in UDP, each SA with
    its own source port, by which a network card can distinguish SAs; needs on_demand"""
    inactivity: int | None = Field(None, ge=1, le=86_400)
    """time without traffic after which the responder closes CHILD_SA and IKE_SA [s]"""
    lifecycle: Lifecycle = Lifecycle()
    """behaviour of the ends when the tunnel begins, is renewed, closed, or lost"""
    count: int | None = Field(None, ge=1, le=MOST_SAS)
    """how many IKE_SAs the probe many_sas sets up, each with one CHILD_SA for two addresses
    of its own [IKE_SAs]; null: one IKE_SA, for traffic"""

    @model_validator(mode="after")
    def _one_protocol(self) -> Self:
        if (self.esp is None) == (self.ah is None):
            raise ValueError("needs a proposal for one protocol, esp or ah")
        if self.encap and self.ah:
            raise ValueError("encap: AH cannot go in UDP (RFC 3948); expected esp")
        if self.per_cpu != "no" and not self.on_demand:
            raise ValueError(
                f"per_cpu {self.per_cpu} needs on_demand: it is a packet that asks "
                "for the SA of its processor"
            )
        if self.on_demand and any(self.reactions(g).start_action != "trap" for g in self.gateways):
            raise ValueError("on_demand is start_action trap; remove one of the two")
        if self.lifecycle.guard and not self.protects:
            raise ValueError("guard needs protects: its policy names the networks")
        if self.count is not None and not self._can_be_many:
            raise ValueError(
                "count needs mode tunnel without protects, on_demand, inactivity, lifecycle and EAP"
            )
        if self.eap and self.aaa is None:
            raise ValueError(f"auth {self.auth} needs aaa, the host of a RADIUS server")
        return self

    @property
    def _can_be_many(self) -> bool:
        """Whether nothing else is asked of the tunnel than many_sas can do."""
        others = (self.protects, self.on_demand, self.inactivity, self.eap)
        return self.mode == "tunnel" and not any(others) and self.lifecycle == Lifecycle()

    @property
    def in_udp(self) -> bool:
        """Whether packets of the CHILD_SA are carried in UDP (RFC 3948)."""
        return self.encap or self.per_cpu == "encap"

    @property
    def why_not_ipv6(self) -> str:
        """The field that cannot be measured with IPv6, its value, and the expected one; empty if
        there is none."""
        refused = {
            "aaa": (self.aaa, None),
            "count": (self.count, None),
            "per_cpu": (self.per_cpu, "no"),
            "on_demand": (self.on_demand, False),
            # Pieces of IPv6 have no port for a capture, so it would miss messages of IKE.
            "fragmentation": (self.fragmentation, True),
        }
        for field, (value, expected) in refused.items():
            if value != expected:
                return f"{field}: found {value}, expected {expected}"
        return ""

    @property
    def eap(self) -> bool:
        return self.auth.startswith("eap-")

    @property
    def aaa_host(self) -> str:
        """`aaa` of a tunnel with EAP. Raises ValueError without such a host."""
        if self.aaa is None:
            raise ValueError(f"auth {self.auth}: the tunnel names no host of a RADIUS server")
        return self.aaa

    @property
    def certificates(self) -> dict[str, CertificateNeeded]:
        """host -> its certificate. With EAP-TLS the initiator's certificate contains its EAP
        identity."""
        kind = "ecdsa256" if self.auth == "ecdsa" else f"rsa{self.rsa_bits}"
        own, peer = self.chains
        needed: dict[str, tuple[str, int]] = {}
        if self.auth in ("rsa", "ecdsa"):
            needed = {self.initiator: (self.initiator, own), self.responder: (self.responder, peer)}
        elif self.eap:
            needed = {self.responder: (self.responder, 2)}
        if self.auth in ("eap-tls", "eap-ttls"):
            needed[self.aaa_host] = self.aaa_host, peer
        if self.auth == "eap-tls":
            needed[self.initiator] = SUPPLICANT, own
        return {
            host: CertificateNeeded(name, kind, chain) for host, (name, chain) in needed.items()
        }

    @property
    def protocol(self) -> Literal["ESP", "AH"]:
        return "ESP" if self.esp else "AH"

    @property
    def proposal(self) -> str:
        """Proposal of the CHILD_SA, ESP or AH."""
        (proposal,) = filter(None, (self.esp, self.ah))
        return proposal

    @property
    def gateways(self) -> list[str]:
        return [self.initiator, self.responder]

    @property
    def hosts(self) -> list[str]:
        """The hosts whose daemons negotiate it."""
        return [*self.gateways, *([self.aaa] if self.aaa else [])]

    def reactions(self, gateway: str) -> Reactions:
        """Actions of a gateway by itself."""
        own = self.lifecycle.initiator if gateway == self.initiator else self.lifecycle.responder
        if self.on_demand and own.start_action == "none":
            return own.model_copy(update={"start_action": "trap"})
        return own

    def link_of(self, gateway: str) -> str:
        """The link by which packets of the tunnel leave a gateway."""
        path = [self.link] if isinstance(self.link, str) else self.link
        return path[0] if gateway == self.initiator else path[-1]

    def broken_path(self, topology: Topology) -> str:
        """Why the links do not lead from the initiator to the responder; empty if they do."""
        here = self.initiator
        for link in [self.link] if isinstance(self.link, str) else self.link:
            ends = topology.links.get(link, {})
            if here not in ends:
                known = ", ".join(topology.links_of(here))
                return f"found {link}, expected a link of {here}: {known}"
            (here,) = ends.keys() - {here}
        return "" if here == self.responder else f"ends at {here}, expected {self.responder}"

    def peer(self, gateway: str) -> str:
        return self.responder if gateway == self.initiator else self.initiator

    def gateway_before(self, host: str, topology: Topology) -> str:
        """The gateway through which packets of the tunnel reach a host; a gateway's own is itself.
        Raises UserError if neither protects it."""
        for gateway in self.gateways:
            if host == gateway or host in topology.links.get(self.protects.get(gateway, ""), {}):
                return gateway
        raise UserError(f"no gateway of the tunnel protects host {host}")
