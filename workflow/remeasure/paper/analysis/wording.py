"""Questions in words."""

from remeasure.bench.claims.questions import Levels, Question


def in_words(test: Question) -> str:
    """The question in words: 'ratio of goodput, payload small to payload large; transport udp'.

    The same question asked of medians within trials, and not of means, is another quantity, and
    says so: no two quantities share their words.
    """

    def words(levels: Levels) -> str:
        return ", ".join(
            f"{factor} {'/'.join(map(str, v)) if isinstance(v, list) else v}"
            for factor, v in levels.items()
        )

    text = "" if test.quantity == "level" else f"{test.quantity} of "
    text += test.metric
    if test.of:
        text += f", {words(test.of)}"
    if test.to:
        text += f" to {words(test.to)}"
    if test.base:
        text += f", above {words(test.base)}"
    if test.over:
        text += f", {'by' if test.reduce == 'mean' else test.reduce + ' over'} {test.over}"
    if test.where:
        text += f"; {words(test.where)}"
    return text if test.within == "mean" else f"{text} ({test.within} within a trial)"


def in_brief(tests: list[Question]) -> list[str]:
    """For each test, the few words that differ between the tests of its claim: 'max tcp', 'small to
    large'. Empty for a single test."""

    def parts(test: Question) -> dict[str, str]:
        def words(levels: Levels, before: str = "") -> dict[str, str]:
            return {
                before + factor: before + "/".join(map(str, v if isinstance(v, list) else [v]))
                for factor, v in levels.items()
            }

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


def _differing(levels: Levels, others: Levels) -> Levels:
    return {factor: level for factor, level in levels.items() if others.get(factor) != level}
