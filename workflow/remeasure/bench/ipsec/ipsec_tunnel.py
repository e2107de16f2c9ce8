"""Settings of an IPsec tunnel: IKE, ESP or AH, and authentication."""

from ipaddress import IPv4Network
from typing import Annotated, ClassVar, Literal, NamedTuple, Self, cast

from pydantic import AfterValidator, Field, model_validator

from remeasure.bench.base.family import IPV4, Families, Family
from remeasure.bench.base.topology import HostName, Topology
from remeasure.bench.ipsec.algorithms import CIPHERS, DIGESTS, algorithms, negotiated
from remeasure.bench.ipsec.lifecycle import Lifecycle, Reactions
from remeasure.bench.ipsec.tunnel import UDP_HEADER, Growth, Outer, Tunnel


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


ESP_HEADER = 8
ESP_TRAILER = 2
"""pad length and next header"""
AH_HEADER = 12
AGGFRAG_HEADER = 4
"""before the first of the packets in a payload of IP-TFS (RFC 9347, section 6.1)"""
Auth = Literal["psk", "rsa", "ecdsa", "eap-md5", "eap-tls", "eap-ttls"]
RadiusKind = Literal["freeradius"]
"""kind of a RADIUS server; each is an entry of ipsec/radius.py"""
Chain = Annotated[int, Field(ge=2, lt=100)]
LARGEST_WINDOW = 4096
"""widest anti-replay window that Linux takes: XFRMA_REPLAY_ESN_MAX in linux/xfrm.h [packets]"""

SUPPLICANT = "supplicant"
"""EAP identity of every initiator. It differs from the IKE identity, so that a listing of SAs
distinguishes them."""

INITIATORS, RESPONDERS = IPv4Network("10.1.0.0/16"), IPv4Network("10.2.0.0/16")
"""networks of the addresses behind the ends of many IKE_SAs; no host has them, since nothing is
sent"""


def addresses(number: int) -> tuple[str, str]:
    """The addresses that CHILD_SA `number` protects, behind the initiator and the responder."""
    return f"{INITIATORS[number + 1]}/32", f"{RESPONDERS[number + 1]}/32"


class CertificateNeeded(NamedTuple):
    """Arguments of `Credentials.end_entity`."""

    name: str
    kind: str
    chain: int


Proposal = Annotated[str, AfterValidator(_known)]
EspProposal = Annotated[Proposal, AfterValidator(_encrypts)]
AhProposal = Annotated[Proposal, AfterValidator(_authenticates_only)]


class IpsecTunnel(Tunnel):
    """One IKE_SA with one CHILD_SA between two gateways, and how they authenticate."""

    kind: ClassVar = "ipsec"
    outer: ClassVar = Outer("ESP, AH and IKE", protocols=(50, 51), ports=(500, 4500))
    protection_fields: ClassVar = frozenset({"esp", "ah", "mode"})
    cost_fields: ClassVar = protection_fields | {"per_cpu"}
    set_up_fields: ClassVar = frozenset(
        {"ike", "auth", "rsa_bits", "chains", "aaa", "radius", "fragmentation"}
    )

    ike: Proposal
    """proposal of the IKE_SA, as in swanctl.conf(5)"""
    esp: EspProposal | None = None
    """proposal of an ESP CHILD_SA"""
    ah: AhProposal | None = None
    """proposal of an AH CHILD_SA, instead of ESP"""
    mode: Literal["tunnel", "transport", "iptfs"] = "tunnel"
    """encapsulation of the CHILD_SA (RFC 4301, section 3.2); iptfs: packets are aggregated and cut
    (RFC 9347)"""
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
    count: int | None = Field(None, ge=1, le=10_000)
    """how many IKE_SAs the probe many_sas sets up, each with one CHILD_SA for two addresses
    of its own [IKE_SAs]; null: one IKE_SA, for traffic"""

    @model_validator(mode="after")
    def _one_protocol(self) -> Self:
        if (self.esp is None) == (self.ah is None):
            raise ValueError("needs a proposal for one protocol, esp or ah")
        if self.mode == "iptfs" and self.ah:
            raise ValueError("mode iptfs: only ESP carries it (RFC 9347); expected esp")
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

    def growth(self, family: Family) -> Growth:
        """ESP (RFC 4303, section 2): outer header in tunnel mode, SPI and sequence number, IV,
        payload, padding to the cipher's block with pad length and next header inside it, ICV; in
        UDP (RFC 3948) a header more. AH (RFC 4302, section 2): a header and the ICV, in IPv6 filled
        up to a multiple of 8 bytes. No extended sequence numbers on the wire, no traffic flow
        confidentiality padding."""
        outer = 0 if self.mode == "transport" else family.header
        encryption, integrity = algorithms(self.proposal)
        if self.protocol == "AH":
            ah = AH_HEADER + DIGESTS[integrity].icv
            return Growth(outer - -ah // family.ah_unit * family.ah_unit, 1, 0)
        cipher = CIPHERS[encryption]
        icv = cipher.icv if cipher.icv is not None else DIGESTS[integrity].icv
        own = family.header - outer  # transport mode keeps the packet's own in front
        udp = UDP_HEADER if self.in_udp else 0
        fixed = outer + own + udp + ESP_HEADER + cipher.iv + icv
        header = AGGFRAG_HEADER if self.mode == "iptfs" else 0
        return Growth(fixed, cipher.block, ESP_TRAILER + header - own)

    @property
    def _can_be_many(self) -> bool:
        """Whether nothing else is asked of the tunnel than many_sas can do."""
        others = (self.protects, self.on_demand, self.inactivity, self.eap)
        return self.mode == "tunnel" and not any(others) and self.lifecycle == Lifecycle()

    @property
    def in_udp(self) -> bool:
        """Whether packets of the CHILD_SA are carried in UDP (RFC 3948)."""
        return self.encap or self.per_cpu == "encap"

    def why_not(self, families: Families) -> str:
        if families.outer == IPV4:
            return ""
        refused = {
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
        """`aaa` of a tunnel with EAP."""
        return cast(str, self.aaa)

    @property
    def certificates(self) -> dict[str, CertificateNeeded]:
        """host -> its certificate. With EAP-TLS the initiator's certificate contains its EAP
        identity."""
        kind = "ecdsa256" if self.auth == "ecdsa" else f"rsa{self.rsa_bits}"
        first, second = self.initiator, self.responder
        own, peer = self.chains
        needed: dict[str, tuple[str, int]] = {}
        if self.auth in ("rsa", "ecdsa"):
            needed = {first: (first, own), second: (second, peer)}
        elif self.eap:
            needed = {second: (second, 2)}
        if self.auth in ("eap-tls", "eap-ttls"):
            needed[self.aaa_host] = self.aaa_host, peer
        if self.auth == "eap-tls":
            needed[first] = SUPPLICANT, own
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
    def debian_lacks(self) -> bool:
        return self.mode == "iptfs"

    @property
    def hosts(self) -> list[str]:
        return [*self.gateways, *([self.aaa] if self.aaa else [])]

    def reactions(self, gateway: str) -> Reactions:
        """Actions of a gateway by itself."""
        own = self.lifecycle.initiator if gateway == self.initiator else self.lifecycle.responder
        if self.on_demand and own.start_action == "none":
            return own.model_copy(update={"start_action": "trap"})
        return own

    def protected(self, topology: Topology, gateway: str) -> str:
        """As for any tunnel; for many IKE_SAs the network of all their addresses."""
        if self.count is not None:
            return str(INITIATORS if gateway == self.initiator else RESPONDERS)
        return super().protected(topology, gateway)
