"""Events in the life of a tunnel under traffic, at several moments: an answer depends on the phase
of liveness checks, so one moment is one sample. Each moment begins with daemons that just started
and a new tunnel."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from remeasure.bench.probes.readers import charon_log
from remeasure.bench.tryout import seen, try_flows, try_network
from remeasure.bench.tryout.pair import End, Pair, address_of
from remeasure.bench.tryout.running_pair import SWANCTL, RunningPair

BOOT_S, DAEMON_LATER_S = 20, 5
"""time for which a gateway that boots is off the network, and from its network to its daemon [s]"""
RENEWED_AFTER_S = 10
"""time from the death of a daemon to the next rekeying by its peer, which is asked for [s]"""
_FAST, _SLOW, _SLOWEST = 10, 0.5, 0.2
"""datagrams per second, each way: in the first _FIRST_S seconds after an event begins, then, and if
it lasts longer than _LONG_S"""
_FIRST_S, _LONG_S = 32, 600
_LEAD_S = 3.0
"""time of the flow before an event [s]"""
_NO_TIMER_S = 30
"""stands for the delay of liveness checks if no end has any [s]"""
_ELSEWHERE = {4: ip_address("203.0.113.77"), 6: ip_address("2001:db8:77::77")}
"""version of IP -> address to which a gateway moves (RFC 5737, RFC 3849)"""


@dataclass(frozen=True)
class TryEvent:
    """One event."""

    lasts_s: float
    """time until the cause is gone [s]"""
    at_path: bool = False
    """whether it happens to the path, and not to one of the gateways"""


EVENTS = {
    "stop": TryEvent(20),
    "kill": TryEvent(RENEWED_AFTER_S),
    "reboot": TryEvent(BOOT_S + DAEMON_LATER_S),
    "forget": TryEvent(0.1),
    "move": TryEvent(0),
    "cut-20s": TryEvent(20, at_path=True),
    "cut-5min": TryEvent(300, at_path=True),
    "cut-1h": TryEvent(3600, at_path=True),
}


def observed(running: RunningPair, name: str, moments: int) -> dict[str, Any]:
    """An event at each end, or at the path: once at each of `moments` moments between two liveness
    checks; once if no end has any. Returns `ends`: name of the end, or path -> its moments, none if
    the tunnel did not come up before one."""
    checked = any(end.seconds("dpd_delay") for end in running.pair.ends)
    count = moments if checked else 1
    phases = [(2 * number + 1) / (2 * count) for number in range(count)]
    places = places_of(running.pair, name)
    with try_flows.captured(running, seen.UNPROTECTED) as captures:
        ran = {
            place: [_moment(running, name, place, phase) for phase in phases] for place in places
        }
    leaked = {end: seen.leaked_at(capture) for end, capture in captures.items()}
    said = [(at, end.name, text) for end in running.pair.ends for at, text in running.log(end)]
    return {
        "event": name,
        "lasts_s": EVENTS[name].lasts_s,
        "ends": {
            place: [
                _effects(one, leaked) | {"by": _brought_back(one, said)}
                for one in ran[place]
                if one
            ]
            for place in places
        },
    }


def places_of(pair: Pair, name: str) -> list[str]:
    """The places at which an event may happen: names of ends, or path."""
    if EVENTS[name].at_path:
        return ["path"]
    return [end.name for end in pair.ends if name != "move" or _may_move(end)]


def _may_move(end: End) -> bool:
    """Whether an end may get another address: behind NAT, or if its file names none."""
    return end.public != end.outer or not any(map(address_of, end.conn.items_of("local_addrs")))


@dataclass(frozen=True)
class _Ran:
    """An event at one moment; times are virtual [s since the epoch]."""

    phase: float
    flows: try_flows.Flows
    began: float
    watched_s: float
    ended: float
    up: bool


def _moment(running: RunningPair, name: str, struck: str, phase: float) -> _Ran | None:
    """One moment; None if the tunnel did not come up before it."""
    event, pair = EVENTS[name], running.pair
    end = pair.right if struck == "right" else pair.left
    if not running.up():
        return None
    delay = max(one.seconds("dpd_delay") for one in pair.ends)
    watched = event.lasts_s + _patience(running, name)
    slow = _SLOW if event.lasts_s <= _LONG_S else _SLOWEST
    rate = try_flows.FlowRate(slow, _FAST, _LEAD_S + _FIRST_S)
    later = phase * (delay or _NO_TIMER_S)
    ends_at = try_flows.begin_flows(running, _LEAD_S + watched, rate, later)
    running.sleep(_LEAD_S + 0.003)
    began = running.now()
    home = end.outer, end.public
    _HAPPEN[name](running, end, event.lasts_s)
    flows = try_flows.Flows(rate, try_flows.end_flows(running, ends_at))
    up, ended = running.is_up(), running.now()
    if name == "move":
        _move(running, end, *home)
    return _Ran(phase, flows, began, watched, ended, up)


def _patience(running: RunningPair, name: str) -> float:
    """Time after an event within which a tunnel that comes back by itself is back [s]: liveness
    checks notice the loss and give up, and a minute for the new tunnel."""
    ends = running.pair.ends
    checks = [end.seconds("dpd_delay") + end.gives_up_s for end in ends if end.seconds("dpd_delay")]
    if name == "kill":
        checks += [end.gives_up_s for end in ends]
    return max(checks, default=0) + 60


def _effects(ran: _Ran, leaks: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Effects of an event on the traffic, as a try_answers.Moment. `leaks`: end -> times of leaked
    packets of all moments [s since the epoch]."""
    flows, end_s = ran.flows, ran.began + ran.watched_s
    ends, from_s = [*flows.logs], ran.began - 2 / _FAST
    lost = {one: [at for at in flows.lost_at(one) if at > from_s] for one in ends}
    # Senders end within a second of the time that an event is watched.
    leaked = {one: [at for at in leaks[one] if ran.began <= at <= end_s + 1] for one in ends}
    bad = [at for times in [*lost.values(), *leaked.values()] for at in times]
    last = max(bad, default=ran.began)
    grain = flows.rate.grain(last - ran.began + _LEAD_S)
    late_s = max(3.0, 4 / flows.rate.slow)
    back = round(last - ran.began + grain, 2) if bad else 0.0
    return {
        "phase": round(ran.phase, 3),
        "grain_s": round(grain, 3),
        "watched_s": round(ran.watched_s, 1),
        "lost_s": {one: round(flows.time_of(one, times), 2) for one, times in lost.items()},
        "leaked_s": {one: round(flows.time_of(one, times), 2) for one, times in leaked.items()},
        "leaks_until_s": {
            one: round(times[-1] - ran.began, 2) if times else None for one, times in leaked.items()
        },
        "leaks_still": {
            one: bool(times) and end_s - times[-1] < late_s for one, times in leaked.items()
        },
        "back_s": None if end_s - last < late_s else back,
        "up": ran.up,
    }


