"""The statements of a scenario's studies, tested on its trials, and the tables that notebooks
show."""

from collections.abc import Sequence

import pandas as pd

from remeasure.analysis.claims import answer, verdicts
from remeasure.analysis.ledger import UNDIRECTED, entries, flips
from remeasure.analysis.multiverse import ACCEPTED, other_choices
from remeasure.analysis.published import Published
from remeasure.analysis.texts import interval_text
from remeasure.publish.results import Results
from remeasure.publish.tables import claims_table

COUNTS = {
    "Claims": "statements of the study",
    "Supported": "statements that are supported",
    "Refuted": "statements that are refuted",
    "Inconclusive": "statements that are inconclusive",
    "Untestable": "statements that cannot be asked, or that no trial answers",
    "Undirected": "statements with an estimate and no verdict",
    "Asked": "statements that are asked of trials",
    "Answered": "statements that trials answer",
    "Flips": "verdicts that are others at the other level",
    "Opposed": "statements supported at one level and refuted at the other",
    "Rescued": "statements refuted, but supported at the other level",
    "Changed": "verdicts that are others without suspect trials",
    "Undone": "verdicts that are inconclusive only without suspect trials",
    "CompleteBlocks": "blocks with all cells of a statement, accepted trials only, at most",
}
"""name of a number that `Statements.hand_over` can keep for the scenario's own study -> its
meaning"""


class Statements:
    """Answers and verdicts of the statements of `studies`, the scenario's own study first.

    `summaries` are of trials in the table `trials`, made from `observations` with `factors`;
    `blocks` is the number of blocks measured. `instead` (factor -> level) also tests every
    statement at another level. The results are handed over to the ledger.
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
    ):
        def asked_of(table: pd.DataFrame, **levels: str) -> list[pd.DataFrame]:
            return [answer(study.claims, table, study.groups, **levels) for study in studies]

        found = asked_of(summaries)
        choices = {
            name: asked_of(table)
            for name, table in other_choices(trials, observations, factors, summaries).items()
        }
        self.study = studies[0]
        self._tests = [test for study in studies for claim in study.claims for test in claim.tests]
        self.answers = pd.concat(found, ignore_index=True)
        self.instead = instead
        self.elsewhere = pd.concat(asked_of(summaries, **instead), ignore_index=True)
        """answers at the other level, columns as of `analysis.claims.answer`"""
        self.accepted = pd.concat(choices[ACCEPTED], ignore_index=True)
        """answers without suspect trials, columns as of `analysis.claims.answer`"""
        self.entries = [
            entry
            for place, study in enumerate(studies)
            for entry in entries(
                study, found[place], blocks, {name: of[place] for name, of in choices.items()}
            )
        ]
        """entries for the ledger (see analysis.ledger)"""
        self._results = results
        results.claims(self.entries)

    def shown(self) -> pd.DataFrame:
        """One row for each test: what is asked, what the study says, and what was found. The
        verdict at the other level has its own column, for tests that have such a level."""
        table = self.answers.assign(found=_found(self.answers))
        columns = ["id", "says", "published", "quantity", "expect", "found", "n", "unit", "p"]
        columns += ["p_holm", "verdict"]
        for factor, level in self.instead.items():
            concerned = [factor in test.where for test in self._tests]
            columns.append(f"{factor} {level}")
            table[columns[-1]] = self.elsewhere["verdict"].where(concerned, "")
        return table[[*columns, "note"]].set_index("id")

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
        rows = [e for e in self.entries if e["verdict"] == "not testable"]
        columns = ["id", "says", "published", "reason"]
        return pd.DataFrame(rows, columns=columns).set_index("id")

    def table(self) -> pd.DataFrame:
        """The table of the paper: one row a statement of the scenario's own study that is asked."""
        own = {entry["id"]: entry for entry in self.entries if entry["study"] == self.study.name}
        verdict = {
            name: "" if entry["reason"] == UNDIRECTED else entry["verdict"]
            for name, entry in own.items()
        }
        return claims_table(self.answers[self.answers["id"].isin(own)], pd.Series(verdict))

    def counts(self) -> dict[str, int]:
        """What is counted (see COUNTS) -> how often, of the scenario's own study."""
        own = [entry for entry in self.entries if entry["study"] == self.study.name]
        of_verdict = pd.Series([entry["verdict"] for entry in own]).value_counts()
        undirected = sum(entry["reason"] == UNDIRECTED for entry in own)
        asked = [entry["id"] for entry in own if entry["tests"]]
        first, other, accepted = (
            verdicts(answers).reindex(asked)
            for answers in (self.answers, self.elsewhere, self.accepted)
        )
        directed = ["supported", "refuted"]
        return {
            "Claims": len(own),
            **{v.capitalize(): of_verdict.get(v, 0) for v in (*directed, "inconclusive")},
            "Untestable": of_verdict.get("not testable", 0) - undirected,
            "Undirected": undirected,
            "Asked": len(asked),
            "Answered": sum(all(test["n"] for test in e["tests"]) for e in own if e["tests"]),
            "Flips": (first != other).sum(),
            "Opposed": ((first != other) & first.isin(directed) & other.isin(directed)).sum(),
            "Rescued": ((first == "refuted") & (other == "supported")).sum(),
            "Changed": (first != accepted).sum(),
            "Undone": ((first != accepted) & (accepted == "inconclusive")).sum(),
            "CompleteBlocks": self.accepted.loc[self.accepted["id"].isin(asked), "n"].max(),
        }

    def hand_over(self, *names: str) -> pd.DataFrame:
        """Keep the counts `names` as numbers of the paper. Returns them as a table to be shown."""
        counts = self.counts()
        for name in names:
            self._results.number(name, counts[name], 0, source=COUNTS[name])
        return pd.DataFrame({"count": counts, "of what": COUNTS})


def _found(answers: pd.DataFrame) -> list[str]:
    return [
        interval_text(*values)
        for values in zip(answers["value"], answers["low"], answers["high"], strict=True)
    ]
