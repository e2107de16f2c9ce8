"""The ledger on the site: every statement of the studies with its verdict and its picture, to be
filtered."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import nan

from remeasure.bench.claims.published import cited_as
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    HIDDEN,
    INSIDE,
    NEAR,
    NO_DIFFERENCE,
    NOT_AS_STATED,
    NOT_TESTABLE,
    OPPOSITE,
    SIZES,
    UNDECIDED,
    VERDICTS,
)
from remeasure.paper.analysis.entry import Entry, Ledger, Part
from remeasure.paper.analysis.texts import interval_text
from remeasure.paper.analysis.verdicts.ledger import by_sign_flips, counted, in_generic_code
from remeasure.paper.notebook.shared_tables import verdict_text
from remeasure.paper.publish.site.interval_plot import interval_plot
from remeasure.paper.publish.site.walk_pages import walk_of

_WORDS = {
    "aaa_cpu": "processor time of the AAA server",
    "cores_per_gbit": "cores per Gbit/s",
    "cpu_per_megabyte": "processor time per megabyte",
    "cpu_per_packet": "processor time per packet",
    "delay": "set-up time until the CHILD_SA",
    "delay_mean": "mean delay of packets",
    "goodput": "goodput (payload that arrives)",
    "hosts_busy": "load of the hosts",
    "ike_messages": "messages of IKE",
    "ike_sa": "set-up time until the IKE_SA",
    "initiator_cpu": "processor time of the initiator",
    "jitter": "jitter",
    "loss": "loss of packets",
    "rate": "rate of a transfer",
    "rtt": "round-trip time",
    "sender_receiver_gap": "rate at the sender less at the receiver",
    "throughput": "throughput",
}
"""metric of a statement -> words"""
_METRIC = re.compile(r"\b\w+_\w+\b")


def topics_in_words(metrics: Iterable[str]) -> dict[str, str]:
    """Metric -> words, in the order of the words."""
    named = {metric: _WORDS.get(metric, metric.replace("_", " ")) for metric in metrics}
    return dict(sorted(named.items(), key=lambda item: item[1]))


def in_words(quantity: str) -> str:
    """The quantity of a test with names of metrics in words."""
    return _METRIC.sub(lambda name: _WORDS.get(name[0], name[0]), quantity)


MARKS = {
    CONFIRMED: "●",
    OPPOSITE: "✖",
    NO_DIFFERENCE: "■",
    NOT_AS_STATED: "◐",
    HIDDEN: "▲",
    UNDECIDED: "○",
}
"""verdict -> its shape, which is never the diamond of published numbers; its colour is in
_static/site.css"""
_COLUMNS = ("statement", "published", "found here", "verdict", "why not, or note")
_QUANTITY = re.compile(r"of (\w+),")
_NOTED = {
    "echo": "a ping that asks for an SA and waits until it is up",
    "direct": "a set-up that is started by command, for which no ping waits",
    "grain": "the step of a time: the kernel lets echoes that waited go at its ticks alone",
    "yenta": "the driver of a CardBus bridge, in Faigl's samples of processor time",
}
"""word of notes -> its meaning; the glossary has the words of the field"""
_ANY = "any"
"""what the filter calls all verdicts, with which the page begins; _static/ledger.js knows it too"""
_SAMPLE = {
    "value": 1.3, "low": 1.15, "high": 1.5, "study": 2.0, "expect": "> 1", "matters": 1.1,
    "as_ratio": True, "unit": "",
}  # fmt: skip
"""what the pictures are explained by"""


def verdict_strip(ledger: Ledger) -> str:
    """One line that counts the verdicts, and opens the ledger with their rows (Markdown)."""
    found = Counter(entry["verdict"] for entry in counted(ledger))
    own = counted(ledger)
    sizes = sum(e["verdict"] == CONFIRMED and e["size"] in (INSIDE, NEAR) for e in own)
    suites = sum(e["verdict"] == OPPOSITE and in_generic_code(e) for e in own)
    more = {
        CONFIRMED: f" in direction ({sizes} also in size)",
        OPPOSITE: f" ({suites} rank ciphers, which we computed in generic C code)",
    }
    parts = [f"{MARKS[v]} **{found[v]}** {v}{more.get(v, '')}" for v in MARKS]
    untestable = sum(found.values()) - sum(found[verdict] for verdict in MARKS)
    return (
        f'<a href="ledger.html#all">{sum(found.values())} statements of published studies</a>: '
        f"{', '.join(parts)}; "
        f'<a href="ledger.html#not-testable">{untestable} cannot be tested here</a>.\n'
    )


def rows_in_words(ledger: Ledger) -> str:
    """How the rows of the table and the counts of the first page fit together (sentences)."""
    own, testable = counted(ledger), [e for e in ledger if e["verdict"] != NOT_TESTABLE]
    with_verdict = sum(entry["verdict"] != NOT_TESTABLE for entry in own)
    return (
        f"The table has {len(ledger)} rows. The first page counts {len(own)} of them, each "
        f"statement once: {with_verdict} with a verdict, and {len(own) - with_verdict} that cannot "
        f"be tested here. The other {len(ledger) - len(own)} rows repeat a statement, or say what "
        f"a study's tables and charts show and its words do not. "
        f"At first it shows the {len(testable)} rows that have a verdict; the filter shows all."
    )


def ledger_page(ledger: Ledger) -> str:
    """The page (Markdown with a table in HTML). _static/ledger.js filters the table; without
    scripts it shows all rows."""
    names = {study: cited_as(study) for study in dict.fromkeys(e["study"] for e in ledger)}
    choices = {
        "study": names,
        "verdict": {_ANY: "any verdict"} | {e["verdict"]: e["verdict"] for e in ledger},
        "topic": topics_in_words({topic for entry in ledger for topic in _topics(entry)}),
    }
    filters = " ".join(_choice(name, values) for name, values in choices.items())
    head = "".join(f'<th scope="col">{column}</th>' for column in _COLUMNS)
    rows = "\n".join(_row(entry, names[entry["study"]]) for entry in ledger)
    return f"""\
