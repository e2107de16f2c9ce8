"""The answers to all questions, as they are written to a file (`remeasure try --json`)."""

from typing import Literal

from pydantic import Field

from remeasure.bench.base.config import Strict

PerEnd = dict[str, float]
"""name of an end -> seconds"""
FAULTS = ("down", "leak", "loss", "stuck", "replay")
Fault = Literal["down", "leak", "loss", "stuck", "replay"]


class Negotiation(Strict):
    """IKE messages of a set-up."""

    exchanges: int
    datagrams: int
    bytes: int
    """of IKE, without UDP and IP headers"""
    fragments: dict[str, int]
    """message -> its fragments (RFC 7383); none of a whole message"""


class Child(Strict):
    """A CHILD_SA, as the end that began lists it."""

    name: str
    protocol: str
    mode: str
    proposal: str
    local: list[str]
    remote: list[str]


class SetUpAnswer(Strict):
    """Whether the tunnel came up, and how."""

    program: Literal["strongSwan", "WireGuard"] = "strongSwan"
    up: bool
    initiator: str
    began: Literal["start", "trap", "hand"]
    """by itself (start_action = start, PersistentKeepalive), by the first packet, or by hand"""
    notes: list[str]
    """what was changed, made or assumed"""
    complaints: dict[str, str]
    """end -> complaints of swanctl"""
    raw: dict[str, str]
    """end -> output of `swanctl --list-sas --raw`"""
    reason: dict[str, str | list[str]] | None = None
    """why it did not come up: `words`, and `lines` of the daemons"""
    negotiation: Negotiation | None = None
    ike: str = ""
    in_udp: bool = False
    children: list[Child] = []
    lifetimes_s: dict[str, int | None] = {}
    authentication: list[str] = []
    took_ms: float | None = None
    windows: dict[str, list[int]] = {}
    """end -> anti-replay windows of its inbound SAs [packets]"""
    no_traffic: str = ""
    """why no traffic could be sent; empty if it could"""
    answered: bool = False
    """whether the protected hosts reached each other"""


class Size(Strict):
    """The largest packet of one way."""

    mtu: int
    """[bytes]; 0: none passed"""
    mss: int
    """for TCP without options [bytes]"""
    told: bool
    """whether the gateway told the host (ICMP)"""


class RenewalAnswer(Strict):
    """One renewal."""

    planned: bool
    """whether it came when the daemons planned it; else swanctl asked for it"""
    renewed: bool
    up: bool
    lost_s: PerEnd
    leaked_s: PerEnd
    refused: list[str]
    """messages of the daemons"""
    proposal: str


class Moment(Strict):
    """An event at one moment. Times count from the event."""

    phase: float = Field(ge=0, le=1)
    """place between two liveness checks"""
    grain_s: float
    """time between two datagrams"""
    watched_s: float
    lost_s: PerEnd
    """sending end -> time whose datagrams never arrived, or more than a second late"""
    leaked_s: PerEnd
    """end -> time whose datagrams left its gateway unprotected"""
    leaks_until_s: dict[str, float | None]
    leaks_still: dict[str, bool]
    """end -> whether it leaked to the end"""
    back_s: float | None
    """when all datagrams arrived again and none leaked; 0: nothing happened; null: never"""
    up: bool
    """whether both ends have a CHILD_SA at the end"""
    by: str | None
    """end that set the tunnel up again"""


class EventAnswer(Strict):
    """One event."""

    event: str
    lasts_s: float
    ends: dict[str, list[Moment]]
    """end, or path -> moments; none if the tunnel did not come up before it"""


class Replay(Strict):
    """The anti-replay window of right behind reordering."""

    rate_mbit: float
    jitter_ms: float
    packets: int
    window: int
    dropped: int
    share: float
    share_by_window: dict[int, float]
    enough: int | None
    """smallest window that drops at most one packet in a thousand; null: none does"""


class TryAnswers(Strict):
    """All answers about a pair, with one version of strongSwan."""

    versions: dict[str, str]
    """of strongSwan and Linux in the guest"""
    way: dict[str, float]
    """the network between the ends, as asked for"""
    guarded: bool
    set_up: SetUpAnswer
    sizes: dict[str, Size] = {}
    renewals: dict[str, RenewalAnswer] = {}
    events: list[EventAnswer] = []
    replay: Replay | None = None


class TryReport(Strict):
    """The answers with each version of strongSwan that was asked for."""

    form: Literal[1] = 1
    """version of this form"""
    tries: dict[str, TryAnswers]
    """version of strongSwan, such as 6.1 -> answers"""
    refused: dict[str, str]
    """version -> why the pair cannot be tried with it"""
