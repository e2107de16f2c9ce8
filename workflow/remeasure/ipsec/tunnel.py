"""What a tunnel is to be: the settings of a scenario's `tunnel`."""

from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field, model_validator

from remeasure.config import Strict
from remeasure.errors import UserError
from remeasure.ipsec.suites import negotiated
from remeasure.topology import Topology


def _known(proposal: str) -> str:
    negotiated(proposal)
    return proposal


def _authenticates_only(proposal: str) -> str:
    if "encr-alg" in negotiated(proposal):
        raise ValueError("AH does not encrypt (RFC 4302); expected an integrity algorithm")
    return proposal


def _encrypts(proposal: str) -> str:
    if "encr-alg" not in negotiated(proposal):
        raise ValueError("no encryption algorithm; for integrity alone use ah")
    return proposal


Auth = Literal["psk", "rsa", "ecdsa", "eap-md5", "eap-tls", "eap-ttls"]
Chain = Annotated[int, Field(ge=2)]
SUPPLICANT = "supplicant"
"""EAP identity of every initiator; not its identity in IKE, so that a listing of SAs tells them
apart"""


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

    initiator: str
    responder: str
    link: str
    """the link they talk over"""
    protects: dict[str, str] = {}
    """gateway -> link of the network behind it (tunnel mode); empty: the gateways themselves"""
    ike: Proposal
    esp: EspProposal | None = None
    ah: AhProposal | None = None
    """instead of ESP"""
    mode: Literal["tunnel", "transport"] = "tunnel"
    replay_window: int = Field(32, ge=0)
    """packets (strongSwan's default); 0 switches the anti-replay service off"""
    auth: Auth = "psk"
    """of both ends; EAP is the initiator's, and the responder has an RSA certificate then (RFC
    7296, section 2.16)"""
    rsa_bits: int = Field(2048, ge=1024, le=8192)
    """of the keys of all RSA certificates"""
    chains: tuple[Chain, Chain] = (2, 2)
    """certificates from the end entity to the root, both included: of the initiator, and of who it
    authenticates with (the AAA server with EAP, else the responder)"""
    aaa: str | None = None
    """host of the RADIUS server, for EAP"""
    fragmentation: bool = True
    """of IKE messages (RFC 7383); without it IP fragments what exceeds a packet"""
    on_demand: bool = False
    """negotiated when a packet asks for it (start_action = trap), instead of at once"""
    per_cpu: Literal["no", "yes", "encap"] = "no"
    """a CHILD_SA for each processor that sends (RFC 9611); encap: in UDP, each with a source port
    of its own, so that a network card can tell them apart; needs on_demand"""
    inactivity: int | None = Field(None, ge=1)
    """seconds without traffic after which the responder closes CHILD_SA and IKE_SA"""

    @model_validator(mode="after")
    def _one_protocol(self):
        if (self.esp is None) == (self.ah is None):
            raise ValueError("needs a proposal for one protocol, esp or ah")
        if self.per_cpu != "no" and not self.on_demand:
            raise ValueError(
                f"per_cpu {self.per_cpu} needs on_demand: it is a packet that asks "
                "for the SA of its processor"
            )
        if self.eap and self.aaa is None:
            raise ValueError(f"auth {self.auth} needs aaa, the host of a RADIUS server")
        return self

    @property
    def eap(self) -> bool:
        return self.auth.startswith("eap-")

    @property
    def certificates(self) -> dict[str, CertificateNeeded]:
        """What each host needs that needs one. With EAP-TLS the initiator's is for its identity in
        EAP."""
        kind = "ecdsa256" if self.auth == "ecdsa" else f"rsa{self.rsa_bits}"
        own, peer = self.chains
        needed: dict[str, tuple[str, int]] = {}
        if self.auth in ("rsa", "ecdsa"):
            needed = {self.initiator: (self.initiator, own), self.responder: (self.responder, peer)}
        elif self.eap:
            needed = {self.responder: (self.responder, 2)}
        if self.auth in ("eap-tls", "eap-ttls"):
            needed[self.aaa] = self.aaa, peer
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
        """of the CHILD_SA"""
        return self.esp or self.ah

    @property
    def gateways(self) -> list[str]:
        return [self.initiator, self.responder]

    def peer(self, gateway: str) -> str:
        return self.responder if gateway == self.initiator else self.initiator

    def gateway_before(self, host: str, topology: Topology) -> str:
        """The gateway through which packets of the tunnel reach a host; a gateway's own is itself.
        Raises UserError if neither protects it."""
        for gateway in self.gateways:
            if host == gateway or host in topology.links.get(self.protects.get(gateway), {}):
                return gateway
        raise UserError(f"no gateway of the tunnel protects host {host}")
