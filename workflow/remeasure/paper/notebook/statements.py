"""The statements of a scenario's studies, tested on its trials, and their tables in notebooks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from IPython.display import Markdown, display

from remeasure.bench.campaign.register import Standing
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import COST, PRESENT, RULES, Rules
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.entry import Ledger
from remeasure.paper.analysis.summaries import of_kind
from remeasure.paper.analysis.texts import interval_text
from remeasure.paper.analysis.verdicts.answers import Summaries
from remeasure.paper.analysis.verdicts.choices import ELSEWHERE, Analyst, Choice
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED, Judged, judge
from remeasure.paper.analysis.verdicts.ledger import counted, entries, explored, flips
from remeasure.paper.analysis.verdicts.readable import Bench
from remeasure.paper.analysis.verdicts.sensitivity import of_estimators, other_summaries
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.shared_tables import claims_table, verdict_text

COUNTS = {
    "Claims": "statements of the study, each effect once",
    "Confirmed": "statements that are confirmed",
    "Opposite": "statements of which the opposite is found",
    "NoDifference": "statements on a difference of which none that matters is found",
    "NotAsStated": "statements of several parts, of which one is confirmed and another refuted",
    "Hidden": "statements on suites or authentication whose rates a link held",
    "Undecided": "statements that are undecided",
    "OutsideSize": "statements of which a published number lies outside our interval by more than "
    "what matters",
    "Untestable": "statements that cannot be asked, or that no trial answers",
}
"""name of a number that `Statements.show` can keep for the scenario's own study -> its meaning,
among the statements that count"""


class Record(NamedTuple):
    """The campaign's record before its data, as far as it decides verdicts."""

    rules: Rules
    stood: Mapping[str, Standing]
    """claim -> whether it is older than the data (campaign.folder.stood_before)"""
    code: Standing
    """whether the code that decides did (campaign.folder.code_stood)"""


def _asked(studies: Sequence[Published]) -> set[str]:
    """Metrics that some statement needs. Others, such as the seconds of a run, need not be
    summarised in every way."""
    claims = [claim for study in studies for claim in study.claims]
    tests = [test for claim in claims for test in (*claim.tests, *claim.primary)]
    return {COST, *(test.metric for test in tests)}


