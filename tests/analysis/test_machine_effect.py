"""Machine as a random effect holds simulated truth, and gives the numbers of other software."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from remeasure.analysis.comparisons import cell_estimates, precision
from remeasure.analysis.estimates import combined, contrast_estimates, mean_estimate
from remeasure.analysis.evaluation import evaluate, examine
from remeasure.analysis.machine_effect import _random_effects, labels, machine_means, several
from remeasure.claims.questions import Question

CAMPAIGNS = 800
SIZES = (2, 5, 3, 4, 2, 5, 3, 4)
"""blocks of each machine"""
ONE = np.ones((1, 1))


def of_blocks(sizes) -> np.ndarray:
    return np.repeat([f"machine {place}" for place in range(len(sizes))], sizes).astype(object)


def simulated(sizes, tau: float, seed: int) -> np.ndarray:
    """Values of shape (blocks, campaigns), whose true mean is 0 and whose blocks vary by 1."""
    random = np.random.default_rng(seed)
    machines = np.repeat(random.normal(0, tau, (len(sizes), CAMPAIGNS)), sizes, axis=0)
    return machines + random.normal(0, 1, machines.shape)


def by_own_variances(values: np.ndarray, sizes) -> float:
    """Share of campaigns whose interval holds 0, if each machine's variance is its own blocks'."""
    ends = np.cumsum(sizes)
    parts = [values[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    means = np.array([part.mean(axis=0) for part in parts])
    variances = np.array([part.var(axis=0, ddof=1) / len(part) for part in parts])
    quantile, held = stats.t.ppf(0.975, len(sizes) - 1), 0
    for campaign in range(values.shape[1]):
        found = combine_effects(means[:, campaign], variances[:, campaign])
        held += abs(found.mean_effect_re) <= quantile * found.sd_eff_w_re_hksj
    return held / values.shape[1]


@pytest.mark.parametrize("tau", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("count", [3, 5, 8])
def test_intervals_hold_the_truth_in_95_percent_of_campaigns(count, tau):
    sizes = SIZES[:count]
    values = simulated(sizes, tau, seed=100 * count + int(10 * tau))
    # A campaign is a contrast of its own: all have the same machines.
    found = contrast_estimates(values, np.eye(CAMPAIGNS), of_blocks(sizes))
    # Three standard deviations of a share of 0.95 in 800 campaigns are 0.023.
    assert 0.927 <= found.holds(np.zeros(CAMPAIGNS)).mean() <= 0.973
    assert (found.df == count - 1).all()


def test_methods_that_look_right_hold_it_less_often():
    values = simulated(SIZES[:5], 2.0, seed=1)
    pooled = contrast_estimates(values, np.eye(CAMPAIGNS))
    assert pooled.holds(np.zeros(CAMPAIGNS)).mean() < 0.8
    alike = simulated(SIZES[:3], 0.0, seed=2)
    assert by_own_variances(alike, SIZES[:3]) < 0.92


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e9])
def test_the_example_of_kacker_is_as_metafor_has_it(unit):
    """R: rma(y, v, method="PM"), as the tests of statsmodels quote it. By Paule and Mandel the
    adjustment of Hartung and Knapp is 1. I squared is by Q, as rma has it with method="DL"."""
    means = np.array([61.0, 61.4, 62.21, 62.3, 62.34, 62.6, 62.7, 62.84, 65.9])
    variances = np.array([0.2025, 1.2100, 0.0900, 0.2025, 0.3844, 0.5625, 0.0676, 0.0225, 1.8225])
    value, error, tau, share = _random_effects(means * unit, variances * unit**2)
    assert value / unit == pytest.approx(62.4076199113286, rel=1e-7)
    assert error / unit == pytest.approx(0.338030602684471, rel=1e-5)
    assert (tau / unit) ** 2 == pytest.approx(0.705395309224248, rel=1e-4)
    assert share == pytest.approx(0.67744403741711)


def test_machines_of_equally_many_blocks_are_as_one_value_each():
    values = simulated((3, 3, 3, 3), 1.0, seed=3)[:, :5]
    machines = of_blocks((3, 3, 3, 3))
    found = contrast_estimates(values, np.eye(5), machines)
    means = contrast_estimates(machine_means(values, machines), np.eye(5))
    assert found.value == pytest.approx(means.value)
    assert found.error == pytest.approx(means.error, rel=1e-4)
    assert (found.df == 3).all()


def test_two_machines_leave_one_degree_of_freedom():
    values = np.array([1.0, 1.2, 1.1, 2.0, 2.2, 2.1])
    wide = mean_estimate(values, machines=of_blocks((3, 3)))
    narrow = mean_estimate(values)
    assert (wide.value, wide.n) == (pytest.approx(narrow.value), 6)
    # Half the distance of the means, times the quantile of one degree of freedom.
    assert wide.high - wide.value == pytest.approx(0.5 * stats.t.ppf(0.975, 1), rel=1e-3)
    assert wide.high - wide.low > 9 * (narrow.high - narrow.low)


def test_a_single_block_has_the_variance_of_the_others():
    values = simulated((4, 4, 1), 0.0, seed=4)[:, :1]
    together, means, counts = combined(values, ONE, of_blocks((4, 4, 1)))
    assert counts[:, 0].tolist() == [4, 4, 1]
    variances = np.array([1 / 4, 1 / 4, 1])
    found = combine_effects(means[:, 0], variances)
    assert together[0].tau == found.tau2 == 0
    assert together[0].value == pytest.approx(found.mean_effect_re)


@pytest.mark.parametrize("names", ["aaaaa", "abcde"])
def test_one_machine_or_one_a_block_changes_no_number(names):
    assert labels(dict(enumerate(names, 1)), range(1, 6)) is None
    assert labels({}, range(1, 6)) is None


def test_blocks_without_any_spread_have_an_interval_over_machines():
    machines = of_blocks((2, 2, 2))
    apart = mean_estimate(np.repeat([1.0, 2.0, 3.0], 2), machines=machines)
    assert (apart.value, apart.high) == (2, pytest.approx(2 + stats.t.ppf(0.975, 2) / 3**0.5))
    same = mean_estimate(np.full(6, 0.1), machines=machines)
    assert same.low == same.high == pytest.approx(0.1)


def test_a_machine_that_lacks_a_cell_says_nothing_of_it():
    values = simulated((3, 3, 3), 1.0, seed=5)[:, :2]
    values[6:, 1] = np.nan
    values[0, 1] = np.nan
    both = np.array([[-1.0, 1.0], [1.0, 0.0]])
    found = contrast_estimates(values, both, of_blocks((3, 3, 3)))
    assert found.df.tolist() == [1, 2]
    without = contrast_estimates(values[:6], both[:, :1], of_blocks((3, 3)))
    assert found.value[0] == without.value[0]
    whole = several(of_blocks((3,)))
    assert whole is None


def table(ratio_of: dict[str, float], spread: float, sizes) -> pd.DataFrame:
    """Summaries of suites a and b: on each machine b is so much higher than a."""
    random = np.random.default_rng(7)
    rows = []
    for block, machine in enumerate(of_blocks(sizes), 1):
        level = {"machine 0": 100, "machine 1": 150, "machine 2": 200}[machine]
        for suite, ratio in (("a", 1.0), ("b", ratio_of.get(machine, 1.0)), ("none", 0.5)):
            value = level * ratio * np.exp(random.normal(0, spread))
            rows.append((block, suite, "tcp", "rate", "Mbit/s", value))
    columns = ["block", "suite", "probe", "metric", "unit", "value"]
    return pd.DataFrame(rows, columns=columns).assign(trial=1)


SIZES_OF_TABLE = (4, 3, 2)
MACHINES = dict(enumerate(of_blocks(SIZES_OF_TABLE), 1))
DIFFER = {"machine 0": 1.3, "machine 1": 1.2}
RATIO = {"metric": "rate", "quantity": "ratio", "of": {"suite": "b"}, "to": {"suite": "a"}}


def test_an_answer_is_over_machines():
    differ = table(DIFFER, 0.001, SIZES_OF_TABLE)
    narrow = evaluate(Question(**RATIO), differ, {})
    wide = evaluate(Question(**RATIO), differ, {}, machines=MACHINES)
    assert narrow.low > 1 > wide.low
    assert (wide.n, wide.value) == (9, pytest.approx(1.56 ** (1 / 3), rel=2e-3))
    alone = evaluate(Question(**RATIO), differ, {}, machines=dict.fromkeys(MACHINES, "one"))
    assert alone == narrow
    stated = Question(**RATIO, expect="> 1", matters=1.01, because="a test")
    proofs = [examine(stated, differ, {}, machines=m).evidence for m in ({}, MACHINES)]
    assert proofs[0].confirmed < 0.05 < proofs[1].confirmed


def test_a_ratio_of_differences_is_over_machines():
    excess = Question(
        metric="rate",
        quantity="excess",
        of={"suite": "b"},
        to={"suite": "a"},
        base={"suite": "none"},
    )
    differ = table(DIFFER, 0.001, SIZES_OF_TABLE)
    narrow = evaluate(excess, differ, {})
    wide = evaluate(excess, differ, {}, machines=MACHINES)
    assert narrow.low > 1 > wide.low
    assert wide.n == narrow.n == 9


def test_a_spread_is_of_blocks_within_machines():
    variation = Question(metric="rate", quantity="variation", of={"suite": "a"})
    differ = table({}, 0.001, SIZES_OF_TABLE)
    assert evaluate(variation, differ, {}).value > 0.05
    within = evaluate(variation, differ, {}, machines=MACHINES)
    assert within.value < 0.003
    lone = {**MACHINES, 9: "machine 3"}
    assert evaluate(variation, differ, {}, machines=lone).n == 7


def test_cells_are_over_machines():
    rows = table({}, 0.001, SIZES_OF_TABLE)
    wide = cell_estimates(rows, ["suite"], MACHINES)
    narrow = cell_estimates(rows, ["suite"])
    assert (wide["high"] - wide["low"] > narrow["high"] - narrow["low"]).all()
    assert (wide["n"] == narrow["n"]).all()
    # Further blocks of the same machines would not make intervals narrower as blocks of one do.
    assert precision(narrow, 0.05)["needed"].notna().all()
    assert precision(wide, 0.05, MACHINES)["needed"].isna().all()
