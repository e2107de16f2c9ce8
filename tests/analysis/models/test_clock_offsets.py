"""Delays are corrected for clocks that differ."""

import pandas as pd

from notebooks.algorithm_sweep.reading import clock_offsets, correct_delays


def test_delays_are_corrected_by_what_there_and_back_differ():
    """The receiver's clock is 2 ms ahead; an idle path takes 0.25 ms; trial 2 is not known."""

    def row(trial, probe, metric, value):
        return {"block": 1, "trial": trial, "probe": probe, "metric": metric, "value": value}

    observations = pd.DataFrame(
        [
            row(1, "there", "delay_min", 2.25),
            row(1, "back", "delay_min", -1.75),
            row(2, "there", "delay_min", 9.0),
            row(2, "back", "delay_min", -1.75),
            row(1, "flow", "delay_mean", 2.75),
            row(1, "flow", "jitter", 0.1),
            row(2, "flow", "delay_mean", 9.5),
            row(2, "flow", "jitter", 0.2),
            row(3, "flow", "jitter", 0.3),
            row(3, "flow", "delay_mean", 1.0),
        ]
    )
    offsets = clock_offsets(observations, "there", "back")
    assert offsets.loc[(1, 1)].to_dict() == {"offset": 2.0, "bound": 0.25}
    found = correct_delays(observations.query("probe == 'flow'"), offsets, limit=1)
    assert list(zip(found["trial"], found["metric"], found["value"], strict=True)) == [
        (1, "delay_mean", 0.75),
        (1, "jitter", 0.1),
        (2, "jitter", 0.2),
        (3, "jitter", 0.3),
    ]
