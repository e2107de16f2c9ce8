"""Behaviour of the ends of a tunnel when it begins, is renewed, closed by the peer, or lost. Fields
are named as in swanctl.conf(5) and strongswan.conf(5). A field that is left out is strongSwan's own
default."""

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from remeasure.bench.base.config import Strict

Action = Literal["none", "trap", "start"]
Word = str | int | float


class Reactions(Strict):
    """Actions of one end by itself."""

    start_action: Action = "none"
    """when its daemon starts: nothing, install a policy whose first packet negotiates, or negotiate
    at once"""
    close_action: Action = "none"
    """when the peer deletes the CHILD_SA"""
    dpd_action: Literal["clear", "trap", "restart"] = "clear"
    """when the peer has not answered for too long: remove the policies, leave a policy whose first
    packet negotiates, or negotiate at once"""


class Retransmission(Strict):
    """How often and when IKE repeats an unanswered request. The default is strongSwan's."""

    tries: int = Field(5, ge=0, le=100)
    """repetitions before the daemon gives up"""
    timeout: float = Field(4.0, gt=0, le=3600)
    """time before the first repetition [s]"""
    base: float = Field(1.8, ge=1, le=10)
    """factor by which each wait is longer than the wait before it"""

    def waited_s(self, repetitions: int) -> float:
        """Time from a request to its repetition of this number [s]."""
        return sum(self.timeout * self.base**n for n in range(repetitions))

    @property
    def gives_up_s(self) -> float:
        """Time from a request to the moment when the daemon gives up [s]."""
        return self.waited_s(self.tries + 1)


class Extra(Strict):
    """Further options of strongSwan, for both ends, by section; they take precedence over those
    that fields of the tunnel set. strongSwan refuses a connection with an unknown option. It
    ignores an unknown option of `charon`, so a trial is rejected if no library of strongSwan
    contains the option's name. Nothing proves the effect of a value."""

    connection: dict[str, Word] = {}
    """options of the connection, such as rekey_time (swanctl.conf(5), connections.<conn>)"""
    child: dict[str, Word] = {}
    """options of the CHILD_SA, such as life_time (connections.<conn>.children.<child>)"""
    charon: dict[str, Word] = {}
    """options of the daemon, such as retransmit_jitter (strongswan.conf(5), charon)"""

    @model_validator(mode="after")
    def _times(self) -> Self:
        for section in ("connection", "child"):
            for name, value in getattr(self, section).items():
                if name.endswith("_time") and not _TIME(str(value)):
                    raise ValueError(f"{section}.{name}: found {value}, expected a time such as 3s")
        rekey, life = (_seconds(self.child.get(name, 0)) for name in ("rekey_time", "life_time"))
        if 0 < life <= rekey:
            raise ValueError(
                f"child.life_time: found {life} s, expected more than {rekey} s, rekey_time"
            )
        return self

    def renewals(self, flow_s: float) -> tuple[int, int]:
        """Least and most renewals whose time comes during a flow of this duration, by options of
        the tunnel (swanctl.conf(5): a time is up to rand_time shorter). SAs are older than the
        flow, and both ends may renew the same one. Without an option: none, since strongSwan's own
        times are hours."""
        times, most = list[int](), 0
        for section in (self.connection, self.child):
            for name in section.keys() & {"rekey_time", "reauth_time"}:
                if after := _seconds(section[name]):
                    life = _seconds(section.get("life_time", 0)) or 1.1 * after
                    early = (
                        _seconds(section["rand_time"]) if "rand_time" in section else life - after
                    )
                    most += 2 * (int(flow_s / max(1, after - early)) + 1)
                    times.append(after)
        return int(flow_s / min(times)) if times else 0, most


_TIME = re.compile(r"([0-9]+)([smhd]?)").fullmatch


def _seconds(time: Word) -> int:
    """A time of swanctl.conf(5) [s]."""
    match = _TIME(str(time))
    assert match
    return int(match[1]) * {"m": 60, "h": 3600, "d": 86_400}.get(match[2], 1)


class Lifecycle(Strict):
    """How a tunnel begins, is renewed, and is given up."""

    initiator: Reactions = Reactions()
    """actions of the initiator by itself"""
    responder: Reactions = Reactions()
    """actions of the responder by itself; by default it listens"""
    dpd_delay: int | None = Field(None, ge=1, le=86_400)
    """time without traffic from the peer after which an end asks whether it is there, which is dead
    peer detection (RFC 3706) [s]; none: an end never asks"""
    keyingtries: int | None = Field(None, ge=0, le=1000)
    """attempts to negotiate before an end gives up; 0: without end"""
    retransmission: Retransmission | None = None
    """repetition of IKE requests"""
    make_before_break: bool | None = None
    """whether an end that authenticates again makes the new IKE_SA before it deletes the old one"""
    guard: bool = False
    """whether a second child, of mode drop, stops traffic without an SA"""
    extra: Extra = Extra()
    """further options of strongSwan"""

    @property
    def timers(self) -> Retransmission:
        """How requests are repeated, asked for or by default."""
        return self.retransmission or Retransmission()

    @property
    def charon(self) -> dict[str, Word]:
        """Options of the daemon that are not strongSwan's default."""
        found: dict[str, Word] = {}
        for name, value in self.retransmission or ():
            found[f"retransmit_{name}"] = value
        if self.make_before_break is not None:
            found["make_before_break"] = "yes" if self.make_before_break else "no"
        return found | self.extra.charon

    @property
    def connection(self) -> dict[str, Word]:
        """Options of the connection that are not strongSwan's default."""
        found: dict[str, Word] = {}
        if self.dpd_delay is not None:
            found["dpd_delay"] = f"{self.dpd_delay}s"
        if self.keyingtries is not None:
            found["keyingtries"] = self.keyingtries
        return found | self.extra.connection

    def child(self, own: Reactions) -> dict[str, Word]:
        """Options of the CHILD_SA of an end with these reactions, without strongSwan's defaults."""
        given: dict[str, Word] = own.model_dump(exclude_defaults=True)
        return given | self.extra.child
