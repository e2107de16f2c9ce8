"""A quantity has one value, wherever the dataset gives it."""

import json

import numpy as np
import pandas as pd
import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.texts import in_words

TIDY = ROOT / "data" / "tidy"
KEY = ["scenario", "campaign", "kind", "quantity", "probe", "metric", "cells"]


@pytest.fixture(scope="module")
def estimates() -> pd.DataFrame:
    return pd.read_parquet(TIDY / "estimates.parquet")


def test_no_two_estimates_of_one_quantity_differ(estimates):
    """Means and medians within a trial once shared a name, and so did real and virtual time."""
    several = estimates.groupby(KEY, observed=True)["value"].agg(["min", "max"])
    apart = several[~np.isclose(several["min"], several["max"], rtol=1e-6, equal_nan=True)]
    assert list(apart.index) == []


def test_a_claim_has_the_value_of_the_estimate_of_its_quantity(estimates):
    claims = pd.read_parquet(TIDY / "claims.parquet").dropna(subset=["value"])
    known = estimates[estimates["kind"] == "comparison"]
    known = known.groupby(["scenario", "quantity"], observed=True)["value"].agg(list)
    apart = []
    for claim in claims.itertuples():
        quantity = json.loads(claim.test)["quantity"]
        values = known.get((claim.scenario, quantity), [])
        if len(values) and not np.isclose(values, claim.value, rtol=1e-5).any():
            apart.append((claim.id, quantity, claim.value, values))
    assert apart == []


def test_medians_within_a_trial_are_another_quantity_than_means():
    asked = {"quantity": "ratio", "metric": "delay", "of": {"method": "a"}, "to": {"method": "b"}}
    of_means, of_medians = (Question(**asked, within=within) for within in ("mean", "median"))
    assert in_words(of_means) == "ratio of delay, method a to method b"
    assert in_words(of_medians) == "ratio of delay, method a to method b (median within a trial)"
