"""Summaries of trials, and pairs of them."""

from frames import frame

from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.summaries import (
    Tables,
    paired,
    read_tables,
    trial_summaries,
    undisturbed,
)


def test_summaries_are_one_a_trial_and_pairs_one_a_block():
    rows = [
        (block, trial, auth, value + reading)
        for block in (1, 2, 3)
        for trial, (auth, value) in enumerate((("psk", 1.0), ("rsa", 2.0)))
        for reading in range(5)
        if not (block == 3 and auth == "rsa")
    ]
    same = {"network": "normal", "probe": "ping", "metric": "rtt", "unit": "ms"}
    readings = frame("block trial auth value", *rows, **same)
    summaries = trial_summaries(readings, ["auth", "network"])
    assert len(summaries) == 5
    pairs = paired(summaries, "ping", "rtt", "auth", network="normal")
    assert list(pairs.index) == [1, 2], "block 3 lacks a level"
    assert pairs.loc[1].to_dict() == {"psk": 3.0, "rsa": 4.0}


def test_a_disturbed_run_is_left_out_if_its_trial_has_another():
    verdicts = [("accepted", "suspect"), ("suspect", "suspect"), ("", ""), ("unjudged", "suspect")]
    rows = [
        (trial, repeat, verdict)
        for trial, of_trial in enumerate(verdicts)
        for repeat, verdict in enumerate(of_trial, 1)
    ]
    same = {"campaign": "c", "block": 1, "suite": "a", "probe": "flow"}
    runs = frame("trial repeat verdict", *rows, **same)
    values = runs.drop(columns="verdict").assign(metric="goodput", value=1.0)
    tables = Tables({"runs": runs, "observations": values, "counters": values}, ["suite"], [])
    kept = undisturbed(tables)
    left = [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
    for name in ("observations", "counters"):
        assert list(kept[name][["trial", "repeat"]].itertuples(index=False, name=None)) == left
        assert list(kept[name]) == list(values)
    assert len(kept["runs"]) == len(runs)


def test_campaigns_that_compare_versions_stay_out_of_others():
    def campaigns(virtual):
        return set(read_tables(ROOT / "data/tidy/renewal", virtual=virtual)["trials"]["campaign"])

    assert campaigns(False) == {"lab-2026-11-renewal"}
    assert campaigns(True) == {"virtual-2026-11-traffic"}
    assert campaigns("virtual 5.9.8") == {"virtual-2026-11-strongswan-5.9"}
