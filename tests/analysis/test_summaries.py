"""Summaries of trials, and pairs of them."""

import pandas as pd

from remeasure.paper.analysis.summaries import Tables, paired, trial_summaries, undisturbed


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


def test_a_disturbed_run_is_left_out_if_its_trial_has_another():
    runs = pd.DataFrame(
        [
            ("c", 1, trial, "a", "flow", repeat, verdict)
            for trial, verdicts in enumerate(
                (("accepted", "suspect"), ("suspect", "suspect"), ("", ""), ("unjudged", "suspect"))
            )
            for repeat, verdict in enumerate(verdicts, 1)
        ],
        columns=["campaign", "block", "trial", "suite", "probe", "repeat", "verdict"],
    )
    values = runs.drop(columns="verdict").assign(metric="goodput", value=1.0)
    tables = Tables({"runs": runs, "observations": values, "counters": values}, ["suite"], [])
    kept = undisturbed(tables)
    left = [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
    for name in ("observations", "counters"):
        assert list(kept[name][["trial", "repeat"]].itertuples(index=False, name=None)) == left
        assert list(kept[name]) == list(values)
    assert len(kept["runs"]) == len(runs)
