"""Which cells and blocks an estimate is of."""

import math
from dataclasses import replace

from made_up_study import PSK, RATIO, RSA, study, summaries

from remeasure.analysis import lineage
from remeasure.analysis.estimates import Estimate
from remeasure.analysis.evaluation import evaluate
from remeasure.analysis.texts import interval_text


def only_estimate() -> Estimate:
    """An estimate, the only one that is remembered."""
    lineage.forget_all()
    claim = study(
        {"tests": [{**RATIO, "expect": "> 1", "matters": 1.01, "because": "made up"}]}
    ).claims[0]
    return evaluate(claim.tests[0], summaries(PSK, RSA), {})


def test_an_estimate_is_of_the_cells_that_it_used():
    found = only_estimate()
    text = interval_text(found.value, found.low, found.high)
    (origin,) = lineage.origins_of_text(f"Mbit/s: {text}; and more")
    assert origin.metric == "goodput" and origin.estimate == found
    assert origin.blocks == (0, 1, 2, 3, 4)
    assert [dict(cell) for cell in origin.cells] == [
        {"auth": "psk", "probe": "tcp"},
        {"auth": "rsa", "probe": "tcp"},
    ]
    assert lineage.origins_of(found.value) == [origin] and lineage.origins_of(0.5) == []


def test_whether_two_estimates_are_the_same_does_not_depend_on_the_last_digits():
    """Which differ between processors."""
    found = only_estimate()
    (first,) = lineage.origins_of(found.value)
    near = replace(found, value=math.nextafter(found.value, math.inf))
    lineage.remember(near, "the same, computed in another order", "goodput", [], [])
    assert [origin.says for origin in lineage.origins_of(found.value)] == [
        first.says,
        "the same, computed in another order",
    ]
