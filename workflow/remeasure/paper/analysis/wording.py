"""Questions in words."""

from typing import Any

from remeasure.bench.claims.questions import Levels, Question


def in_words(test: Question) -> str:
    """The question in words: 'ratio of goodput, payload small to payload large; transport udp'.
    Words differ for means and medians within trials: no two quantities share their words."""

    def words(before: str, levels: Levels) -> str:
        return before * bool(levels) + ", ".join(f"{f} {_said(v)}" for f, v in levels.items())

    text = test.metric if test.quantity == "level" else f"{test.quantity} of {test.metric}"
    text += words(", ", test.of) + words(" to ", test.to) + words(", above ", test.base)
    if test.over:
        text += f", {'by' if test.reduce == 'mean' else test.reduce + ' over'} {test.over}"
    text += words("; ", test.where)
    return text if test.within == "mean" else f"{text} ({test.within} within a trial)"


def in_brief(tests: list[Question]) -> list[str]:
    """The few words that distinguish the tests of a claim: 'max tcp', 'small to large'. Empty for a
    single test."""

    def parts(test: Question) -> dict[str, str]:
        def words(levels: Levels, before: str = "") -> dict[str, str]:
            return {before + factor: before + _said(v) for factor, v in levels.items()}

        of = test.where | test.of
        return {
            "quantity": "" if test.quantity == "level" else test.quantity,
            "reduce": "" if test.reduce == "mean" else test.reduce,
            "metric": test.metric.replace("_", " "),
            "probe": test.probe or "",
            **words(of),
            **words(_differing(test.to, of), "to "),
            **words(_differing(test.base, of), "above "),
        }

    described = [parts(test) for test in tests]
    telling = {
        key
        for one in described
        for key, text in one.items()
        if any(other.get(key) != text for other in described)
    }
    return [
        " ".join(text for key, text in one.items() if key in telling and text) for one in described
    ]


def _said(wanted: Any) -> str:
    """A level, or several, in words: '64/1024'."""
    return "/".join(map(str, wanted if isinstance(wanted, list) else [wanted]))


def _differing(levels: Levels, others: Levels) -> Levels:
    return {factor: level for factor, level in levels.items() if others.get(factor) != level}
