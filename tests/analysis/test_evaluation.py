"""Quantities of cells, on tables whose answers are known."""

import numpy as np
import pandas as pd
import pytest
from frames import frame
from scipy import stats

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.decisions import CONFIRMED, NO_DIFFERENCE, OPPOSITE, UNDECIDED, decide
from remeasure.paper.analysis.estimates import Estimate, cell_estimates
from remeasure.paper.analysis.evaluation import evaluate, examine
from remeasure.paper.analysis.selection import Measurements

GROUPS = {"size": {"small": [1, 2]}}


def table(blocks=5, spread=0.0) -> pd.DataFrame:
    """rate is 10 for suite a, 20 for b, plus the size; jitter is three times the size."""
    noise = np.random.default_rng(1)
    rows = [
        (block, suite, str(size), metric, value + (noise.normal(0, spread) if spread else 0))
        for block in range(1, blocks + 1)
        for suite, base in (("a", 10), ("b", 20))
        for size in (1, 2, 4)
        for metric, value in (("rate", base + size), ("jitter", 3 * size))
    ]
    return frame("block suite size metric value", *rows, trial=1, probe="p", unit="u")


B_TO_A = {"of": {"suite": "b"}, "to": {"suite": "a"}}
RATIO, LEAD = {**B_TO_A, "quantity": "ratio"}, {**B_TO_A, "quantity": "lead", "among": "suite"}
AMONG = {"among": "size", "of": {"size": 2}, "to": {"size": [1, 4]}, "where": {"suite": "a"}}
EXCESS = {"to": {"suite": "a", "size": 4}, "base": {"suite": "a", "size": 1}}
SMALLEST = {"over": "size", "reduce": "min"}


@pytest.mark.parametrize(
    ("metric", "fields", "expected"),
    [
        ("rate", {"of": {"suite": "a", "size": "small"}}, (11 * 12) ** 0.5),
        ("rate", {"of": {"suite": "a", "size": [1, 4]}}, (11 * 14) ** 0.5),
        ("rate", {"over": "size", "reduce": "max", "of": {"suite": "b"}}, 24),
        ("rate", {**RATIO, "where": {"size": 2}}, 22 / 12),
        ("rate", RATIO | SMALLEST, 24 / 14),
        ("rate", {**B_TO_A, "quantity": "difference"}, 10),
        ("jitter", {"quantity": "slope", "over": "size", "scale": 1000}, 3000),
        ("rate", {"quantity": "intercept", "over": "size", "of": {"suite": "a"}}, 10),
        ("rate", {"over": "cells", "reduce": "max"}, 24),
        ("jitter", {"quantity": "straightness", "over": "size"}, 0),
        # of geometric means
        ("rate", {**RATIO, "of": {"size": 4}, "to": {"size": 1}}, (14 / 11 * 24 / 21) ** 0.5),
        ("rate", {**EXCESS, "quantity": "excess", "of": {"suite": "b", "size": 1}}, 10 / 3),
        ("rate", {**AMONG, "quantity": "lead"}, 12 / 14),
        ("rate", LEAD | SMALLEST, 24 / 14),
        ("rate", {**AMONG, "quantity": "trail"}, 12 / 11),
    ],
)
def test_quantities(metric, fields, expected):
    estimate = evaluate(Question(metric=metric, **fields), table(), GROUPS)
    found = (estimate.value, estimate.low, estimate.high)
    assert found == pytest.approx((expected,) * 3, abs=1e-9)
    assert estimate.n == 5


def test_an_estimate_is_of_the_cells_that_it_used():
    origin = evaluate(Question(metric="rate", **RATIO, where={"size": 2}), table(), {}).origin
    assert origin.blocks == (1, 2, 3, 4, 5)
    assert [dict(cell)["suite"] for cell in origin.cells] == ["a", "b"]
    for row in cell_estimates(table().query("metric == 'rate'"), ["suite", "size"]).itertuples():
        (cell,) = Estimate.of_row(row).origin.cells
        assert (dict(cell)["suite"], dict(cell)["size"]) == (row.suite, row.size)


def test_a_block_that_lacks_one_side_does_not_count_for_a_comparison():
    lacking = table()
    lacking["value"] += 100 * (lacking["block"] == 2)
    lacking = lacking[~((lacking["block"] == 2) & (lacking["suite"] == "a"))]
    question = Question(metric="rate", quantity="difference", **B_TO_A)
    found = examine(question, Measurements(lacking), {})
    assert (found.estimate.value, found.estimate.n) == (pytest.approx(10), 4)
    assert found.blocks == (1, 3, 4, 5)
    assert evaluate(Question(metric="rate", of={"suite": "b"}), lacking, {}).n == 5


def test_a_block_that_lacks_one_cell_of_a_side_is_used():
    lacking = table(spread=0.2)
    hole = (lacking["block"] == 2) & (lacking["suite"] == "a") & (lacking["size"] == "4")
    question = Question(metric="rate", quantity="difference", **B_TO_A)
    whole, holed = (evaluate(question, one, {}) for one in (table(spread=0.2), lacking[~hole]))
    assert holed.value == pytest.approx(whole.value, abs=0.1)
    assert holed.value == pytest.approx(10, abs=0.4), "the sizes are not confounded with the suite"
    complete = evaluate(question, lacking[lacking["block"] != 2], {})
    assert holed.high - holed.low != complete.high - complete.low