# Ledger

Every statement of the studies that can be checked, with its verdict or the reason why there
is none. The link of a statement is its address; *raw logs* leads to the lines that the tools wrote.
[Counts, error rates and other choices of the analysis](notebooks/claims) have their own page, and
so has the [glossary](glossary).

{rows_in_words(ledger)}

{_explained()}

<form class="ledger-filter" id="all" hidden>
{filters}
<label>words <input class="form-control form-control-sm" name="words" type="search"></label>
<output id="not-testable"></output>
</form>

<div class="ledger" tabindex="0" role="region" aria-label="all statements"><table class="table">
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table></div>
"""


def _explained() -> str:
    """How to read the table (HTML)."""
    verdicts = "".join(
        f"<li>{_mark(verdict)} <b>{verdict}</b>: {VERDICTS[verdict]}.</li>" for verdict in MARKS
    )
    sizes = "; ".join(f"<i>{size}</i>: {meaning}" for size, meaning in SIZES.items())
    return f"""\
<details class="legend" open><summary>How to read it</summary>
<p class="legend-plot">{interval_plot(_SAMPLE)} Dot and line: our value with its 95 % interval.
Diamond: the number of the study. Grey band: effects too small to matter, with a line at no effect;
a green band is what a statement of bounds allows. Each statement has its own scale, whose numbers
stand below the picture. Ratios have a scale of logarithms.</p>
<ul>{verdicts}</ul>
<p>A statement of several parts is confirmed only if every part is. If one part is opposite or makes
no difference that matters, the whole is <i>not as stated</i> if another part is confirmed;
otherwise it has that verdict. Words in brackets after a verdict name the part that decided:
<i>opposite (aes128-md5)</i> means that the statement fails for the suite aes128-md5. If parts
differ, brackets list the parts of each verdict. Tables say <i>in part</i>.
The published size has a verdict of its own: {sizes}.</p>
<p>Verdicts are corrected for the number of a study's counted, testable statements; intervals are
not. <i>Exploratory</i> verdicts are by rules that were written after these data: they stand
beside the verdict and never in its place. DES, 3DES and MD5 must not be deployed, whatever their
rate; AH gives no confidentiality, and RFC 4301 makes it optional.</p>
<p>Words of notes: {_words_of_notes()}.</p></details>"""


def _words_of_notes() -> str:
    """What notes of statements take for granted (HTML)."""
    return "; ".join(f"<b>{word}</b>: {says}" for word, says in _NOTED.items())


def _topics(entry: Entry) -> list[str]:
    """The metrics that the statement's tests are about."""
    return sorted({metric for test in entry["tests"] for metric in _metrics(test["quantity"])})


