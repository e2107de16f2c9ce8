"""Events of a tunnel under traffic: renewals that an end asks for, and outages. An outage strikes
the responder, or the path. If a daemon ends and begins again, only the ends themselves bring the
tunnel back."""

import shlex
from typing import Literal, get_args

from remeasure.bench.ipsec.clear_text import clear_text_setters
from remeasure.bench.ipsec.control import ENDED, FLUSH, START, TERMINATE_LIMIT_S, TunnelControl
from remeasure.bench.ipsec.swanctl import CONNECTION
from remeasure.bench.lab import uml
from remeasure.bench.lab.network import CONTROL
from remeasure.bench.testbed.remote import at_once
from remeasure.bench.testbed.tools import fail_showing, program, wait_until
from remeasure.bench.testbed.watching.unchanged import remember

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
Outage = Literal["killed", "stopped", "killed-flushed", "host-away", "boot", "path-down"]
Event = Renewal | Outage
OUTAGES = frozenset(get_args(Outage))
_REKEYED: dict[Event, tuple[list[int], list[str]]] = {
    "child": ([0], ["--child", CONNECTION]),
    "child-by-responder": ([1], ["--child", CONNECTION]),
    "child-by-both": ([0, 1], ["--child", CONNECTION]),
    "ike": ([0], ["--ike", CONNECTION]),
    "reauthentication": ([0], ["--ike", CONNECTION, "--reauth"]),
}
"""renewal -> the ends that ask for it (0: the initiator), and options of `swanctl --rekey`"""
_KILL = f"pkill -KILL -x charon-systemd; {ENDED}"
_ENDED: dict[Event, str] = {
    "killed": _KILL,
    "stopped": f"pkill -x charon-systemd; {ENDED}",
    "killed-flushed": f"{_KILL}; {FLUSH}",
}
"""outage -> a line for a shell that ends the daemon"""
# Incoming packets are dropped: they have left the other end, as on a path that is cut further on.
# The hook exists already, since it counts packets in the clear (clear_text.py).
_BLOCK = "tc filter add dev {interface} ingress pref 7 protocol all u32 match u32 0 0 action drop"
_UNBLOCK = "tc filter del dev {interface} ingress pref 7"
_BOOT_LIMIT_S = 60
_BOOTED = wait_until("[ -e /run/booted ]", fail_showing("/root/boot.log"), _BOOT_LIMIT_S, 1)


def asked(event: Event) -> tuple[int, int]:
    """Least and most renewals by `swanctl --rekey`. Of two ends that ask at once, one may win."""
    ends, _ = _REKEYED.get(event, ([], []))
    return min(1, len(ends)), len(ends)


def happen(control: TunnelControl, event: Event, lasts_s: float) -> None:
    """Let an event happen. An outage lasts for `lasts_s` seconds (a boot: from its network to its
    daemon), and is over when this returns. Raises CommandFailed."""
    if event in _REKEYED:
        ends, options = _REKEYED[event]
        asking = [[control.initiator, control.responder][end] for end in ends]
        at_once(lambda remote: remote.run(["swanctl", "--rekey", *options]), asking)
    elif event == "terminate-initiate":
        limit = ["--timeout", str(TERMINATE_LIMIT_S)]
        command = ["swanctl", "--terminate", "--ike", CONNECTION, *limit]
        control.initiator.run(command, timeout=2 * TERMINATE_LIMIT_S)
        control.initiate()
    elif event in _ENDED:
        # One script, so that no time is lost between its lines.
        script = f"{_ENDED[event]}; sleep {lasts_s:g}\n{START}"
        control.responder.run(script, timeout=lasts_s + 60)
    elif event == "host-away":
        _away(control, lasts_s)
    elif event == "boot":
        _boot(control, lasts_s)
    elif event == "path-down":
        _path_down(control, lasts_s)


def _away(control: TunnelControl, lasts_s: float) -> None:
    """The host neither answers nor remembers: no daemon, no SA, its interface down. Routes by an
    interface are lost with it, and are put back."""
    interface = shlex.quote(control.interfaces[control.tunnel.responder])
    script = f"""\
routes=$(ip -4 route show dev {interface} | grep -v 'proto kernel')
{_KILL}
ip link set {interface} down; {FLUSH}
sleep {lasts_s:g}
ip link set {interface} up
printf '%s\\n' "$routes" | while read -r route; do
  [ -z "$route" ] || ip route replace $route dev {interface} || exit 1
done || exit 1
{START}"""
    control.responder.run(script, timeout=lasts_s + 60)


def _path_down(control: TunnelControl, lasts_s: float) -> None:
    """Nothing that a gateway sends reaches the other."""

    def change(script: str) -> None:
        for name, gateway in control.gateways.items():
            gateway.run(script.format(interface=shlex.quote(control.interfaces[name])))

    change(_BLOCK)
    try:
        control.initiator.run(f"sleep {lasts_s:g}", timeout=lasts_s + 60)
    finally:
        change(_UNBLOCK)


def _boot(control: TunnelControl, delay_s: float) -> None:
    """The responder boots (programs/boot.sh), and its daemon starts `delay_s` seconds after its
    network. A guest of User Mode Linux that boots is the same process of this machine, with the
    same links. The delay that a cell gives to the responder's link is lost until the end of the
    run."""
    name, kernel = control.tunnel.responder, uml.KIND.interface
    links = [CONTROL, *control.topology.links_of(name)]
    outer = f"{kernel}{links.index(control.tunnel.link_of(name))}"
    (counters,) = clear_text_setters(control.tunnel, control.topology, {name: outer})
    values = {"delay": f"{delay_s:g}", "counters": counters.command, "start": START}
    script = program("boot.sh", **values, links=shlex.join(links), kernel=kernel)
    control.responder.boot(script, _BOOTED, _BOOT_LIMIT_S)
    remember([control.responder])
