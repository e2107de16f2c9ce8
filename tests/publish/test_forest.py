"""The figure of all published ratios, where there is none."""

from remeasure.analysis.ledger import effects
from remeasure.publish.figures import forest


def test_a_campaign_of_single_blocks_has_a_sentence_instead_of_ratios():
    chart = forest(effects([]), width=400).to_dict()
    ((row,),) = chart["datasets"].values()
    assert "too few blocks" in row["says"]
