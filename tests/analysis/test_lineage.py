"""Which cells and blocks an estimate is of."""

from made_up_study import PSK, RATIO, RSA, study, summaries

from remeasure.analysis.evaluation import evaluate


def test_an_estimate_is_of_the_cells_that_it_used():
    from remeasure.analysis import lineage
    from remeasure.analysis.texts import interval_text

    lineage.forget_all()
    claim = study(
        {"tests": [{**RATIO, "expect": "> 1", "matters": 1.01, "because": "made up"}]}
    ).claims[0]
    found = evaluate(claim.tests[0], summaries(PSK, RSA), {})
    text = interval_text(found.value, found.low, found.high)
    (origin,) = lineage.origins_of_text(f"Mbit/s: {text}; and more")
    assert origin.metric == "goodput" and origin.estimate == found
    assert origin.blocks == (0, 1, 2, 3, 4)
    assert [dict(cell) for cell in origin.cells] == [
        {"auth": "psk", "probe": "tcp"},
        {"auth": "rsa", "probe": "tcp"},
    ]
    assert lineage.origins_of(found.value) == [origin] and lineage.origins_of(0.5) == []
