"""The figure of all published ratios."""

import pandas as pd

from remeasure.analysis.ledger import effects
from remeasure.publish.figures import DIRECTION_ONLY, forest


def test_a_campaign_of_single_blocks_has_a_sentence_instead_of_ratios():
    chart = forest(effects([]), width=400).to_dict()
    ((row,),) = chart["datasets"].values()
    assert "too few blocks" in row["says"]


def test_a_confirmed_statement_whose_number_lies_outside_has_a_colour_of_its_own():
    """ESP is confirmed to be slower than AH, at another size than the study's."""
    row = {
        "study": "x", "says": "ESP is slower.", "brief": "", "row": "ESP is slower.",
        "verdict": "confirmed", "ratio": 0.48, "ratio_low": 0.45, "ratio_high": 0.51,
    }  # fmt: skip
    rows = [row | {"published": 0.85, "held": False}, row | {"published": 0.5, "held": True}]
    chart = forest(pd.DataFrame(rows), width=400).to_dict()
    (panel,) = chart["vconcat"]
    color = next(
        layer["encoding"]["color"] for layer in panel["layer"] if "color" in layer["encoding"]
    )
    said = [one[color["field"]] for table in chart["datasets"].values() for one in table]
    assert said == [DIRECTION_ONLY, "confirmed"]
    assert len(set(color["scale"]["range"])) == 2
