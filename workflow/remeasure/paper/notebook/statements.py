"""The statements of a scenario's studies, tested on its trials, and the tables that notebooks
show."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from IPython.display import Markdown, display

from remeasure.bench.campaign.register import Standing
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import COST, PRESENT, RULES, Rules
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    HIDDEN,
    NO_DIFFERENCE,
    NOT_AS_STATED,
    NOT_TESTABLE,
    OPPOSITE,
    OUTSIDE,
    SIZES,
    UNDECIDED,
    VERDICTS,
)
from remeasure.paper.analysis.entry import Entry, Ledger
from remeasure.paper.analysis.summaries import of_kind
from remeasure.paper.analysis.texts import interval_text
from remeasure.paper.analysis.verdicts.answers import Summaries
from remeasure.paper.analysis.verdicts.choices import ELSEWHERE, Analyst, Choice
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED, Judged, judge
from remeasure.paper.analysis.verdicts.ledger import counted, entries, explored, flips
from remeasure.paper.analysis.verdicts.readable import Bench
from remeasure.paper.analysis.verdicts.sensitivity import (
    ACCEPTED,
    of_estimators,
    other_summaries,
)
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.shared_tables import claims_table, verdict_text

COUNTS = {
    "Claims": "statements of the study, each effect once",
    "Uncounted": "further statements: readings of its tables, or effects asked again",
    "Confirmed": "statements that are confirmed",
    "Opposite": "statements of which the opposite is found",
    "NoDifference": "statements on a difference of which none that matters is found",
    "NotAsStated": "statements of several parts, of which one is confirmed and another refuted",
    "Hidden": "statements on suites or authentication whose rates a link held",
    "Undecided": "statements that are undecided",
    "OutsideSize": "statements of which a published number lies outside our interval by more than "
    "what matters",
    "Untestable": "statements that cannot be asked, or that no trial answers",
    "Undirected": "statements with an estimate and no verdict",
    "Asked": "statements that are asked of trials",
    "Answered": "statements that trials answer",
    "Flips": "verdicts that are others at the other level",
    "Opposed": "statements confirmed at one level, with the opposite at the other",
    "Changed": "verdicts that are others without suspect trials",
}
"""name of a number that `Statements.show` can keep for the scenario's own study -> its
meaning; all are of the statements that count"""


class Record(NamedTuple):
    """What the campaign recorded before its data, as far as it decides verdicts."""

    rules: Rules
    stood: Mapping[str, Standing]
    """claim -> whether it is older than the data (campaign.folder.stood_before)"""
    code: Standing
    """whether the code that decides did (campaign.folder.code_stood)"""


def _asked(studies: Sequence[Published]) -> set[str]:
    """Metrics that some statement needs. What nobody asks for, such as the seconds of a run, need
    not be summarised in every way."""
    claims = [claim for study in studies for claim in study.claims]
    tests = [test for claim in claims for test in (*claim.tests, *claim.primary)]
    return {COST, *(test.metric for test in tests)}


class Statements:
    """Answers and verdicts of the statements of `studies`, the scenario's own study first.

    `summaries` are of trials in the table `trials`, made from `observations` with `factors`;
    `blocks` is the number of blocks measured. `instead` (factor -> level) also tests every
    statement at another level. `record` is what the campaign recorded; `bench` what the trials were
    made on. The results are handed over to the ledger.
    """

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
        self._choices: list[list[Choice]] = []
        self.entries: Ledger = []
        """entries for the ledger (see analysis.verdicts.ledger)"""
        for study, judged in zip(studies, self.judged, strict=True):
            analyst = Analyst(study, usual, others, judged, bench)
            choices, specified = analyst.choices(instead), analyst.specifications()
            self._choices.append(choices)
            others_say = _explored(study, usual, record, bench)
            self.entries += entries(
                study, judged, others_say, choices, specified, blocks, record.stood, record.code
            )
        self.answers = pd.concat([one.answers for one in self.judged], ignore_index=True)
        self.elsewhere = self._under(ELSEWHERE) if instead else self.answers
        """answers at the other level, columns as of `analysis.verdicts.answers.answer`"""
        self.accepted = self._under(ACCEPTED)
        """answers without suspect trials, columns as of `analysis.verdicts.answers.answer`"""
        results.claims(self.entries)

    def _under(self, choice: str) -> pd.DataFrame:
        """The answers under a choice, by its name, or by its kind where there is one of it."""
        tables = [c.answers for of in self._choices for c in of if choice in (c.kind, c.name)]
        return pd.concat(tables, ignore_index=True)

    def shown(self) -> pd.DataFrame:
        """One row for each test: what is asked, what the study says, and what was found. `verdict`
        is of the test alone, `statement` of the whole statement. The verdict at the other level has
        its own column, for tests that have such a level."""
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
        for factor, level in self.instead.items():
            concerned = [factor in test.where for test in tests]
            columns.append(f"{factor} {level}")
            table[columns[-1]] = self.elsewhere["verdict"].where(concerned, "")
        return table[[*columns, "because", "note"]].set_index("id")

    def without_suspects(self) -> pd.DataFrame:
        """One row for each test whose verdict changes if suspect trials are left out."""
        columns = ["n", "value", "low", "high", "verdict"]
        both = self.answers[["id", "quantity", *columns]].merge(
            self.accepted[columns], left_index=True, right_index=True, suffixes=("", ", accepted")
        )
        return both[both["verdict"] != both["verdict, accepted"]].set_index("id")

    def flips(self) -> pd.DataFrame:
        """One row for each verdict that another choice of the analysis changes."""
        return flips(self.entries).drop(columns="study").set_index("claim")

    def explored(self) -> pd.DataFrame:
        """One row for each verdict that the present rules would change: exploratory."""
        return explored(self.entries).drop(columns="study").set_index("claim")

    def untestable(self) -> pd.DataFrame:
        """The statements without a verdict, and the reason."""
        rows = [e for e in self.entries if e["verdict"] == NOT_TESTABLE]
        columns = ["id", "says", "published", "reason"]
        return pd.DataFrame(rows, columns=columns).set_index("id")

    def table(self) -> pd.DataFrame:
        """The table of the paper: one row a statement of the scenario's own study that is asked."""
        own = [entry for entry in self.entries if entry["study"] == self.study.name]
        return claims_table(self.answers, [entry for entry in own if entry["tests"]])

    def counts(self) -> dict[str, int]:
        """What is counted (see COUNTS) -> how often, of the scenario's own study."""
        everything = [entry for entry in self.entries if entry["study"] == self.study.name]
        own = counted(everything)
        of_verdict = Counter(entry["verdict"] for entry in own)
        of_size = Counter(entry["size"] for entry in own)
        undirected = sum(entry["reason"] == UNDIRECTED for entry in own)
        asked = [entry["id"] for entry in own if entry["tests"]]
        tested = [entry for entry in own if entry["verdict"] != NOT_TESTABLE]
        first = [entry["verdict"] for entry in tested]
        accepted, other = (
            [self._verdict_under(choice, entry) for entry in tested]
            for choice in (ACCEPTED, ELSEWHERE)
        )
        directed = {CONFIRMED, OPPOSITE}
        return {
            "Claims": len(own),
            "Uncounted": len(everything) - len(own),
            "Confirmed": of_verdict[CONFIRMED],
            "Opposite": of_verdict[OPPOSITE],
            "NoDifference": of_verdict[NO_DIFFERENCE],
            "NotAsStated": of_verdict[NOT_AS_STATED],
            "Hidden": of_verdict[HIDDEN],
            "Undecided": of_verdict[UNDECIDED],
            "OutsideSize": of_size[OUTSIDE],
            "Untestable": of_verdict[NOT_TESTABLE] - undirected,
            "Undirected": undirected,
            "Asked": len(asked),
            "Answered": sum(all(test["n"] for test in e["tests"]) for e in own if e["tests"]),
            "Flips": _differing(first, other),
            "Opposed": sum({a, b} == directed for a, b in zip(first, other, strict=True)),
            "Changed": _differing(first, accepted),
        }

    def _verdict_under(self, choice: str, entry: Entry) -> str:
        """The verdict on an entry under a choice, by its name or its kind."""
        for kind, verdicts in entry["choices"].items():
            for name, then in verdicts.items():
                if choice in (kind, name):
                    return then
        return entry["verdict"]

    def quote(self, name: str, claim: str) -> str:
        """Keep the verdict on one statement as a text, and return it."""
        (entry,) = [entry for entry in self.entries if entry["id"] == claim]
        return self._results.words(name, verdict_text(entry), f"the ledger: {claim}")

    def show(self, kept: Iterable[str] = ()) -> None:
        """Show what verdicts mean, every statement, and what another choice of the analysis would
        change. The table of the scenario's own study is kept, and so are counts (names
        of COUNTS)."""
        counts = self.counts()
        for name in kept:
            self._results.count(name, counts[name], COUNTS[name])
        display(explained(), self.shown())
        for says, table in (
            (_WITHOUT_SUSPECTS, self.without_suspects()),
            (_FLIPS, self.flips()),
            (_EXPLORED, self.explored()),
            ("Statements that cannot be asked of our trials:", self.untestable()),
        ):
            display(Markdown(says if len(table) else f"{says} none."))
            if len(table):
                display(table)
        self._results.table("claims", self.table())
        display(pd.DataFrame({"count": counts, "of what": COUNTS}))


_WITHOUT_SUSPECTS = (
    "Parts whose verdict changes when suspect trials are left out. `n` is how many blocks remain. "
    "A block that lacks a cell counts by the share of the comparison that was measured in it:"
)
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
            + [f"- **{name}**: {meaning}." for name, meaning in VERDICTS.items()]
            + ["", "*Size*:", ""]
            + [f"- **{name}**: {meaning}." for name, meaning in SIZES.items()]
            + ["", _BRACKETS]
        )
    )


def _explored(study: Published, usual: Summaries, record: Record, bench: Bench) -> Judged | None:
    """The study judged by the rules of campaigns that begin now; None if the campaign has them."""
    if record.rules.version == PRESENT:
        return None
    return judge(study, usual, RULES[PRESENT], bench)


def _differing(verdicts: list[str], others: list[str]) -> int:
    return sum(one != other for one, other in zip(verdicts, others, strict=True))