def sizes_apart(*values, spread=0.02, blocks=10):
    """Suite b over suite a at each size is one of `values`."""
    noise = np.random.default_rng(7)
    rows = [
        (block, suite, str(size), (value if suite == "b" else 1) * np.exp(noise.normal(0, spread)))
        for block in range(blocks)
        for size, value in enumerate(values, 1)
        for suite in "ab"
    ]
    same = {"trial": 1, "probe": "p", "metric": "rate", "unit": "u"}
    return frame("block suite size value", *rows, **same)


def asked(**fields):
    return Question(**{"metric": "rate", "because": "made up"} | fields)


def at_every_size(reduce="min"):
    return asked(**RATIO, over="size", reduce=reduce, expect="> 1", matters=1.05)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1.2, 1.3, 1.4), CONFIRMED),
        ((1.2, 1.0, 1.4), NO_DIFFERENCE),  # at one size
        ((1.2, 0.8, 1.4), OPPOSITE),
        ((1.0, 1.0, 1.0), NO_DIFFERENCE),
        ((1.2, 1.05, 1.4), UNDECIDED),  # confirmed at no size, negligible at none
    ],
)
def test_at_every_size_is_asked_of_each_size(values, expected):
    spread = 0.08 if expected == UNDECIDED else 0.02
    found = examine(at_every_size(), Measurements(sizes_apart(*values, spread=spread)), {})
    assert decide(found.evidence) == expected
    if expected == OPPOSITE:
        assert found.at == "size 2"


def test_the_interval_of_an_extreme_is_not_narrower_than_that_of_its_level():
    apart = sizes_apart(1.2, 0.8, 1.4, spread=0.1)
    extreme = evaluate(at_every_size(), apart, {})
    single = evaluate(at_every_size("mean").model_copy(update={"where": {"size": "2"}}), apart, {})
    assert extreme.value == pytest.approx(single.value)
    assert extreme.low < single.low and extreme.high > single.high


def test_a_bend_is_no_straight_line_and_a_logarithm_is_straight_in_logarithms():
    noise = np.random.default_rng(1)

    def rising(shape):
        rows = [
            (block, str(size), shape(float(size)) + noise.normal(0, 5e-6))
            for size in (64, 128, 256, 512, 1024)
            for block in range(10)
        ]
        same = {"trial": 1, "suite": "a", "probe": "p", "metric": "rate", "unit": "u"}
        return frame("block size value", *rows, **same)

    def verdict(shape, **along):
        question = asked(quantity="straightness", over="size", expect="< 0.1", **along)
        return decide(examine(question, Measurements(rising(shape)), {}).evidence)

    assert verdict(lambda size: size) == CONFIRMED
    assert verdict(np.log) == OPPOSITE
    assert verdict(np.log, along="logarithm") == CONFIRMED
    assert verdict(lambda size: size, along="logarithm") == OPPOSITE


@pytest.mark.parametrize("of_class", ["", "up_bulk_"])
def test_no_loss_has_the_interval_of_a_binomial_share(of_class):
    """0 of 1500 packets: at most 0.2456 % (Clopper and Pearson, 97.5 %, one-sided)."""
    rows = [
        (block, suite, of_class + metric, unit, value)
        for block in range(10)
        for suite in "ab"
        for metric, unit, value in (("loss", "%", 0.0), ("sent", "packets", 150.0))
    ]
    if of_class:  # packets of another class do not count
        rows += [(*row[:2], "down_bulk_sent", "packets", 1.0) for row in rows[1::2]]
    lost = frame("block suite metric unit value", *rows, trial=1, probe="p")
    high = 100 * stats.binomtest(0, 1500).proportion_ci(0.95).high
    a = {"metric": f"{of_class}loss", "of": {"suite": "a"}}
    level = examine(asked(**a, expect="< 0.5"), Measurements(lost), {})
    assert (level.estimate.low, level.estimate.high) == pytest.approx((0, high))
    assert decide(level.evidence) == CONFIRMED
    apart = {"quantity": "difference", "to": {"suite": "b"}, "expect": "> 0", "matters": 0.2}
    found = examine(asked(**a, **apart), Measurements(lost), {})
    assert (found.estimate.low, found.estimate.high) == pytest.approx((-high, high))
    assert decide(found.evidence) == UNDECIDED, "too few packets for a fifth of a point"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (RATIO, (21 / 11 * 22 / 12) ** 0.5),
        ({"quantity": "difference", "of": {"suite": ["a", "b"]}, "to": {"suite": "c"}}, 6.5),
        (LEAD, (21 / 11 * 22 / 12) ** 0.5),
        ({"quantity": "slope", "over": "size", "of": {"suite": ["a", "b"]}}, 1.0),
        ({**B_TO_A, "quantity": "excess", "base": {"suite": "c"}}, 11.5 / 1.5),
    ],
)
def test_comparisons_are_of_like_with_like(fields, expected):
    """Suite b lacks size 4, at which all rates are higher; c has only sizes 1 and 2."""
    whole = table()
    rates = whole[(whole["metric"] == "rate") & ((whole["suite"] == "a") | (whole["size"] != "4"))]
    like_a = rates[(rates["suite"] == "a") & (rates["size"] != "4")]
    rates = pd.concat([rates, like_a.assign(suite="c", value=like_a["value"] - 1.5)])
    assert evaluate(Question(metric="rate", **fields), rates, GROUPS).value == pytest.approx(
        expected
    )
