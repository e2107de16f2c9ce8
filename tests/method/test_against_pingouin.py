"""Our paired p, equivalence and corrections against pingouin's, on released blocks and on simulated
ones; and the Bayes factors that pingouin gives readers."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pingouin
import pytest
from made_up_study import PSK, RATIO, RSA, study, summaries

from notebooks.psk_rsa.asks import RATES, SET_UP
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.rules import PRESENT, RULES
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

ASKED = [(question["probe"], question["metric"]) for question in (*RATES.values(), SET_UP)]


@pytest.fixture(scope="module")
def pairs() -> dict[str, np.ndarray]:
    """Logarithms of released blocks of psk-rsa, two columns, and of simulated blocks."""
    tables = read_tables(ROOT / "data/tidy/psk-rsa", ["observations"])
    means = trial_summaries(tables["observations"], tables.factors, "mean")
    found = {}
    for (probe, metric), network in product(ASKED, ("normal", "impaired")):
        both = paired(means, probe, metric, "auth", network=network)
        found[f"{probe} {network}"] = np.log(both[["psk", "rsa"]].to_numpy())
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


def test_bayes_factors(pairs):
    # Rouder et al. 2009 and the R package BayesFactor.
    assert bayes_factor(3.5, 20) == pytest.approx(17.185, abs=5e-4)
    for name, factor in (("udp_up", 0.53), ("tcp_up", 0.35), ("ike_restarted", 158.2)):
        values = pairs[f"{name} normal"]
        found = bayes_factor(paired_t_test(values)[0], len(values))
        assert found == pytest.approx(factor, rel=0.01), name
    equal = [n for n in range(2, 12) if evidence_kind(bayes_factor(0.0, n)) != "neither"]
    assert equal == [9, 10, 11], "fewer blocks never show equality"


@pytest.mark.parametrize(
    ("factor", "says"),
    [
        (158.2, "for a difference, 158 to 1"),
        (3.0, "for a difference, 3.00 to 1"),
        (1.7, "neither (1.70 to 1 for a difference)"),
        (0.53, "neither (1.89 to 1 for equality)"),
        (1 / 5, "for equality, 5.00 to 1"),
        (1e6, "for a difference, over 1000 to 1"),
        (math.nan, ""),
    ],
)
def test_bayes_factors_in_words(factor, says):
    assert evidence_text(factor) == says


def test_only_a_paired_contrast_has_a_bayes_factor():
    def factor(test, rsa=RSA):
        both = {name: summaries(PSK, rsa).dropna() for name in ("mean", "median")}
        return bayes_factor_of(answer(study({"tests": [test]}), both, RULES[PRESENT]).iloc[0])

    # A block without one side counts no more.
    for rsa, n in ((RSA, 5), ([*RSA[:4], math.nan], 4)):
        t = paired_t_test(np.log(np.column_stack([PSK, RSA])[:n]))[0]
        assert factor(RATIO, rsa) == pytest.approx(bayes_factor(t, n))
    alone = {"quantity": "level", "metric": "goodput", "of": {"auth": "rsa"}}
    whole = RATIO | {"of": {}, "to": {}, "over": "auth"}
    for test in (alone, whole, alone | {"quantity": "variation"}):
        assert math.isnan(factor(test)), test
    assert math.isnan(factor(RATIO, PSK)), "no spread"
