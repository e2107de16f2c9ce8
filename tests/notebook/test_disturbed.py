"""Values of both directions, or of both gateways, as one."""

import pandas as pd

from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.notebook.disturbed import counted, counts, joined_metric, most, summed

ROWS = [
    (1, "a", "up_bulk_lost", 3.0),
    (1, "a", "down_bulk_lost", 4.0),
    (2, "a", "up_bulk_lost", 5.0),
    (2, "a", "down_bulk_lost", 0.0),
    (1, "b", "up_bulk_lost", 0.0),
    (1, "b", "down_bulk_lost", 0.0),
]
TABLE = pd.DataFrame(ROWS, columns=["block", "cause", "metric", "value"])
BOTH = ["up_bulk_lost", "down_bulk_lost"]


def test_two_metrics_of_each_trial_become_one():
    lost = joined_metric(TABLE, "lost", BOTH, "sum")
    assert list(lost["value"]) == [7, 0, 5] and set(lost["metric"]) == {"lost"}
    assert most(lost, "lost", {"cause": "a"}) == 7
    assert pd.isna(most(lost, "lost", {"cause": "c"}))
    assert summed(lost, "lost", "cause", ["a", "b"]).value == 12


def test_counts_are_whole_numbers():
    texts = "73.0", "0.100", "12.5", "8753", "n/a"
    assert [counted(text) for text in texts] == ["73", "0.100", "12.5", "8753", "n/a"]
    table = pd.DataFrame({"row": ["1.0"], "count": [Quoted("2.00")]}, dtype=object)
    assert counts(table).to_numpy().tolist() == [["1.0", "2"]]
    assert isinstance(counts(table)["count"][0], Quoted), "the way back to logs is kept"
