"""The statements of a scenario's studies, tested on its trials, and the tables that notebooks
show."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
from IPython.display import Markdown

from remeasure.analysis.answers import Summaries, answer, verdicts
from remeasure.analysis.decisions import (
    CONFIRMED,
    INSIDE,
    NO_DIFFERENCE,
    NOT_TESTABLE,
    OPPOSITE,
    OUTSIDE,
    SIZES,
    UNDECIDED,
    VERDICTS,
)
from remeasure.analysis.ledger import UNDIRECTED, counted, entries, flips
from remeasure.analysis.models.rate_limits import COSTLY, RATES, not_performance
from remeasure.analysis.sensitivity import (
    ACCEPTED,
    BOUNDS,
    of_estimators,
    other_summaries,
    with_bounds,
    with_groups,
)
from remeasure.analysis.texts import interval_text
from remeasure.claims.published import Published
from remeasure.publish.results import Results
from remeasure.publish.tables import claims_table, verdict_text

COUNTS = {
    "Claims": "statements of the study, each effect once",
    "Uncounted": "further statements: readings of its tables, or effects asked again",
    "Confirmed": "statements that are confirmed",
    "Opposite": "statements of which the opposite is found",
    "NoDifference": "statements on a difference of which none that matters is found",
    "Undecided": "statements that are undecided",
    "OutsideSize": "statements of which a published number lies outside our interval",
    "InsideSize": "statements whose published numbers lie inside our intervals",
    "Untestable": "statements that cannot be asked, or that no trial answers",
    "Undirected": "statements with an estimate and no verdict",
    "Asked": "statements that are asked of trials",
    "Answered": "statements that trials answer",
    "Flips": "verdicts that are others at the other level",
    "Opposed": "statements confirmed at one level, with the opposite at the other",
    "Changed": "verdicts that are others without suspect trials",
}
"""name of a number that `Statements.hand_over` can keep for the scenario's own study -> its
meaning; all are of the statements that count"""


class Statements:
    """Answers and verdicts of the statements of `studies`, the scenario's own study first.

    `summaries` are of trials in the table `trials`, made from `observations` with `factors`;
    `blocks` is the number of blocks measured. `instead` (factor -> level) also tests every
    statement at another level. `stood` says of each claim whether it stood before the data
    (campaign.folder.stood_before); `limits` what limited the rate of each run
    (models.rate_limits.limits). The results are handed over to the ledger.
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
        stood: Mapping[str, str],
        limits: pd.DataFrame,
    ):
        # What nobody asks for, such as the seconds of a run, need not be summarised in every way.
        asked = {test.metric for study in studies for claim in study.claims for test in claim.tests}
        asked |= {"sent", "offered"}
        observations = observations[observations["metric"].isin(asked)]
        summaries = summaries[summaries["metric"].isin(asked)]
        usual = of_estimators(observations, factors, summaries)
        found = [answer(study.claims, usual, study.groups) for study in studies]
        choices = [_choices(study, usual, instead) for study in studies]
        for name, other in other_summaries(trials, observations, factors, summaries).items():
            for place, study in enumerate(studies):
                choices[place][name] = answer(study.claims, other, study.groups, traced=False)
        self.study = studies[0]
        self._tests = [test for study in studies for claim in study.claims for test in claim.tests]
        self.answers = pd.concat(found, ignore_index=True)
        self.instead = instead
        self.elsewhere = (
            pd.concat([of[_level(instead)] for of in choices], ignore_index=True)
            if instead
            else self.answers
        )
        """answers at the other level, columns as of `analysis.answers.answer`"""
        self.accepted = pd.concat([of[ACCEPTED] for of in choices], ignore_index=True)
        """answers without suspect trials, columns as of `analysis.answers.answer`"""
        self.entries = [
            entry
            for place, study in enumerate(studies)
            for entry in entries(
                study,
                found[place],
                blocks,
                choices[place],
                stood,
                _unreadable(study, found[place], limits),
            )
        ]
        """entries for the ledger (see analysis.ledger)"""
        self._results = results
        results.claims(self.entries)

    def shown(self) -> pd.DataFrame:
        """One row for each test: what is asked, what the study says, and what was found. `verdict`
        is of the test alone, `statement` of the whole statement. The verdict at the other level has
        its own column, for tests that have such a level."""
        of_entry = {entry["id"]: entry["verdict"] for entry in self.entries}
        table = self.answers.assign(
            found=_found(self.answers), statement=self.answers["id"].map(of_entry)
        )
        columns = ["id", "says", "published", "quantity", "expect", "matters", "found", "n", "unit"]
        columns += ["verdict", "size", "statement"]
        for factor, level in self.instead.items():
            concerned = [factor in test.where for test in self._tests]
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
        tested = [entry["id"] for entry in own if entry["verdict"] != NOT_TESTABLE]
        first, other, accepted = (
            verdicts(answers)["verdict"].reindex(tested)
            for answers in (self.answers, self.elsewhere, self.accepted)
        )
        directed = [CONFIRMED, OPPOSITE]
        return {
            "Claims": len(own),
            "Uncounted": len(everything) - len(own),
            "Confirmed": of_verdict[CONFIRMED],
            "Opposite": of_verdict[OPPOSITE],
            "NoDifference": of_verdict[NO_DIFFERENCE],
            "Undecided": of_verdict[UNDECIDED],
            "OutsideSize": of_size[OUTSIDE],
            "InsideSize": of_size[INSIDE],
            "Untestable": of_verdict[NOT_TESTABLE] - undirected,
            "Undirected": undirected,
            "Asked": len(asked),
            "Answered": sum(all(test["n"] for test in e["tests"]) for e in own if e["tests"]),
            "Flips": (first != other).sum(),
            "Opposed": ((first != other) & first.isin(directed) & other.isin(directed)).sum(),
            "Changed": (first != accepted).sum(),
        }

    def quote(self, name: str, claim: str) -> str:
        """Keep the verdict on one statement as a text of the paper, and return it."""
        (entry,) = [entry for entry in self.entries if entry["id"] == claim]
        return self._results.words(name, verdict_text(entry), source=f"the ledger: {claim}")

    def hand_over(self, *names: str) -> pd.DataFrame:
        """Keep the counts `names` as numbers of the paper. Returns them as a table to be shown."""
        counts = self.counts()
        for name in names:
            self._results.number(name, counts[name], 0, source=COUNTS[name])
        return pd.DataFrame({"count": counts, "of what": COUNTS})


