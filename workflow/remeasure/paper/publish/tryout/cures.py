"""Changes of the configurations that cure faults, with the setting to copy."""

from collections.abc import Collection, Mapping

from remeasure.bench.tryout.pair import End, Pair
from remeasure.bench.tryout.try_answers import Fault, TryAnswers

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
    elif leaks and not answers.guarded:
        found.append(
            "It leaks although traps are set: forbid unprotected packets to the far network by a "
            "firewall rule that is loaded before the network (--guarded shows what is left)"
        )
    moves = [where for where in stuck if where.startswith("move")]
    unseen = [end for end in pair.ends if not end.seconds("dpd_delay")]
    if unseen and set(stuck) - {*moves, *_PATH_EVENTS}:
        found.append(f"A lost peer goes unnoticed. In {_connections(unseen)}: dpd_delay = 30s")
    if moves:
        found.append(
            "It does not follow a new address: name ends by host names, leave local_addrs out, and "
            "set mobike = yes"
        )
    found += _lifetimes(answers, pair)
    if faults.get("replay"):
        found.append(_window(answers, pair))
    if [where for where in faults.get("down", ()) if where != "set-up"]:
        found.append(
            "A renewal fails, and the tunnel would die at that time: give both ends the same "
            "proposals and esp_proposals, with the same groups for key exchange"
        )
    return found


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
    replay = answers.replay
    assert replay
    wide = f"In {_children(pair.ends)}: replay_window = {replay.enough}"
    none = "No window that strongSwan sets is wide enough"
    dropped = f"The anti-replay window drops {replay.share:.1%} of the traffic."
    return f"{dropped} {wide if replay.enough else none}"


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