def _metrics(quantity: str) -> list[str]:
    return _QUANTITY.findall(quantity)[:1]


def _choice(name: str, values: Mapping[str, str]) -> str:
    """A filter; `values`: value -> its name for readers."""
    options = "".join(
        f'<option value="{html.escape(value)}"{" selected" if value == _ANY else ""}>'
        f"{html.escape(text)}</option>"
        for value, text in values.items()
    )
    select = f'<select class="form-select form-select-sm" name="{name}">'
    return f'<label>{name} {select}<option value="">all</option>{options}</select></label>'


def _mark(verdict: str) -> str:
    name = verdict.split()[0]
    return f'<span class="verdict-{name}" aria-hidden="true">{MARKS[verdict]}</span>'


def _later(entry: Entry) -> str:
    """What later rules would say, if it is something else."""
    then = entry["exploratory"]
    if not then or then["verdict"] == entry["verdict"]:
        return ""
    return f"by later rules, written after these data (exploratory): {then['verdict']}"


def _without_normality(entry: Entry) -> str:
    """What sign flips over blocks say, if it is something else."""
    then = by_sign_flips(entry)
    if then in ("", entry["verdict"]):
        return ""
    return f"without the normal assumption (sign flips over blocks): {then}"


def _notes(entry: Entry) -> list[str]:
    """Why there is no verdict, whether the first page counts the row, and what else is said."""
    uncounted = f"not counted: {entry['uncounted']}" if entry["uncounted"] else ""
    notes = (entry["reason"], uncounted, _without_normality(entry), _later(entry), entry["note"])
    return [text for text in notes if text]


def _row(entry: Entry, study: str) -> str:
    """A row of the table; `study` is the study's name for readers."""
    tests = [test for test in entry["tests"] if test["value"] is not None]
    found = "".join(
        f"<p>{html.escape(f'{_of_part(test)}{_interval(test)}')}{interval_plot(test, tests)}</p>"
        for test in tests
    )
    mark = _mark(entry["verdict"]) if entry["verdict"] in MARKS else ""
    address = walk_of(entry)
    walk = f'<a href="{address}">raw logs</a>' if address else ""
    cells = (
        f'{html.escape(study)}<br><a href="#{entry["id"]}">{html.escape(entry["says"])}</a>',
        html.escape(str(entry["published"] or "")),
        found + walk,
        f"{mark} {html.escape(_verdict(entry))}",
        "<br>".join(map(_noted, _notes(entry))),
    )
    data = {
        "study": entry["study"],
        "verdict": entry["verdict"],
        "topic": f" {' '.join(_topics(entry))} ",
    }
    attributes = " ".join(f'data-{name}="{html.escape(of)}"' for name, of in data.items())
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr id="{entry["id"]}" {attributes}>{row}</tr>'


def _of_part(test: Part) -> str:
    """What a value is of: the part's short name, or the quantity."""
    return f"{test['brief'] or in_words(test['quantity'])}: "


def _verdict(entry: Entry) -> str:
    """The verdict, with the part that decided in brackets."""
    decided = entry["decided_by"]
    if not decided or entry["parts"]:
        return verdict_text(entry)
    return verdict_text(entry).replace(entry["verdict"], f"{entry['verdict']} ({decided})", 1)


def _noted(text: str) -> str:
    """A text of the ledger as HTML: words in backticks are code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))


def _interval(test: Part) -> str:
    found = (test["value"], test["low"], test["high"])
    value, low, high = (nan if one is None else one for one in found)
    return f"{interval_text(value, low, high)} {test['unit']}".rstrip()