def _brought_back(ran: _Ran, logs: Sequence[tuple[float, str, str]]) -> str | None:
    """Name of the end that set the last tunnel up; None if no end did since the event. `logs`: time
    [s since the epoch], end and text of each message."""
    said = [one for one in logs if ran.began <= one[0] <= ran.ended]
    begun = [(at, name) for at, name, one in said if charon_log.INITIATING.fullmatch(one)]
    made = [at for at, _, one in said if charon_log.CHILD_ESTABLISHED.fullmatch(one)]
    before = [one for one in begun if made and one[0] <= max(made)]
    return max(before)[1] if before else None


def _stop(running: RunningPair, end: End, lasts_s: float) -> None:
    script = f"{running.stop_lines}sleep {lasts_s:g}\n{running.start_lines}"
    running.sh(end.name, script, lasts_s + 120)


def _kill(running: RunningPair, end: End, lasts_s: float) -> None:
    """As systemd does by Debian's unit (Restart=on-abnormal, RestartSec=100ms)."""
    began, survivor = running.now(), running.pair.peer(end)
    running.sh(end.name, f"{running.kill_lines}sleep 0.1\n{running.start_lines}")
    running.sleep_until(began + lasts_s)
    rekey = f"{SWANCTL} --rekey --child {shlex.quote(survivor.child)} >/dev/null"
    running.sh(survivor.name, rekey, check=False)


def _forget(running: RunningPair, end: End, lasts_s: float) -> None:
    lines = f"{running.kill_lines}{running.forget_lines}sleep {lasts_s:g}\n{running.start_lines}"
    running.sh(end.name, lines)


def _reboot(running: RunningPair, end: End, lasts_s: float) -> None:
    """The gateway's links go down, and all state is forgotten; then come network and forwarding,
    and its daemon last."""
    links = [f"{name}{try_network.SIDES[end.name]}" for name in ("wan", "lan")]
    down, up = ("".join(f"ip link set {link} {way}\n" for link in links) for way in ("down", "up"))
    off = f"{running.kill_lines}{down}{running.forget_lines}sleep {lasts_s - DAEMON_LATER_S:g}"
    running.sh(end.name, off, lasts_s + 60)
    script = f"{up}{try_network.gateway_script(running.pair, end)}sleep {DAEMON_LATER_S}\n"
    running.sh(end.name, script + running.start_lines, 120)


def _cut(running: RunningPair, _: End, lasts_s: float) -> None:
    running.sh(try_network.ROUTER, "\n".join(try_network.cut_ways(running.pair)))
    running.sleep(lasts_s)
    running.sh(try_network.ROUTER, "\n".join(try_network.ways(running.pair, running.way.mtu)))


def _move_elsewhere(running: RunningPair, end: End, _: float) -> None:
    """The gateway gets another address; behind NAT, the NAT does."""
    new = _ELSEWHERE[end.outer.version]
    _move(running, end, new if end.outer == end.public else end.outer, new)


def _move(running: RunningPair, end: End, outer: Any, public: Any) -> None:
    pair, old = running.pair, end.outer
    end.outer, end.public = outer, public
    gone = [f"ip route del {old}"] if outer != old else []
    lines = [*gone, *try_network.ways(pair, running.way.mtu), *try_network.translation(pair)]
    running.sh(try_network.ROUTER, "\n".join(lines))
    if outer != old:
        running.sh(end.name, try_network.gateway_script(pair, end))


_HAPPEN = {
    "stop": _stop,
    "kill": _kill,
    "forget": _forget,
    "reboot": _reboot,
    "move": _move_elsewhere,
    **{name: _cut for name, event in EVENTS.items() if event.at_path},
}
"""name of an event -> lets it happen to an end"""
