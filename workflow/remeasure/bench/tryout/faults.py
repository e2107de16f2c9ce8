"""The faults among the answers, by name (try_answers.FAULTS)."""

from remeasure.bench.tryout.replay import FEW
from remeasure.bench.tryout.try_answers import Fault, TryAnswers


def faults(answers: TryAnswers) -> dict[Fault, list[str]]:
    """Fault -> where: set-up, name of a renewal, `<event> <end>`, or replay; no fault without a
    place."""
    if not answers.set_up.answered and not answers.set_up.no_traffic:
        return {"down": ["set-up"]}
    found: list[tuple[Fault, str]] = []
    for name, renewal in answers.renewals.items():
        if not renewal.up or renewal.refused or not renewal.renewed:
            found.append(("down", name))
        found += [("leak", name)] * any(renewal.leaked_s.values())
        found += [("loss", name)] * any(renewal.lost_s.values())
    for event in answers.events:
        for end, moments in event.ends.items():
            where = f"{event.event} {end}"
            found += [("leak", where)] * any(any(one.leaked_s.values()) for one in moments)
            found += [("stuck", where)] * any(one.back_s is None for one in moments)
    if answers.replay and answers.replay.share > FEW:
        found.append(("replay", "replay"))
    places: dict[Fault, list[str]] = {}
    for fault, where in found:
        places.setdefault(fault, []).append(where)
    return places
