"""The answers to all questions, as they are written to a file (`remeasure try --json`)."""

from typing import Literal, get_args

from pydantic import Field

from remeasure.bench.base.config import Strict

PerEnd = dict[str, float]
"""name of an end -> seconds"""
Fault = Literal["down", "leak", "loss", "stuck", "replay"]
FAULTS: tuple[Fault, ...] = get_args(Fault)


class Negotiation(Strict):
    """IKE messages of a set-up."""

    exchanges: int
    """number of requests that were answered"""
    datagrams: int
    """number of UDP datagrams"""
    bytes: int
    """of IKE, without UDP and IP headers"""
    fragments: dict[str, int]
    """message -> its fragments (RFC 7383); none of a whole message"""


class Child(Strict):
    """A CHILD_SA, as the end that began lists it."""

    name: str
    """its name in the file"""
    protocol: str
    """ESP, AH or WireGuard"""
    mode: str
    """tunnel, transport or another mode"""
    proposal: str
    """negotiated algorithms"""
    local: list[str]
    """traffic selectors of the end that began"""
    remote: list[str]
    """traffic selectors of its peer"""


class SetUpAnswer(Strict):
    """Whether the tunnel came up, and how."""

    program: Literal["strongSwan", "WireGuard"] = "strongSwan"
    """the program of the tunnel"""
    up: bool
    """whether both ends have a CHILD_SA"""
    initiator: str
    """end that began"""
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
    """messages of the set-up; null: the tunnel did not come up"""
    ike: str = ""
    """negotiated algorithms of IKE"""
    in_udp: bool = False
    """whether packets of the tunnel are carried in UDP"""
    children: list[Child] = []
    """CHILD_SAs"""
    lifetimes_s: dict[str, int | None] = {}
    """time until a renewal or an end; null: none"""
    authentication: list[str] = []
    """authentications of the peer that succeeded, in the daemon's words"""
    took_ms: float | None = None
    """time from the first message to the CHILD_SA; null: not known"""
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
    """whether the end that began has other SAs afterwards"""
    up: bool
    """whether both ends have a CHILD_SA afterwards"""
    lost_s: PerEnd
    """sending end -> time whose datagrams never arrived"""
    leaked_s: PerEnd
    """end -> time whose datagrams left its gateway unprotected"""
    refused: list[str]
    """messages of the daemons"""
    proposal: str
    """algorithms of the CHILD_SA afterwards"""


class Moment(Strict):
    """An event at one moment. Times count from the event."""

    phase: float = Field(ge=0, le=1)
    """place between two liveness checks"""
    grain_s: float
    """time between two datagrams when the last one was lost or leaked"""
    watched_s: float
    """time for which the traffic was watched from the event on"""
    lost_s: PerEnd
    """sending end -> time whose datagrams never arrived, or more than a second late"""
    leaked_s: PerEnd
    """end -> time whose datagrams left its gateway unprotected"""
    leaks_until_s: dict[str, float | None]
    """end -> time of its last leaked packet; null: it leaked nothing"""
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
    """name of the event"""
    lasts_s: float
    """time until its cause is gone"""
    ends: dict[str, list[Moment]]
    """end, or path -> moments; none if the tunnel did not come up before it"""


class Replay(Strict):
    """The anti-replay window of right behind reordering."""

    rate_mbit: float
    """rate of the traffic"""
    jitter_ms: float
    """standard deviation of the path's delay"""
    packets: int
    """packets that arrived at the receiving gateway"""
    window: int
    """its anti-replay window [packets]"""
    dropped: int
    """packets that its kernel dropped as replays"""
    share: float
    """share of the packets that arrived"""
    share_by_window: dict[int, float]
    """window [packets] -> share that it would have dropped"""
    enough: int | None
    """smallest window that drops at most one packet in a thousand; null: none does"""


class TryAnswers(Strict):
    """All answers about a pair, with one version of strongSwan."""

    versions: dict[str, str]
    """of strongSwan and Linux in the guest"""
    way: dict[str, float]
    """the network between the ends, as asked for"""
    guarded: bool
    """whether the firewall rule of the guide was set"""
    set_up: SetUpAnswer
    """whether the tunnel came up, and how"""
    sizes: dict[str, Size] = {}
    """sending end -> largest packet"""
    renewals: dict[str, RenewalAnswer] = {}
    """name of a renewal -> its answer"""
    events: list[EventAnswer] = []
    """all events"""
    replay: Replay | None = None
    """the anti-replay window; null: not asked"""


class TryReport(Strict):
    """The answers with each version of strongSwan that was asked for."""

    form: Literal[1] = 1
    """version of this form"""
    tries: dict[str, TryAnswers]
    """version of strongSwan, such as 6.1 -> answers"""
    refused: dict[str, str]
    """version -> why the pair cannot be tried with it"""
