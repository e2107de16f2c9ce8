"""What a tunnel is to be: the settings of a scenario's `tunnel`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from remeasure.config import Strict
from remeasure.ipsec.suites import negotiated


def _known(proposal: str) -> str:
    negotiated(proposal)
    return proposal


Proposal = Annotated[str, AfterValidator(_known)]


class Tunnel(Strict):
    """One IKE_SA with one CHILD_SA between two gateways."""

    initiator: str
    responder: str
    link: str
    """the link they talk over"""
    protects: dict[str, str] = {}
    """gateway -> link of the network behind it (tunnel mode); empty: the gateways themselves"""
    ike: Proposal
    esp: Proposal
    mode: Literal["tunnel", "transport"] = "tunnel"
    replay_window: int = Field(32, ge=0)
    """packets (strongSwan's default); 0 switches the anti-replay service off"""
    auth: Literal["psk", "rsa"] = "psk"
    rsa_bits: int = Field(2048, ge=1024, le=8192)
    """of the certification authority's and the gateways' keys"""

    @property
    def gateways(self) -> list[str]:
        return [self.initiator, self.responder]

    def peer(self, gateway: str) -> str:
        return self.responder if gateway == self.initiator else self.initiator
