"""A quantity has one value, wherever the dataset gives it."""

import json

import numpy as np
import pandas as pd
import pytest

from remeasure.bench.base.paths import ROOT

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
