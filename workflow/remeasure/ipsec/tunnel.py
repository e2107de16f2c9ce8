"""What a tunnel is to be: the settings of a scenario's `tunnel`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from remeasure.config import Strict
from remeasure.ipsec.suites import negotiated


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


Proposal = Annotated[str, AfterValidator(_known)]
EspProposal = Annotated[Proposal, AfterValidator(_encrypts)]
AhProposal = Annotated[Proposal, AfterValidator(_authenticates_only)]


class Tunnel(Strict):
    """One IKE_SA with one CHILD_SA between two gateways."""

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
    auth: Literal["psk", "rsa"] = "psk"
    rsa_bits: int = Field(2048, ge=1024, le=8192)
    """of the certification authority's and the gateways' keys"""

    @model_validator(mode="after")
    def _one_protocol(self):
        if (self.esp is None) == (self.ah is None):
            raise ValueError("needs a proposal for one protocol, esp or ah")
        return self

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
