"""The ledger on the site: each statement with its anchor, its picture and its way to the logs."""

import pytest

from remeasure.paper.publish.site.ledger_page import ledger_texts

PART = {"quantity": "ratio of rate, suite des to suite aes128-md5", "brief": "aes128-md5"}
PART |= {"value": 1.3, "low": 1.15, "high": 1.5, "unit": "", "study": 2.0, "expect": "< 1"}
PART |= {"matters": 1.05, "as_ratio": True}
ENTRY = {"id": "sokol-best", "study": "sokol", "says": "DES is the best.", "published": "2.0"}
ENTRY |= {"verdict": "opposite", "size": "none given", "decided_by": "aes128-md5", "parts": ""}
ENTRY |= {"reason": "", "note": "", "exploratory": None, "uncounted": "", "tests": [PART]}
ENTRY |= {"choices": {"estimator": {"sign flips over blocks": "too few blocks"}}}


def row_of(entry: dict) -> str:
    return ledger_texts([entry])["ledgerTable"]


def test_a_statement_has_an_anchor_a_picture_and_a_way_to_the_logs():
    row = row_of(ENTRY)
    assert "Sokol 2011" in row and 'href="#sokol-best"' in row
    assert "without the normal assumption (sign flips over blocks): too few blocks" in row
    assert row.count("<svg") == 1 and 'href="walks/sokol.html#sokol-best"' in row


@pytest.mark.parametrize("tests", [[], [PART | dict.fromkeys(("value", "low", "high"))]])
def test_what_was_not_measured_has_neither(tests):
    untested = {"verdict": "not testable", "reason": "other machines", "decided_by": ""}
    row = row_of(ENTRY | untested | {"tests": tests})
    assert "other machines" in row and "<svg" not in row and "walks/" not in row
