"""The paper's tables of studies, campaigns and verdicts."""

import pandas as pd
import pytest

from remeasure.bench.base.names import VIRTUAL
from remeasure.paper.analysis.decisions import CONFIRMED, NOT_TESTABLE, UNDECIDED
from remeasure.paper.analysis.verdicts.ledger import counted
from remeasure.paper.notebook.ledger_tables import released_ledger, study_table, verdict_table
from remeasure.paper.notebook.shared_tables import campaign_row

RATIO = {
    "brief": "to psk",
    "quantity": "ratio of loss, auth rsa to auth psk",
    "value": 1.3,
    "low": 1.2,
    "high": 1.4,
    "unit": "",
    "study": 2.0,
    "as_ratio": True,
    "expect": "> 1",
    "matters": 1.25,
    "verdict": CONFIRMED,
}
OPEN = RATIO | {
    "t": 0.0,
    "n": 10,
    "unit": "ms",
    "high": None,
    "as_ratio": False,
    "matters": 2.0,
    "study": None,
}
ALIKE = RATIO | {"expect": "0.9 to 1.1", "matters": None, "verdict": UNDECIDED}


def entry(name, verdict, *tests):
    return {"id": name, "study": "s", "verdict": verdict, "tests": list(tests), "uncounted": ""}


def test_a_verdict_stands_beside_its_estimate_and_its_bounds():
    table = verdict_table(
        [
            entry("a", CONFIRMED, RATIO),
            entry("b", UNDECIDED, OPEN, ALIKE),
            entry("c", NOT_TESTABLE),
            entry("d", CONFIRMED, RATIO) | {"uncounted": "a reading of a table"},
        ]
    )
    part = "- RSA against PSK, loss of packets"
    assert [tuple(row) for row in table.itertuples(index=False)] == [
        ("a", "1.30 [1.20, 1.40]", "> 1", "0.800 to 1.25", "2.00", CONFIRMED, "", CONFIRMED),
        ("b", "", "", "", "", "", "", UNDECIDED),
        (
            part,
            "1.30 [1.20, no end] ms",
            "> 1",
            "-2.00 to 2.00",
            "",
            CONFIRMED,
            "for equality, 3.24 to 1",
            "",
        ),
        (part, "1.30 [1.20, 1.40]", "0.9 to 1.1", "", "2.00", UNDECIDED, "", ""),
    ]


def test_no_released_statement_is_missing():
    ledger = released_ledger()
    testable = [one["id"] for one in counted(ledger) if one["verdict"] != NOT_TESTABLE]
    table = verdict_table(ledger)
    assert list(table.loc[table["verdict"] != "", "statement"]) == testable
    asked = table[table["measured"] != ""]
    assert (asked["holds if"] != "").all() and (asked["alone"] != "").all()


def of_study(verdict, reason="", uncounted=""):
    return {"study": "sokol", "verdict": verdict, "reason": reason, "uncounted": uncounted}


def test_a_study_has_what_it_states_and_how_much_of_it_is_testable():
    ledger = [
        of_study(CONFIRMED),
        of_study(NOT_TESTABLE, "no number"),
        of_study(NOT_TESTABLE, "a level; ours are others"),
        of_study(NOT_TESTABLE, "a level"),
        of_study(NOT_TESTABLE, "no number", uncounted="a reading of a table"),
    ]
    (row,) = study_table(ledger).to_dict("records")
    assert row["study"] == "Sokol 2011" and row["repeats"] == "not stated"
    assert (row["statements"], row["testable"]) == ("4", "1")


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
    where = {"campaign": "c", "placement": placement, "blocks": 1}
    where |= {"machine": "AMD EPYC / Intel(R) Xeon(R) Processor"}
    trials = pd.DataFrame({"verdict": ["accepted", "suspect"], "hosts": hosts})
    row = campaign_row("psk-rsa", where, trials)
    assert list(row.iloc[0]) == ["psk-rsa", "c", 1, "1/2", 1, maker, pinned]
