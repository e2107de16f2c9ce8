"""Events of a tunnel under traffic: renewals that an end asks for, and outages. An outage strikes
the responder, or the path. If a daemon ends and begins again, only the ends themselves bring the
tunnel back."""

import shlex
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from remeasure.bench.ipsec.control import START, TERMINATE_LIMIT_S, TunnelControl
from remeasure.bench.ipsec.swanctl import CONNECTION
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import fail, wait_until

Renewal = Literal[
    "none",
    "expiry",
    "child",
    "child-by-responder",
    "child-by-both",
    "ike",
    "reauthentication",
    "terminate-initiate",
]
"""`expiry`: lifetimes of the tunnel end during the flow, and the ends renew it by themselves"""
Outage = Literal["killed", "stopped", "killed-flushed", "host-away", "path-down"]
Event = Renewal | Outage
OUTAGES = frozenset(get_args(Outage))
_END = wait_until("! pgrep -x charon-systemd >/dev/null", fail("charon does not stop"))
_KILL = f"pkill -KILL -x charon-systemd; {_END}"
_FLUSH = "ip xfrm state flush; ip xfrm policy flush"
# Incoming packets are dropped: they have left the other end, as on a path that is cut further on.
# The hook exists already, since it counts packets in the clear (clear_text.py).
_BLOCK = "tc filter add dev {interface} ingress pref 7 protocol all u32 match u32 0 0 action drop"
_UNBLOCK = "tc filter del dev {interface} ingress pref 7"


def happen(control: TunnelControl, event: Event, lasts_s: float) -> None:
    """Let an event happen. An outage lasts for `lasts_s` seconds, and is over when this returns.
    Raises CommandFailed."""
    if event in OUTAGES:
        _OUTAGES[event](control, lasts_s)
    else:
        _RENEWALS[event](control)


def rekey_ike(control: TunnelControl) -> None:
    """Ask for a new IKE_SA by CREATE_CHILD_SA; CHILD_SAs stay."""
    control.initiator.run(["swanctl", "--rekey", "--ike", CONNECTION])


def reauthenticate(control: TunnelControl) -> None:
    """Replace the IKE_SA and its CHILD_SA by new ones."""
    control.initiator.run(["swanctl", "--rekey", "--ike", CONNECTION, "--reauth"])


def _rekey_by(*roles: str) -> Callable[[TunnelControl], None]:
    def rekey(control: TunnelControl) -> None:
        ends = {"initiator": control.initiator, "responder": control.responder}
        at_once(lambda role: ends[role].run(["swanctl", "--rekey", "--child", CONNECTION]), roles)

    return rekey


def _terminate_and_initiate(control: TunnelControl) -> None:
    limit = str(TERMINATE_LIMIT_S)
    control.initiator.run(
        ["swanctl", "--terminate", "--ike", CONNECTION, "--timeout", limit],
        timeout=2 * TERMINATE_LIMIT_S,
    )
    control.initiate()


_RENEWALS: Mapping[str, Callable[[TunnelControl], None]] = {
    "none": lambda control: None,
    "expiry": lambda control: None,
    "child": _rekey_by("initiator"),
    "child-by-responder": _rekey_by("responder"),
    "child-by-both": _rekey_by("initiator", "responder"),
    "ike": rekey_ike,
    "reauthentication": reauthenticate,
    "terminate-initiate": _terminate_and_initiate,
}


def _restarted(end: str) -> Callable[[TunnelControl, float], None]:
    def strike(control: TunnelControl, lasts_s: float) -> None:
        # One script, so that no time is lost between its lines.
        _run_for(control.responder, f"{end}; sleep {lasts_s:g}\n{START}", lasts_s)

    return strike


def _away(control: TunnelControl, lasts_s: float) -> None:
    """The host neither answers nor remembers: no daemon, no SA, its interface down. Routes by an
    interface are lost with it, and are put back."""
    interface = shlex.quote(control.interfaces[control.tunnel.responder])
    script = f"""\
routes=$(ip -4 route show dev {interface} | grep -v 'proto kernel')
{_KILL}
ip link set {interface} down; {_FLUSH}
sleep {lasts_s:g}
ip link set {interface} up
printf '%s\\n' "$routes" | while read -r route; do
  [ -z "$route" ] || ip route replace $route dev {interface} || exit 1
done || exit 1
{START}"""
    _run_for(control.responder, script, lasts_s)


def _path_down(control: TunnelControl, lasts_s: float) -> None:
    """Nothing that a gateway sends reaches the other."""

    def change(script: str) -> None:
        for name, gateway in control.gateways.items():
            gateway.run(script.format(interface=shlex.quote(control.interfaces[name])))

    change(_BLOCK)
    try:
        _run_for(control.initiator, f"sleep {lasts_s:g}", lasts_s)
    finally:
        change(_UNBLOCK)


_OUTAGES: Mapping[str, Callable[[TunnelControl, float], None]] = {
    "killed": _restarted(_KILL),
    "stopped": _restarted(f"pkill -x charon-systemd; {_END}"),
    "killed-flushed": _restarted(f"{_KILL}; {_FLUSH}"),
    "host-away": _away,
    "path-down": _path_down,
}


def _run_for(remote: Remote, script: str, lasts_s: float) -> None:
    remote.run(script, timeout=lasts_s + 60)