class Statements:
    """Answers and verdicts of the statements of `studies`, the scenario's own study first.
    `summaries` are of trials in the table `trials`, made from `observations` with `factors`;
    `blocks` is the number of blocks measured. `instead` (factor -> level) also tests every
    statement at another level. `record` comes from the campaign; `bench` describes the trials. The
    results are handed over to the ledger."""

    def __init__(
        self,
        studies: Sequence[Published],
        summaries: pd.DataFrame,
        trials: pd.DataFrame,
        observations: pd.DataFrame,
        factors: list[str],
        blocks: int,
        results: Results,
        instead: dict[str, str],
        record: Record,
        bench: Bench,
    ):
        observations, summaries = (
            table[table["metric"].isin(_asked(studies)) | of_kind(table["metric"], "sent")]
            for table in (observations, summaries)
        )
        usual = of_estimators(observations, factors, summaries)
        others = other_summaries(trials, observations, factors, summaries)
        self.studies, self.study = studies, studies[0]
        self.instead, self._results = instead, results
        self.judged = [judge(one, usual, record.rules, bench, record.stood) for one in studies]
        self._choices: list[Choice] = []
        self.entries: Ledger = []
        """entries for the ledger (see analysis.verdicts.ledger)"""
        for study, judged in zip(studies, self.judged, strict=True):
            analyst = Analyst(study, usual, others, judged, bench)
            choices, specified = analyst.choices(instead), analyst.specifications()
            self._choices += choices
            others_say = _explored(study, usual, record, bench)
            self.entries += entries(
                study, judged, others_say, choices, specified, blocks, record.stood, record.code
            )
        self.answers = pd.concat([one.answers for one in self.judged], ignore_index=True)
        results.claims(self.entries)

    def shown(self) -> pd.DataFrame:
        """One row per test: the question, the study's words, and the finding. `verdict` is by only
        this test, `statement` on the whole statement. The verdict at the other level has its own
        column, for tests with such a level."""
        of_entry = {entry["id"]: entry["verdict"] for entry in self.entries}
        ends = zip(*(self.answers[column] for column in ("value", "low", "high")), strict=True)
        found = [interval_text(*values) for values in ends]
        table = self.answers.assign(found=found, statement=self.answers["id"].map(of_entry))
        columns = ["id", "says", "published", "quantity", "expect", "matters", "found", "n", "unit"]
        columns += ["verdict", "size", "statement"]
        tests = [
            test
            for judged, study in zip(self.judged, self.studies, strict=True)
            for claim in study.claims
            for test in claim.asked(judged.rules)
        ]
        elsewhere = [c.answers["verdict"] for c in self._choices if c.kind == ELSEWHERE]
        for factor, level in self.instead.items():
            concerned = [factor in test.where for test in tests]
            columns.append(f"{factor} {level}")
            table[columns[-1]] = pd.concat(elsewhere, ignore_index=True).where(concerned, "")
        return table[[*columns, "because", "note"]].set_index("id")

    def flips(self) -> pd.DataFrame:
        """One row for each verdict that another choice of the analysis changes."""
        return flips(self.entries).drop(columns="study").set_index("claim")

    def explored(self) -> pd.DataFrame:
        """One row for each verdict that the present rules would change: exploratory."""
        return explored(self.entries).drop(columns="study").set_index("claim")

    def untestable(self) -> pd.DataFrame:
        """The statements without a verdict, and the reason."""
        rows = [e for e in self.entries if e["verdict"] == decisions.NOT_TESTABLE]
        columns = ["id", "says", "published", "reason"]
        return pd.DataFrame(rows, columns=columns).set_index("id")

    def table(self) -> pd.DataFrame:
        """The table of the paper: one row a statement of the scenario's own study that is asked."""
        own = [entry for entry in self.entries if entry["study"] == self.study.name]
        return claims_table(self.answers, [entry for entry in own if entry["tests"]])

    def counts(self) -> dict[str, int]:
        """Name in COUNTS -> its count, for the scenario's own study."""
        own = counted([entry for entry in self.entries if entry["study"] == self.study.name])
        of_verdict = Counter(entry["verdict"] for entry in own)
        undirected = sum(entry["reason"] == UNDIRECTED for entry in own)
        return {
            "Claims": len(own),
            "Confirmed": of_verdict[decisions.CONFIRMED],
            "Opposite": of_verdict[decisions.OPPOSITE],
            "NoDifference": of_verdict[decisions.NO_DIFFERENCE],
            "NotAsStated": of_verdict[decisions.NOT_AS_STATED],
            "Hidden": of_verdict[decisions.HIDDEN],
            "Undecided": of_verdict[decisions.UNDECIDED],
            "OutsideSize": sum(entry["size"] == decisions.OUTSIDE for entry in own),
            "Untestable": of_verdict[decisions.NOT_TESTABLE] - undirected,
        }

    def quote(self, name: str, claim: str) -> str:
        """Keep the verdict on one statement as a text, and return it."""
        (entry,) = [entry for entry in self.entries if entry["id"] == claim]
        return self._results.words(name, verdict_text(entry), f"the ledger: {claim}")

    def show(self, kept: Iterable[str] = ()) -> None:
        """Show the meaning of verdicts, every statement, and changes by other choices of the
        analysis. The table of the scenario's own study and counts (names of COUNTS) are kept."""
        counts = self.counts()
        for name in kept:
            self._results.count(name, counts[name], COUNTS[name])
        display(explained(), self.shown())
        for says, table in (
            (_FLIPS, self.flips()),
            (_EXPLORED, self.explored()),
            ("Statements that cannot be asked of our trials:", self.untestable()),
        ):
            display(Markdown(says if len(table) else f"{says} none."))
            if len(table):
                display(table)
        self._results.table("claims", self.table())
        display(pd.DataFrame({"count": counts, "of what": COUNTS}))


_FLIPS = """Verdicts that change under another choice, by kind of choice:

- another estimator: medians for means within a trial, without the first repeat, without suspect
  trials, without trials far from their own cell, or by sign flips over blocks, which assume no
  normal distribution (*too few blocks*: these blocks can decide nothing by them);
- bounds half and twice as wide, or another correction;
- another meaning of the words;
- trials elsewhere: on another link or under another load.

They are:"""
_EXPLORED = (
    "Campaigns that begin now are judged by newer rules. Applied to these data they are "
    "exploratory, since the rules are younger than the data:"
)
_BRACKETS = (
    "Brackets name parts of a statement, such as the suites compared, where their verdicts differ: "
    "*holds: to small; the opposite: to large*."
)


def explained() -> Markdown:
    """The meaning of the verdicts on direction and size, for a reader."""
    return Markdown(
        "\n".join(
            ["A verdict has two parts. *Direction* (by 95 % intervals):", ""]
            + [f"- **{name}**: {meaning}." for name, meaning in decisions.VERDICTS.items()]
            + ["", "*Size*:", ""]
            + [f"- **{name}**: {meaning}." for name, meaning in decisions.SIZES.items()]
            + ["", _BRACKETS]
        )
    )


def _explored(study: Published, usual: Summaries, record: Record, bench: Bench) -> Judged | None:
    """The study judged by the rules of campaigns that begin now; None if the campaign has them."""
    if record.rules.version == PRESENT:
        return None
    return judge(study, usual, RULES[PRESENT], bench)