def explained() -> Markdown:
    """What the verdicts on direction and size mean, for a reader."""
    return Markdown(
        "\n".join(
            ["A verdict has two parts. *Direction* (by 95 % intervals):", ""]
            + [f"- **{name}**: {meaning}." for name, meaning in VERDICTS.items()]
            + ["", "*Size*:", ""]
            + [f"- **{name}**: {meaning}." for name, meaning in SIZES.items()]
        )
    )


def _level(instead: dict[str, str]) -> str:
    """The name of the choice of another level."""
    return ", ".join(f"{factor} {level}" for factor, level in instead.items())


def _choices(
    study: Published, usual: Summaries, instead: dict[str, str]
) -> dict[str, pd.DataFrame]:
    """Choices about the questions: name -> answers."""
    found = {
        name: answer(with_bounds(study.claims, factor), usual, study.groups, traced=False)
        for name, factor in BOUNDS.items()
    }
    for name, groups in study.other_groups.items():
        found[name] = answer(study.claims, usual, with_groups(study.groups, groups), traced=False)
    if instead:
        found[_level(instead)] = answer(study.claims, usual, study.groups, False, **instead)
    return found


def _unreadable(study: Published, answers: pd.DataFrame, limits: pd.DataFrame) -> dict[str, str]:
    """Claim -> why its rates do not show what it asks, of claims that compare rates by a factor
    that costs processor time."""
    tests = {
        (claim.id, place): test for claim in study.claims for place, test in enumerate(claim.tests)
    }
    reasons: dict[str, str] = {}
    places = answers.groupby("id").cumcount()
    for row, place in zip(answers.itertuples(), places, strict=True):
        test = tests[row.id, place]
        if row.metric in RATES and row.measured and test.compares() & COSTLY:
            factors = [column for column in row.cells if column in limits]
            reason = not_performance(limits, row.cells[factors], list(row.blocks))
            if reason:
                reasons.setdefault(row.id, reason)
    return reasons


def _found(answers: pd.DataFrame) -> list[str]:
    return [
        interval_text(*values)
        for values in zip(answers["value"], answers["low"], answers["high"], strict=True)
    ]
