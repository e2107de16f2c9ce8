"""Changes of the configurations that cure faults, with the setting to copy."""

from collections.abc import Collection, Mapping

from remeasure.bench.tryout.pair import LEGACY_CONF, End, Pair
from remeasure.bench.tryout.replay import PAYLOAD
from remeasure.bench.tryout.try_answers import Fault, TryAnswers

_LEGACY_TERMS = {
    "start_action = trap": "auto = route",
    "dpd_delay = 30s": "dpdaction = restart, with dpddelay = 30s",
    "peer's remote_addrs": "peer's left or right",
    "proposals and esp_proposals": "ike and esp",
    "life_time out": "lifetime and margintime out",
}
"""setting of swanctl.conf(5) -> of ipsec.conf(5)"""
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
        found.append(f"It {what}. In {_children(traps)}: start_action = trap")
    if leaks and not answers.guarded:
        found.append(
            f"{'Traps leak' if traps else 'It leaks'} while strongSwan is down: forbid unprotected "
            "packets at both gateways, by a firewall rule that is loaded before the network "
            "(docs/guide.md, Stop cleartext leaks; --guarded shows what still leaks)"
        )
    moves = [where for where in stuck if where.startswith("move")]
    unseen = [end for end in pair.ends if not end.seconds("dpd_delay")]
    if unseen and set(stuck) - {*moves, *_PATH_EVENTS}:
        found.append(f"A lost peer goes unnoticed. In {_connections(unseen)}: dpd_delay = 30s")
    if moves:
        found.append(
            f"{_names(moves)} does not get through with a new address: name it by a host name in "
            "its peer's remote_addrs, and keep mobike = yes"
        )
    found += _lifetimes(answers, pair)
    if faults.get("replay"):
        found.append(_window(answers, pair))
    if [where for where in faults.get("down", ()) if where != "set-up"]:
        found.append(
            "A renewal fails, and the tunnel would die at that time: give both ends the same "
            "proposals and esp_proposals, with the same groups for key exchange"
        )
    legacy = any(LEGACY_CONF in end.files for end in pair.ends)
    return [_in_terms_of_both(one) for one in found] if legacy else found


def _in_terms_of_both(line: str) -> str:
    """A line with settings of swanctl.conf(5), and their names in ipsec.conf(5)."""
    terms = [old for new, old in _LEGACY_TERMS.items() if new in line]
    return f"{line} (ipsec.conf: {', '.join(terms)})" if terms else line


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
    wide = f"In {_children(pair.ends)}: replay_window = {max(bursts or 0, replay.enough or 0)}"
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
    child = _children([end for end in pair.ends if end.name == up.initiator])
    return [f"A CHILD_SA ends before it is rekeyed. In {child}: leave life_time out"]


def _children(ends: list[End]) -> str:
    return " and ".join(f"{end.name}'s child {end.child}" for end in ends)


def _connections(ends: list[End]) -> str:
    return " and ".join(f"{end.name}'s connection {end.connection}" for end in ends)
