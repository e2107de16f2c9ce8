"""What is said of receive offload: only what rates with and without it show."""

import numpy as np
import pandas as pd
import pytest

from notebooks.receive_offload.reading import reading, transport_over_tunnel
from remeasure.paper.analysis.estimates import Estimate

SLOWER, ALIKE = Estimate(0.85, 0.8, 0.9, 10), Estimate(1.0, 0.96, 1.04, 10)
NEARER, AS_BEFORE = Estimate(1.17, 1.1, 1.25, 10), Estimate(1.01, 0.95, 1.07, 10)
ONE_BLOCK = Estimate(0.85, np.nan, np.nan, 1)


@pytest.mark.parametrize(
    ("on", "off", "change", "says"),
    [
        (SLOWER, ALIKE, NEARER, "receive offload explains the difference"),
        (SLOWER, SLOWER, NEARER, "explains part"),
        (SLOWER, SLOWER, AS_BEFORE, "stays unexplained"),
        (ALIKE, ALIKE, AS_BEFORE, "no difference to explain"),
        (ONE_BLOCK, ONE_BLOCK, ONE_BLOCK, "too few blocks"),
    ],
)
def test_the_reading_follows_from_the_intervals(on, off, change, says):
    assert says in reading(on, off, change)


def test_blocks_are_compared_within_themselves():
    rates = {("tunnel", "on"): 400, ("transport", "on"): 300} | dict.fromkeys(
        (("tunnel", "off"), ("transport", "off")), 250
    )
    summaries = pd.DataFrame(
        {
            "block": block,
            "trial": place,
            "mode": mode,
            "gro": gro,
            "probe": "transfer",
            "metric": "rate",
            "unit": "Mbit/s",
            "value": level * rate,
        }
        for block, level in ((1, 1.0), (2, 0.5), (3, 1.7))
        for place, ((mode, gro), rate) in enumerate(rates.items())
    )
    ratios = transport_over_tunnel(summaries, "rate").set_index(["block", "gro"])["value"]
    assert ratios.to_dict() == pytest.approx(
        {(block, gro): r for block in (1, 2, 3) for gro, r in (("on", 0.75), ("off", 1.0))}
    )
