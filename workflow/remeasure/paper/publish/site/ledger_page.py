"""The ledger on the site: every statement of the studies with its verdict and its picture, and a
filter."""

import html
import re
from collections.abc import Iterator, Mapping
from math import nan

from remeasure.bench.claims.published import OURS, cited_as, load_published
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.entry import Entry, Ledger, Part
from remeasure.paper.analysis.texts import in_brief, in_words, interval_text
from remeasure.paper.analysis.verdicts.bayes_factors import bayes_factor_of, evidence_text
from remeasure.paper.analysis.verdicts.ledger import (
    by_sign_flips,
    counted,
    in_both_worlds,
    of_studies,
)
from remeasure.paper.notebook.plain_labels import METRICS, in_plain, label
from remeasure.paper.notebook.shared_tables import verdict_text
from remeasure.paper.publish.site.interval_plot import interval_plot
from remeasure.paper.publish.site.walk_pages import walk_of
from remeasure.paper.publish.templates import macros
from remeasure.paper.words import words_of

_WORDS = words_of(__file__, "ledger-page")
MARKS: dict[str, str] = _WORDS["marks"]
"""verdict -> its shape, which is never the diamond of published numbers; its colour is in
_static/site.css"""
_QUANTITY = re.compile(r"of (\w+),")
_ANY = "any"
"""the filter's name of all verdicts, with which the page begins; also in _static/ledger.js"""


def ledger_texts(every: Ledger) -> dict[str, str]:
    """Name on a page -> text. _static/ledger.js filters the table; without scripts it shows
    all rows."""
    ledger = of_studies(every)
    own = counted(ledger)
    testable, with_verdict = (
        sum(entry["verdict"] != decisions.NOT_TESTABLE for entry in of) for of in (ledger, own)
    )
    counts = {
        "Rows": len(ledger),
        "Counted": len(own),
        "Decided": with_verdict,
        "Undecidable": len(own) - with_verdict,
        "Uncounted": len(ledger) - len(own),
        "Testable": testable,
    }
    names = {study: cited_as(study) for study in dict.fromkeys(e["study"] for e in ledger)}
    topics = {topic for entry in ledger for topic in _topics(entry)}
    named = {topic: METRICS.get(topic, topic.replace("_", " ")) for topic in topics}
    choices = {
        "study": names,
        "verdict": {_ANY: "any verdict"} | {e["verdict"]: e["verdict"] for e in ledger},
        "topic": dict(sorted(named.items(), key=lambda item: item[1])),
    }
    return {
        **{f"ledger{name}": str(count) for name, count in counts.items()},
        "ledgerSample": interval_plot(_WORDS["sample"]),
        "ledgerVerdicts": _PAGE.verdicts(),
        "ledgerSizes": _PAGE.sizes(),
        "ledgerFilters": _PAGE.filters(choices),
        "ledgerTable": "\n".join(_row(entry, names[entry["study"]]) for entry in ledger),
        "ledgerPredictions": "\n".join(_predictions({entry["id"]: entry for entry in every})),
    }


def _predictions(judged: Mapping[str, Entry]) -> Iterator[str]:
    """Rows of our own predictions, with the bounds that we fixed. `judged`: id -> entry, of those
    that a campaign registered."""
    study = load_published(OURS)
    for claim in study.claims:
        bounds = [
            f"{label(in_words(test), brief)}: {test.expect} {test.unit}".rstrip()
            + (f", from {test.matters:g} on" if test.matters else "")
            for test, brief in zip(claim.tests, in_brief(claim.tests), strict=True)
        ]
        reasons = dict.fromkeys([*(test.because for test in claim.tests), claim.note])
        entry = judged.get(claim.id)
        later = "no question can ask it" if claim.not_testable else "not judged yet"
        cells = (
            [study.places(claim.id)[-1]],
            bounds,
            [one for one in (*reasons, claim.not_testable) if one],
            [verdict_text(entry) if entry else later],
        )
        yield _PAGE.prediction(claim, cells)


def _topics(entry: Entry) -> list[str]:
    """The metrics that the statement's tests are about, of each test the first."""
    found = (_QUANTITY.search(test["quantity"]) for test in entry["tests"])
    return sorted({match[1] for match in found if match})


def _notes(entry: Entry) -> Iterator[str]:
    """Why there is no verdict, whether the first page counts the row, other verdicts by another
    test or by later rules, and further notes."""
    yield entry["reason"]
    if entry["uncounted"]:
        yield f"not counted: {entry['uncounted']}"
    flipped, later = by_sign_flips(entry), entry["exploratory"]
    if flipped not in ("", entry["verdict"]):
        yield f"without the normal assumption (sign flips over blocks): {flipped}"
    if later and later["verdict"] != entry["verdict"]:
        yield f"by later rules, written after these data (exploratory): {later['verdict']}"
    yield in_both_worlds(entry)
    yield entry["note"]


def _row(entry: Entry, study: str) -> str:
    """A row of the table; `study` is the study's name for readers."""
    tests = [test for test in entry["tests"] if test["value"] is not None]
    return str(_PAGE.row(entry, study, _topics(entry), tests, walk_of(entry)))


def _found(test: Part, verdict: str) -> str:
    """The comparison of the part, and our value with its interval; of an undecided statement also
    the evidence of its Bayes factor."""
    found = (test["value"], test["low"], test["high"])
    value, low, high = (nan if one is None else one for one in found)
    says = label(test["quantity"], test["brief"])
    estimate = f"{says}: {interval_text(value, low, high)} {test['unit']}".rstrip()
    evidence = evidence_text(bayes_factor_of(test)) if verdict == decisions.UNDECIDED else ""
    return f"{estimate}; evidence: {evidence}" if evidence else estimate


def _verdict(entry: Entry) -> str:
    """The verdict, with the part that decided in brackets."""
    decided, verdict = entry["decided_by"], verdict_text(entry)
    if decided and not entry["parts"]:
        verdict = verdict.replace(entry["verdict"], f"{entry['verdict']} ({decided})", 1)
    return in_plain(verdict)


def _noted(text: str) -> str:
    """A text of the ledger as HTML: words in backticks are code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))


_PAGE = macros(
    __file__,
    any=_ANY,
    marks=MARKS,
    decisions=decisions,
    interval_plot=interval_plot,
    found=_found,
    in_verdict=_verdict,
    notes=_notes,
    noted=_noted,
)
