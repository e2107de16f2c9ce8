"""The model of delays finds the parameters of a simulated bench."""

import numpy as np
import pandas as pd
import pytest
from frames import frame

from remeasure.paper.analysis.models.authentication_delay import fit_delays, surplus

COMPUTATION = {"psk": (2, 12.0), "md5": (5, 25.0), "tls": (12, 80.0)}


def bench(round_trips: float, noise: float) -> pd.DataFrame:
    random = np.random.default_rng(1)
    rows = [
        (
            block,
            method,
            rtt,
            exchanges,
            own + round_trips * exchanges * rtt + noise * random.normal(),
        )
        for block in range(6)
        for method, (exchanges, own) in COMPUTATION.items()
        for rtt in (0.0, 10.0, 50.0)
    ]
    return frame("block method rtt exchanges delay", *rows, trial=0)


@pytest.mark.parametrize("round_trips", [1.0, 1.5])
def test_round_trips_and_computation_are_told_apart(round_trips):
    model = fit_delays(bench(round_trips, noise=1), "direct")
    assert model.round_trips.low < round_trips < model.round_trips.high
    assert model.round_trips.high - model.round_trips.low < 0.05
    found = model.computation.set_index("method")
    for method, (_, own) in COMPUTATION.items():
        assert found.loc[method, "low"] < own < found.loc[method, "high"]
        assert {dict(cell)["method"] for cell in found.loc[method, "origin"].cells} == {method}
    assert len(model.round_trips.origin.cells) == 9
    assert model.worst < 3


def test_what_an_exchange_takes_beyond_its_round_trip_is_found():
    table = bench(1.5, noise=0)
    found = surplus(table, 10.0, "direct")
    assert found.value == pytest.approx(5.0) and found.n == 6
    assert len(found.origin.cells) == 6
    missing = table[(table["block"] > 0) | (table["rtt"] != 0)]
    assert surplus(missing, 50.0, "direct").n == 5
