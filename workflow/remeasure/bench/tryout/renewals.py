"""Renewals under traffic: of CHILD_SA and IKE_SA, and reauthentication. Each happens when the
daemons plan it; if none does, or not within PATIENCE_S, it is asked for by swanctl. A group for key
exchange that the ends do not share shows only here (RFC 7296, section 1.3.3)."""

from __future__ import annotations

import re
import shlex
from typing import Any

from remeasure.bench.tryout import seen, try_flows
from remeasure.bench.tryout.running_pair import SWANCTL, RunningPair
from remeasure.bench.tryout.set_up import proposal

PATIENCE_S = 6 * 3600
"""time for which a planned renewal is waited for [s]"""
_ASKS = 300
"""liveness checks that waiting may take; more would take longer than the answer is worth"""
_RATE = 50
"""datagrams per second, each way"""
_BEFORE_S = 2.0
_REFUSED = re.compile(
    r"received (NO_PROPOSAL_CHOSEN|TS_UNACCEPTABLE|AUTHENTICATION_FAILED|INVALID_SYNTAX)|"
    r"rekeying failed|establishing CHILD_SA failed|no acceptable proposal found"
)
_KINDS = {
    "child": ("--rekey", "--child"),
    "ike": ("--rekey", "--ike"),
    "reauthentication": ("--rekey", "--reauth", "--ike"),
}
"""name of a renewal -> options of swanctl that ask for it"""


def renewals(running: RunningPair) -> dict[str, Any]:
    """Name of a renewal -> what was lost and leaked in it, and whether SAs were renewed."""
    if not running.up():
        return {}
    return {name: _renewed(running, name) for name in _KINDS if running.is_up()}


def _renewed(running: RunningPair, name: str) -> dict[str, Any]:
    end = running.initiator
    lasts = max(6.0, 60 * running.way.rtt_ms / 1e3)
    due = _due(running, name)
    before = _spis(running)
    if due is not None:
        running.sleep_until(due - _BEFORE_S)
    with try_flows.captured(running, seen.UNPROTECTED) as captures:
        began = running.now()
        ends_at = try_flows.begin_flows(running, lasts + _BEFORE_S, try_flows.FlowRate(_RATE))
        if due is None:
            running.sleep_until(began + _BEFORE_S)
            of = end.child if name == "child" else end.connection
            command = f"{SWANCTL} {shlex.join([*_KINDS[name], of])} >/dev/null 2>&1"
            running.sh(end.name, command, check=False)
        logs = try_flows.end_flows(running, ends_at)
    leaked = {one: seen.leaked_at(capture) for one, capture in captures.items()}
    ran = try_flows.Flows(try_flows.FlowRate(_RATE), logs)
    after = _spis(running)
    said = [
        f"{one.name}: {message}"
        for one in running.pair.ends
        for _, message in running.log(one, began)
        if _REFUSED.search(message)
    ]
    children, kind = running.children(end), "child" if name == "child" else "ike"
    renewed, up = bool(after[kind]) and after[kind] != before[kind], running.is_up()
    if kind == "ike" and renewed and up:
        said = []  # of the CHILD_SA, which is tried again and again
    return {
        "planned": due is not None,
        "renewed": renewed,
        "up": up,
        "lost_s": {one: round(len(ran.lost_at(one)) / _RATE, 3) for one in logs},
        "leaked_s": {one: round(len(times) / _RATE, 3) for one, times in leaked.items()},
        "refused": said[:3],
        "proposal": proposal(children[0]) if children else "",
    }


def _due(running: RunningPair, name: str) -> float | None:
    """When the next renewal is planned [s since the epoch]; None if it must be asked for."""
    keys = {"ike": "rekey-time", "reauthentication": "reauth-time"}
    found = []
    for end in running.pair.ends:
        if name == "child":
            for child in running.children(end):
                # A CHILD_SA may end before it is rekeyed.
                found += [child.get("rekey-time"), child.get("life-time")]
        else:
            found += [sa.get(keys[name]) for sa in running.sas(end)]
    times = [int(one) for one in found if one]
    asks = max((end.seconds("dpd_delay") for end in running.pair.ends), default=0)
    longest = min(PATIENCE_S, _ASKS * asks) if asks else PATIENCE_S
    if not times or not 2 * _BEFORE_S < min(times) <= longest:
        return None
    return running.now() + min(times)


def _spis(running: RunningPair) -> dict[str, list[Any]]:
    """SPIs of the initiator's IKE_SAs and CHILD_SAs."""
    sas = running.sas(running.initiator)
    children = running.children(running.initiator)
    return {
        "ike": [sa.get("initiator-spi") for sa in sas],
        "child": [child.get("spi-in") for child in children],
    }
