"""Changes of the configurations that cure faults, with the setting to copy."""

from collections.abc import Collection, Mapping
from ipaddress import ip_network

from remeasure.bench.tryout.pair import LEGACY_CONF, End, Pair
from remeasure.bench.tryout.replay import PAYLOAD
from remeasure.bench.tryout.try_answers import Fault, TryAnswers

_LEGACY = {
    "start_action = trap": "auto = route",
    "dpd_delay = 30s": "dpdaction = clear and dpddelay = 30s",
    "leave life_time out": "leave lifetime and margintime out",
}
"""setting of swanctl.conf(5) -> of ipsec.conf(5), if it has another name there"""
_PATH_EVENTS = ("cut-20s path", "cut-5min path", "cut-1h path")


def cures(answers: TryAnswers, pair: Pair, faults: Mapping[Fault, Collection[str]]) -> list[str]:
    """One line for each fault that a setting cures, worst first."""
    leaks, stuck = faults.get("leak", ()), faults.get("stuck", ())
    if answers.set_up.program == "WireGuard":
        return _of_wireguard(answers, pair, leaks, stuck)
    found = []
    traps = [end for end in pair.ends if "trap" not in end.starts]
    if (leaks or stuck) and traps:
        what = " and ".join(words for words, of in (("leaks", leaks), ("gets stuck", stuck)) if of)
        found.append(f"It {what}. {set_in(traps, 'start_action = trap')}")
    if leaks and not answers.guarded:
        found.append(
            f"{'Traps leak' if traps else 'It leaks'} while strongSwan is down: forbid unprotected "
            "packets at both gateways, by a firewall rule that is loaded before the network "
            "(docs/guide.md, Stop cleartext leaks; --guarded shows what still leaks)"
            + _filter(answers, pair)
        )
    moves = [where for where in stuck if where.startswith("move")]
    unseen = [end for end in pair.ends if not end.seconds("dpd_delay")]
    if unseen and set(stuck) - {*moves, *_PATH_EVENTS}:
        found.append(
            f"A lost peer goes unnoticed. {set_in(unseen, 'dpd_delay = 30s', child=False)}"
        )
    if moves:
        found.append(
            f"{_names(moves)} does not get through with a new address: name it by a host name at "
            "its peer, and keep mobike = yes"
        )
    found += _lifetimes(answers, pair)
    if faults.get("replay"):
        found.append(_window(answers, pair))
    if [where for where in faults.get("down", ()) if where != "set-up"]:
        found.append(
            "A renewal fails, and the tunnel would die at that time: give both ends the same "
            "proposals for IKE and ESP, with the same groups for key exchange"
        )
    return found


def set_in(ends: Collection[End], setting: str, child: bool = True) -> str:
    """A setting of the child or of the connection of these ends, in the words of their files."""
    found: dict[str, list[str]] = {}
    for end in ends:
        legacy = LEGACY_CONF in end.files
        where = f"child {end.child}" if child else f"connection {end.connection}"
        where = f"{end.name}'s {f'conn {end.child}' if legacy else where}"
        found.setdefault(_LEGACY.get(setting, setting) if legacy else setting, []).append(where)
    return "In " + "; in ".join(f"{' and '.join(of)}: {text}" for text, of in found.items())


def _filter(answers: TryAnswers, pair: Pair) -> str:
    """The guide's filter for the networks behind both gateways; empty if there are none, or if it
    would drop the tunnel's own packets."""
    up, ends = answers.set_up, pair.ends
    child = next((one for one in up.children if one.mode == "tunnel"), None)
    if not child or not all(end.behind for end in ends):
        return ""
    first, second = ends if up.initiator == "left" else reversed(ends)
    try:
        near, far = ip_network(child.local[0]), ip_network(child.remote[0])
    except ValueError:  # ports, or a range that is no network
        return ""
    if first.outer in near and second.outer in far:
        return ""
    protocol, ip = ("ip", "ip") if near.version == 4 else ("ipv6", "ip6")
    return (
        f". At {first.name}, with the outer link WAN: tc qdisc add dev WAN clsact; tc filter add "
        f"dev WAN egress protocol {protocol} u32 match {ip} src {near} match {ip} dst {far} "
        f"action drop. At {second.name}: src and dst exchanged"
        + (
            "; one such filter for each pair of networks"
            if len(child.local + child.remote) > 2
            else ""
        )
    )


def _names(moves: list[str]) -> str:
    return " and ".join(where.removeprefix("move ") for where in moves)


def _of_wireguard(
    answers: TryAnswers, pair: Pair, leaks: Collection[str], stuck: Collection[str]
) -> list[str]:
    found = []
    if leaks and not answers.guarded:
        found.append(
            "It leaks while the interface is away: forbid packets to the far network that leave by "
            "another interface, by a firewall rule that is loaded before the network (--guarded "
            "shows what is left)"
        )
    idle = [end.name for end in pair.ends if end.can_initiate and "start" not in end.starts]
    if stuck and idle:
        found.append(
            "It gets stuck until an end that knows its peer's address sends. In the [Peer] of "
            f"{' and '.join(idle)}: PersistentKeepalive = 25"
        )
    mute = [end.name for end in pair.ends if not end.can_initiate]
    if stuck and mute:
        found.append(f"It gets stuck. In the [Peer] of {' and '.join(mute)}: an Endpoint by name")
    return found


def _window(answers: TryAnswers, pair: Pair) -> str:
    """Real senders leave in bursts, which need a wider window than the even flow here."""
    from remeasure.paper.analysis.models.window_advice import Traffic, advise

    replay = answers.replay
    assert replay
    bursts = advise(Traffic("jitter", replay.rate_mbit, PAYLOAD, replay.jitter_ms)).window
    wide = set_in(pair.ends, f"replay_window = {max(bursts or 0, replay.enough or 0)}")
    none = "no window that strongSwan sets is wide enough"
    return (
        f"If packets have a jitter of {replay.jitter_ms:g} ms (--jitter), the window drops "
        f"{replay.share:.1%} at {replay.rate_mbit:g} Mbit/s. "
        + (wide if bursts and replay.enough else f"Then {none}")
    )


def _lifetimes(answers: TryAnswers, pair: Pair) -> list[str]:
    up, times = answers.set_up, answers.set_up.lifetimes_s
    ends, rekeyed = times.get("child_ends"), times.get("child_rekeyed")
    if not ends or (rekeyed and rekeyed < ends):
        return []
    of = [end for end in pair.ends if end.name == up.initiator]
    return [f"A CHILD_SA ends before it is rekeyed. {set_in(of, 'leave life_time out')}"]
