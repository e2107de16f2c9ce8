"""Values of both directions, or of both gateways, as one."""

import pandas as pd

from remeasure.paper.notebook.disturbed import joined_metric, most, summed

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
