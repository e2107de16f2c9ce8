"""The paper's tables of studies and of campaigns."""

import pandas as pd
import pytest

from notebooks.claims import asks
from remeasure.bench.base.names import VIRTUAL
from remeasure.paper.analysis.decisions import CONFIRMED, NOT_TESTABLE
from remeasure.paper.notebook.ledger_tables import study_table
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.shared_tables import campaign_row, in_print


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
    ("hosts", "placement", "maker", "pinned"),
    [
        ("uml", "side by side", "AMD / Intel", "yes"),
        ("uml", "own / wandering", "AMD / Intel", "yes / no"),
        ("uml", "own / side by side", "AMD / Intel", "yes"),
        (VIRTUAL, "wandering", "any", "virtual"),
    ],
)
def test_the_papers_row_of_a_campaign_says_where_guests_ran(hosts, placement, maker, pinned):
    where = {"campaign": "c", "profile": "quick", "first_day": "d", "placement": placement}
    where |= {"blocks": 1, "machine": "AMD EPYC / Intel(R) Xeon(R) Processor"}
    trials = pd.DataFrame(
        {"verdict": ["accepted", "suspect"], "checks": 1, "checks_passed": 1, "hosts": hosts}
    )
    row = in_print(campaign_row("psk-rsa", where, trials))
    assert list(row.iloc[0]) == ["psk-rsa", "c", 1, "1/2", 1, maker, pinned]


def test_a_ledger_needs_no_printed_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(asks, "studies", list)
    assert asks.Ledger(Results(tmp_path / "claims"), []).reproduced().empty
