"""Questions in words."""

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.wording import in_brief, in_words


def test_in_words():
    question = Question(
        metric="rate",
        quantity="ratio",
        of={"suite": "b"},
        to={"suite": ["a", "c"]},
        over="size",
        reduce="min",
        where={"load": "full"},
    )
    assert in_words(question) == "ratio of rate, suite b to suite a/c, min over size; load full"


def test_the_tests_of_a_claim_are_told_apart_by_what_differs():
    small, large = ({"suite": "a", "size": size} for size in (1, 2))
    tests = [
        Question(quantity="ratio", metric="rate", of=small, to=large, where={"via": "tcp"}),
        Question(quantity="ratio", metric="rate", of=small, to=large, where={"via": "udp"}),
        Question(metric="rate", over="size", reduce="max", of=small, where={"via": "udp"}),
    ]
    assert in_brief(tests) == ["ratio tcp to 2", "ratio udp to 2", "max udp"]
    assert in_brief(tests[:2]) == ["tcp", "udp"]
    assert in_brief(tests[:1]) == [""]
