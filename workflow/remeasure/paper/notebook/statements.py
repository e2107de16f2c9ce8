"""The statements of a scenario's studies, tested on its trials, and their tables in notebooks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
from IPython.display import Markdown, display

from remeasure.bench.campaign.register import Standing
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import COST, COST_OF_BYTE, PRESENT, RULES, Rules
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.entry import Entry, Ledger
from remeasure.paper.analysis.summaries import Tables, of_kind
from remeasure.paper.analysis.verdicts.choices import BY_PACKET, QUANTITY, Analyst, other_world
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED, judge
from remeasure.paper.analysis.verdicts.ledger import counted, entries
from remeasure.paper.analysis.verdicts.readable import BenchFacts
from remeasure.paper.analysis.verdicts.sensitivity import (
    at_level,
    in_worlds,
    of_estimators,
    other_summaries,
)
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.shared_tables import claims_table, verdict_text
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
OF_VERDICTS: dict[str, str] = _WORDS["of_verdicts"]
"""verdict -> name of the number of statements with it"""
COUNTS: dict[str, str] = _WORDS["counts"]
"""name of a number of the scenario's own study -> its meaning, among statements that count"""


def metrics_asked(studies: Sequence[Published]) -> set[str]:
    """Metrics that some statement needs. Others need not be summarised in every way."""
    claims = [claim for study in studies for claim in study.claims]
    tests = [test for claim in claims for test in (*claim.tests, *claim.primary)]
    return {COST, COST_OF_BYTE, *(test.metric for test in tests)}


class Statements:
    """Answers and verdicts of the statements of `studies`, the scenario's own study first.
    `summaries` are of the trials in `tables`; `blocks` is the number of blocks measured. `instead`
    (factor -> level) also tests every statement at another level. The campaign has `rules`, and its
    record tells how each claim `stood` before the data (campaign.folder.stood_before). `bench`
    describes the trials. The results are handed over to the ledger."""

    def __init__(
        self,
        studies: Sequence[Published],
        summaries: pd.DataFrame,
        tables: Tables,
        blocks: int,
        results: Results,
        instead: dict[str, str],
        rules: Rules,
        stood: Mapping[str, Standing],
        bench: BenchFacts,
    ):
        observations, summaries = (
            table[table["metric"].isin(metrics_asked(studies)) | of_kind(table["metric"], "sent")]
            for table in (tables["observations"], summaries)
        )
        usual = of_estimators(observations, tables.factors, summaries)
        others = other_summaries(tables["trials"], observations, tables.factors, summaries)
        self.studies, worlds = [*studies], bench.worlds
        if worlds:
            self.studies = [at_level(one, worlds.factor, worlds.without) for one in studies]
        self._results = results
        self.judged = [judge(one, usual, rules, bench, stood) for one in self.studies]
        self.entries: Ledger = []
        """entries for the ledger (see analysis.verdicts.ledger)"""
        for given, study, judged in zip(studies, self.studies, self.judged, strict=True):
            analyst = Analyst(study, usual, others, judged, bench)
            choices, specified = analyst.choices(instead), analyst.specifications()
            if worlds:
                other = at_level(given, worlds.factor, worlds.with_all)
                there = judge(other, usual, rules, bench, stood)
                asked = [claim.id for claim in given.claims if in_worlds(claim, worlds.factor)]
                choices.append(other_world(there, asked))
            # By the rules of campaigns that begin now, unless the campaign has them.
            present = rules.version == PRESENT
            now = None if present else judge(study, usual, RULES[PRESENT], bench)
            self.entries += entries(study, judged, now, choices, specified, blocks, stood)
        self.answers = pd.concat([one.answers for one in self.judged], ignore_index=True)
        results.claims(self.entries)

    def table(self) -> pd.DataFrame:
        """One row for each statement that our trials test."""
        tested = [one for one in self.entries if one["tests"] and not _untestable(one)]
        return claims_table(self.answers, tested)

    def counts(self) -> dict[str, int]:
        """Name in COUNTS -> its count, for the scenario's own study."""
        own = counted([entry for entry in self.entries if entry["study"] == self.studies[0].name])
        of_verdict = Counter(entry["verdict"] for entry in own)
        undirected = sum(entry["reason"] == UNDIRECTED for entry in own)
        return {
            "Claims": len(own),
            **{name: of_verdict[verdict] for verdict, name in OF_VERDICTS.items()},
            "OutsideSize": sum(entry["size"] == decisions.OUTSIDE for entry in own),
            "Untestable": of_verdict[decisions.NOT_TESTABLE] - undirected,
        }

    def quote(self, name: str, claim: str) -> str:
        """Keep the verdict on one statement as a text, and return it."""
        (entry,) = [entry for entry in self.entries if entry["id"] == claim]
        return self._results.words(name, verdict_text(entry), f"the ledger: {claim}")

    def show(self, kept: Iterable[str] = ()) -> None:
        """Show what was found for each statement that our trials test, and keep some COUNTS."""
        counts = self.counts()
        for name in kept:
            self._results.count(name, counts[name], COUNTS[name])
        display(self._results.table("claims", self.table()))
        untestable = sum(map(_untestable, self.entries))
        display(self._by_packet())
        display(
            Markdown(_WORDS["elsewhere"].format(untestable=untestable, entries=len(self.entries)))
        )

    def _by_packet(self) -> Markdown:
        """Which verdicts hang on asking TCP for the cost of a byte; empty if it is not asked."""
        asked = [entry for entry in self.entries if QUANTITY in entry["choices"]]
        turned = [
            f"`{entry['id']}` ({entry['verdict']}; by packet: {then})"
            for entry in asked
            if (then := entry["choices"][QUANTITY][BY_PACKET]) != entry["verdict"]
        ]
        said = f"other verdicts on {len(turned)} statements: {'; '.join(turned) or 'none'}."
        by = "TCP is asked for the processor time of a byte. The time of a packet would give "
        return Markdown(by + said if asked else "")


def _untestable(entry: Entry) -> bool:
    return entry["verdict"] == decisions.NOT_TESTABLE and entry["reason"] != UNDIRECTED
