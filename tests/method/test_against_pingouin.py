"""Our paired p, equivalence and corrections against pingouin's, on released blocks and on simulated
ones; and the Bayes factors that pingouin gives readers."""

import math

import numpy as np
import pandas as pd
import pingouin
import pytest
from made_up_study import PSK, RATIO, RSA, study, summaries

from notebooks.psk_rsa.asks import RATES, SET_UP
from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.decisions import corrected
from remeasure.paper.analysis.summaries import paired, read_tables, trial_summaries
from remeasure.paper.analysis.verdicts.answers import answer
from remeasure.paper.analysis.verdicts.bayes_factors import (
    bayes_factor,
    bayes_factor_of,
    evidence_kind,
    evidence_text,
)
from remeasure.paper.analysis.verdicts.study_tables import paired_t_test, second_less_first


@pytest.fixture(scope="module")
def pairs() -> dict[str, np.ndarray]:
    """Logarithms of released blocks of psk-rsa, two columns, and of simulated blocks."""
    tables = read_tables(ROOT / "data/tidy/psk-rsa", ["observations"])
    means = trial_summaries(tables["observations"], tables.factors, "mean")
    found = {}
    for question in (*RATES.values(), SET_UP):
        for network in ("normal", "impaired"):
            both = paired(means, question["probe"], question["metric"], "auth", network=network)
            values = np.log(both[["psk", "rsa"]].to_numpy())
            found[f"{question['probe']} {network}"] = values
    noise = np.random.default_rng(61)
    drawn = {f"drawn {n}": noise.normal(0.02, 0.05, (n, 2)) for n in (2, 5, 8, 30)}
    return found | drawn


def test_paired_p_and_equivalence_are_pingouins(pairs):
    assert len(pairs) == 14
    for name, values in pairs.items():
        ours, (first, second) = second_less_first(values), values.T
        p = 2 * min(ours.p_above(0)[0], ours.p_below(0)[0])
        assert p == pytest.approx(paired_t_test(values)[1], rel=1e-9), name
        same = pingouin.tost(second, first, bound=0.05, paired=True).iloc[0]
        p = max(ours.p_above(-0.05)[0], ours.p_below(0.05)[0])
        assert p == pytest.approx(same["pval"], rel=1e-9), name


@pytest.mark.parametrize("method", ["holm", "bonferroni", "fdr_bh"])
def test_corrections_are_pingouins(method):
    p_values = np.append(np.random.default_rng(61).beta(0.3, 2, 30), np.nan)
    ours = corrected(pd.Series(p_values), method)
    assert ours.to_numpy() == pytest.approx(
        pingouin.multicomp(p_values, method=method)[1], nan_ok=True
    )


def test_bayes_factors_of_released_blocks(pairs):
    def factor(name):
        return bayes_factor(paired_t_test(pairs[name])[0], len(pairs[name]))

    assert factor("udp_up normal") == pytest.approx(0.53, abs=0.005)
    assert factor("tcp_up normal") == pytest.approx(0.35, abs=0.005)
    assert factor("ike_restarted normal") == pytest.approx(158, abs=0.5)


def test_bayes_factors_in_words():
    # Rouder et al. 2009 and the R package BayesFactor.
    assert bayes_factor(3.5, 20) == pytest.approx(17.185, abs=5e-4)
    said = [evidence_text(factor) for factor in (158.2, 3.0, 1.7, 0.53, 1 / 5, 1e6, math.nan)]
    assert said == [
        "for a difference, 158 to 1",
        "for a difference, 3.00 to 1",
        "neither (1.70 to 1 for a difference)",
        "neither (1.89 to 1 for equality)",
        "for equality, 5.00 to 1",
        "for a difference, over 1000 to 1",
        "",
    ]
    equal = [
        blocks for blocks in range(2, 12) if evidence_kind(bayes_factor(0.0, blocks)) != "neither"
    ]
    assert equal == [9, 10, 11], "fewer blocks never show equality"


def test_only_a_paired_contrast_has_a_bayes_factor():
    def factor(test, rsa=RSA):
        both = summaries(PSK, rsa)
        table = answer(study({"tests": [test]}), {"mean": both.dropna(), "median": both.dropna()})
        return bayes_factor_of(table.iloc[0])

    alone = {"quantity": "level", "metric": "goodput", "of": {"auth": "rsa"}}
    t = paired_t_test(np.log(np.column_stack([PSK, RSA])))[0]
    assert factor(RATIO) == pytest.approx(bayes_factor(t, 5))
    # A block without one side counts no more; a block of which a part is filled in has no ratio.
    lacking = [*RSA[:4], math.nan]
    t = paired_t_test(np.log(np.column_stack([PSK, RSA])[:4]))[0]
    assert factor(RATIO, lacking) == pytest.approx(bayes_factor(t, 4))
    for test in (
        alone,
        RATIO | {"of": {}, "to": {}, "over": "auth"},
        alone | {"quantity": "variation"},
    ):
        assert math.isnan(factor(test)), test
    still = summaries(PSK, PSK)
    table = answer(study({"tests": [RATIO]}), {"mean": still, "median": still})
    assert math.isnan(bayes_factor_of(table.iloc[0]))
