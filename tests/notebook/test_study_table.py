"""The paper's tables of studies and of campaigns."""

import pandas as pd
import pytest

from remeasure.analysis.decisions import CONFIRMED, NOT_TESTABLE
from remeasure.notebook.shared_tables import VIRTUAL_TIME, campaign_row, in_print
from remeasure.notebook.study_table import study_table


def entry(verdict, reason="", uncounted=""):
    return {"study": "sokol", "verdict": verdict, "reason": reason, "uncounted": uncounted}


def test_a_study_has_what_it_states_and_how_much_of_it_is_testable():
    ledger = [
        entry(CONFIRMED),
        entry(NOT_TESTABLE, "no number"),
        entry(NOT_TESTABLE, "a level; ours are others"),
        entry(NOT_TESTABLE, "a level (of theirs)"),
        entry(NOT_TESTABLE, "no number", uncounted="a reading of a table"),
    ]
    (row,) = study_table(ledger).to_dict("records")
    assert row["study"] == "Sokol 2011" and row["repeats"] == "not stated"
    assert (row["statements"], row["testable"], row["why not"]) == ("4", "1", "a level (2)")


@pytest.mark.parametrize(
    ("placement", "pinned"),
    [
        ("side by side", "yes"),
        ("own / wandering", "yes / no"),
        ("own / side by side", "yes"),
        (VIRTUAL_TIME, VIRTUAL_TIME),
    ],
)
def test_the_papers_row_of_a_campaign_says_whether_guests_were_pinned(placement, pinned):
    where = {"campaign": "c", "profile": "quick", "first_day": "d", "placement": placement}
    trials = pd.DataFrame(
        {"verdict": ["accepted", "suspect"], "checks": 1, "checks_passed": 1, "hosts": "lab"}
    )
    row = in_print(campaign_row("psk-rsa", where | {"blocks": 1}, trials))
    assert list(row.iloc[0]) == ["psk-rsa", "c", 1, "1 of 2", 1, pinned]
