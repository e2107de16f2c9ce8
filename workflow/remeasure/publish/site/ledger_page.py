"""The ledger on the site: every statement of the studies with its verdict, to be filtered."""

import html
import re
from collections import Counter
from collections.abc import Iterable
from math import nan

from remeasure.analysis.decisions import (
    CONFIRMED,
    HIDDEN,
    NO_DIFFERENCE,
    OPPOSITE,
    UNDECIDED,
    VERDICTS,
)
from remeasure.analysis.ledger import counted
from remeasure.analysis.texts import interval_text
from remeasure.publish.site.walk_pages import walk_of
from remeasure.publish.tables import verdict_text

MARKS = {CONFIRMED: "●", OPPOSITE: "◆", NO_DIFFERENCE: "■", HIDDEN: "▲", UNDECIDED: "○"}
"""verdict -> its shape; its colour is in _static/site.css"""
_COLUMNS = ("study", "statement", "published", "found here", "verdict", "why not, or note")
_QUANTITY = re.compile(r"of (\w+),")


def verdict_strip(ledger: list[dict]) -> str:
    """One line that counts the verdicts, and opens the ledger (Markdown)."""
    found = Counter(entry["verdict"] for entry in counted(ledger))
    parts = [f"{MARKS[verdict]} **{found[verdict]}** {verdict}" for verdict in MARKS]
    untestable = sum(found.values()) - sum(found[verdict] for verdict in MARKS)
    return (
        f"[{sum(found.values())} statements of five studies](ledger): {', '.join(parts)}; "
        f"{untestable} cannot be tested here.\n"
    )


def ledger_page(ledger: list[dict]) -> str:
    """The page (Markdown with a table in HTML). _static/ledger.js filters the table; without
    scripts all of it stands there."""
    choices = {
        "study": dict.fromkeys(entry["study"] for entry in ledger),
        "verdict": dict.fromkeys(entry["verdict"] for entry in ledger),
        "topic": sorted({topic for entry in ledger for topic in _topics(entry)}),
    }
    filters = " ".join(_choice(name, values) for name, values in choices.items())
    head = "".join(f'<th scope="col">{column}</th>' for column in _COLUMNS)
    rows = "\n".join(map(_row, ledger))
    legend = " ".join(f"{_mark(verdict)} {verdict}: {VERDICTS[verdict]}." for verdict in MARKS)
    return f"""\
# Ledger

Every statement of the five studies that can be checked, with its verdict or the reason why there
is none. A statement of several parts is confirmed if each part is. Verdicts are corrected for the
number of a study's counted, testable statements, intervals are not. Rows that repeat or read a
statement in another way are not counted on the first page. DES, 3DES and MD5 must not be deployed,
whatever their rate; AH gives no confidentiality, and RFC 4301 makes it optional.

<p class="legend">{legend}</p>

<form class="ledger-filter" hidden>
{filters}
<label>words <input name="words" type="search"></label> <output></output>
</form>

<div class="ledger" tabindex="0" role="region" aria-label="all statements"><table class="table">
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table></div>
"""


def _topics(entry: dict) -> list[str]:
    """The metrics that the statement's tests are about."""
    return sorted({metric for test in entry["tests"] for metric in _metrics(test["quantity"])})


def _metrics(quantity: str) -> list[str]:
    return _QUANTITY.findall(quantity)[:1]


def _choice(name: str, values: Iterable[str]) -> str:
    options = "".join(f"<option>{html.escape(value)}</option>" for value in values)
    select = f'<select name="{name}"><option value="">all</option>{options}</select>'
    return f"<label>{name} {select}</label>"


def _mark(verdict: str) -> str:
    name = verdict.split()[0]
    return f'<span class="verdict-{name}" aria-hidden="true">{MARKS[verdict]}</span>'


def _later(entry: dict) -> str:
    """What later rules would say, if it is something else."""
    then = entry["exploratory"]
    if not then or then["verdict"] == entry["verdict"]:
        return ""
    return f"by rules that are younger than the data (exploratory): {then['verdict']}"


def _row(entry: dict) -> str:
    found = "<br>".join(
        html.escape(f"{test['brief'] or test['quantity']}: {_interval(test)}")
        for test in entry["tests"]
        if test["value"] is not None
    )
    mark = _mark(entry["verdict"]) if entry["verdict"] in MARKS else ""
    walk = f' <a href="{walk_of(entry)}">raw logs</a>' if entry["tests"] else ""
    cells = (
        entry["study"],
        f'<a href="#{entry["id"]}">{html.escape(entry["says"])}</a>',
        html.escape(str(entry["published"] or "")),
        found + walk,
        f"{mark} {html.escape(verdict_text(entry))}",
        "<br>".join(map(_noted, filter(None, [entry["reason"], _later(entry), entry["note"]]))),
    )
    data = {
        "study": entry["study"],
        "verdict": entry["verdict"],
        "topic": f" {' '.join(_topics(entry))} ",
    }
    attributes = " ".join(f'data-{name}="{html.escape(of)}"' for name, of in data.items())
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr id="{entry["id"]}" {attributes}>{row}</tr>'


def _noted(text: str) -> str:
    """A text of the ledger as HTML: words in backticks are code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))


def _interval(test: dict) -> str:
    low, high = (nan if test[end] is None else test[end] for end in ("low", "high"))
    return f"{interval_text(test['value'], low, high)} {test['unit']}".rstrip()
