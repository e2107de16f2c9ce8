"""Rows of the report of `remeasure try`: renewals and events, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass

from remeasure.bench.tryout.try_answers import Moment, RenewalAnswer, TryAnswers
from remeasure.bench.tryout.try_events import BOOT_S, DAEMON_LATER_S

HEADS = ("what happens", "lost", "left leaks", "right leaks", "then")
_EVENTS = {
    "stop": "{at}: {program} stops for 20 s",
    "kill": "{at}: strongSwan killed; {peer} rekeys",
    "reboot": f"{{at}}: reboots, {BOOT_S + DAEMON_LATER_S} s",
    "forget": "{at}: forgets all {sessions}",
    "move": "{at}: gets another address",
    "cut-20s": "path: cut for 20 s",
    "cut-5min": "path: cut for 5 min",
    "cut-1h": "path: cut for 1 h",
}
_RENEWALS = {
    "child": "renewal of the CHILD_SA",
    "ike": "renewal of the IKE_SA",
    "reauthentication": "reauthentication",
    "session": "renewal of the session",
}
_SESSIONS = {"strongSwan": "SAs", "WireGuard": "sessions"}
_PEER = {"left": "right", "right": "left", "path": ""}


@dataclass(frozen=True)
class Row:
    """One row; `badness` orders rows, worst first."""

    badness: tuple[float, ...]
    cells: tuple[str, ...]
    bad: bool


def rows(answers: TryAnswers) -> list[Row]:
    """All rows, worst first."""
    found = [_renewal(name, one) for name, one in answers.renewals.items()]
    found += [
        _event(_words(answers.set_up.program, event.event, end), moments)
        for event in answers.events
        for end, moments in event.ends.items()
    ]
    return sorted(found, key=lambda row: row.badness, reverse=True)


def _renewal(name: str, one: RenewalAnswer) -> Row:
    failed = not one.up or not one.renewed or bool(one.refused)
    leaked, lost = max(one.leaked_s.values()), max(one.lost_s.values())
    then = "renewed" if one.planned else "renewed (asked for)"
    if failed:
        then = ": ".join(["FAILS", *one.refused[:1]])
    ends = (time_text([one.leaked_s[end]], 0) for end in ("left", "right"))
    cells = (_RENEWALS[name], time_text([lost], 0), *ends, then)
    return Row((leaked, failed, lost), cells, failed or leaked > 0)


def _words(program: str, event: str, at: str) -> str:
    sessions = _SESSIONS[program]
    return _EVENTS[event].format(at=at, peer=_PEER[at], program=program, sessions=sessions)


def _event(words: str, moments: Sequence[Moment]) -> Row:
    if not moments:
        return Row((1e9,), (words, "", "", "", "the tunnel did not come up before"), True)
    grain = max(one.grain_s for one in moments)
    lost = [max(one.lost_s.values()) for one in moments]
    leaked = {end: [one.leaked_s[end] for one in moments] for end in ("left", "right")}
    still = {end: any(one.leaks_still[end] for one in moments) for end in leaked}
    stuck = sum(one.back_s is None for one in moments)
    cells = [words, time_text(lost, grain)]
    cells += [
        time_text(times, grain) + (", to the end" if still[end] else "")
        for end, times in leaked.items()
    ]
    worst = max(max(times) for times in leaked.values())
    bad = stuck > 0 or worst > 0
    badness = (any(still.values()), worst, stuck, max(lost))
    if stuck == 0 and max(worst, *lost) < 2 * grain:
        return Row(badness, (*cells, "goes on"), bad)
    return Row(badness, (*cells, _then(moments, stuck, grain)), bad)


def _then(moments: Sequence[Moment], stuck: int, grain: float) -> str:
    watched = time_text([max(one.watched_s for one in moments)], 0)
    if stuck == len(moments):
        return f"never back in {watched}"
    back = [one.back_s for one in moments if one.back_s is not None]
    by = "/".join(sorted({one.by for one in moments if one.by}))
    text = "goes on" if not any(back) else f"back after {time_text(back, grain)}"
    text += f", by {by}" if by else ""
    return text if not stuck else f"never back at {stuck} of {len(moments)} moments; else {text}"


def time_text(seconds: Sequence[float], grain_s: float) -> str:
    """A time, or a range of times; none as a dash. A time below two grains is only an upper
    bound."""
    least, most = min(seconds), max(seconds)
    if not most:
        return "-"
    if most < 2 * grain_s:
        return f"< {_number(2 * grain_s)}"
    if _number(least) == _number(most):
        return _number(most)
    return f"{_number(least) if least else '0'} to {_number(most)}"


def _number(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
