"""The paper's table of verdicts has what a reader needs to check each one."""

from remeasure.paper.analysis.decisions import CONFIRMED, NOT_TESTABLE, UNDECIDED
from remeasure.paper.analysis.verdicts.ledger import counted
from remeasure.paper.notebook.ledger_tables import released_ledger, verdict_table

RATIO = {
    "brief": "to psk",
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
OPEN = RATIO | {"unit": "ms", "high": None, "as_ratio": False, "matters": 2.0, "study": None}
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
    assert [tuple(row) for row in table.itertuples(index=False)] == [
        ("a", "1.30 [1.20, 1.40]", "> 1", "0.800 to 1.25", "2.00", CONFIRMED, CONFIRMED),
        ("b", "", "", "", "", "", UNDECIDED),
        ("- to psk", "1.30 [1.20, no end] ms", "> 1", "-2.00 to 2.00", "", CONFIRMED, ""),
        ("- to psk", "1.30 [1.20, 1.40]", "0.9 to 1.1", "", "2.00", UNDECIDED, ""),
    ]


def test_no_released_statement_is_missing():
    ledger = released_ledger()
    testable = [one["id"] for one in counted(ledger) if one["verdict"] != NOT_TESTABLE]
    table = verdict_table(ledger)
    assert list(table.loc[table["verdict"] != "", "statement"]) == testable
    asked = table[table["measured"] != ""]
    assert (asked["holds if"] != "").all() and (asked["alone"] != "").all()
