"""Summaries of trials, and pairs of them."""

import pandas as pd

from remeasure.analysis.summaries import paired, trial_summaries


def test_summaries_are_one_a_trial_and_pairs_one_a_block():
    rows = [
        {
            "block": b,
            "trial": t,
            "auth": auth,
            "network": "normal",
            "probe": "ping",
            "metric": "rtt",
            "unit": "ms",
            "value": value + i,
        }
        for b in (1, 2, 3)
        for t, (auth, value) in enumerate((("psk", 1.0), ("rsa", 2.0)))
        for i in range(5)
        if not (b == 3 and auth == "rsa")
    ]
    summaries = trial_summaries(pd.DataFrame(rows), ["auth", "network"])
    assert len(summaries) == 5
    pairs = paired(summaries, "ping", "rtt", "auth", network="normal")
    assert list(pairs.index) == [1, 2], "block 3 lacks a level"
    assert pairs.loc[1].to_dict() == {"psk": 3.0, "rsa": 4.0}
