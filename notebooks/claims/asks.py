"""The ledger of all statements: counts, error rates, choices of the analysis, arithmetic."""

from collections.abc import Callable, Iterable, Mapping

import altair as alt
import numpy as np
import pandas as pd

from notebooks.per_cpu_sas.records import recomputed
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import cited_as, load_published, studies
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
from remeasure.paper.analysis.entry import Entry
from remeasure.paper.analysis.verdicts.choices import (
    BOUND,
    CORRECTION,
    ELSEWHERE,
    ESTIMATOR,
    FLIPS,
    MEANING,
    TOO_FEW,
)
from remeasure.paper.analysis.verdicts.ledger import (
    counted,
    counts,
    effects,
    explored,
    flips,
    in_generic_code,
    is_decided,
    read_ledger,
)
from remeasure.paper.analysis.verdicts.stability import (
    by_sign_flips,
    near_a_decision,
    stability,
    standing,
)
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.effects_chart import effects_chart
from remeasure.paper.notebook.charts.mechanisms import by_mechanism
from remeasure.paper.notebook.charts.theme import NUMBERS, PAGE, SENTENCES, panel, use_theme
from remeasure.paper.notebook.ledger_table import released_ledger
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.study_table import study_table
from remeasure.paper.notebook.trace.origins_record import with_origins
from remeasure.paper.notebook.verdict_table import verdict_table


def recalculate(claims: list[Claim]) -> pd.DataFrame:
    """One row for each number that follows from printed ones.

    Columns: id, says, formula, printed (NaN if the study prints none), expect, recomputed, verdict.
    """
    rows = [
        {
            "id": claim.id,
            "says": one.says,
            "formula": one.formula,
            "printed": np.nan if one.printed is None else one.printed,
            "expect": one.expect or "",
            "recomputed": one.recomputed,
            "verdict": one.verdict,
        }
        for claim in claims
        for one in claim.arithmetic
    ]
    return pd.DataFrame(rows)


NAMES = {
    CONFIRMED: "Confirmed",
    OPPOSITE: "Opposite",
    NO_DIFFERENCE: "NoDifference",
    NOT_AS_STATED: "NotAsStated",
    HIDDEN: "Hidden",
    UNDECIDED: "Undecided",
}
"""verdict -> the name of its count"""
STUDY_SOURCES = {
    **dict.fromkeys(("repeats", "factors", "platform", "dispersion"), "as the study states it"),
    "statements": "statements of the study, each effect once, counted",
    "testable": "of these, statements with a verdict",
    "why not": "the commonest reason, and how many statements have it",
}
"""column of `Ledger.studies` -> where its numbers come from"""
VERDICT_SOURCES = {
    "holds if": "bounds of the study's file in data/published/",
    "does not matter": "from `matters` of the study's file in data/published/",
    "published": "as the study prints it, or as it follows from what it prints",
}
"""column of `Ledger.verdicts` -> where its numbers come from"""
_COMPOSITE = "of several parts"
"""row of the counts for statements that several estimates decide, which are also in the sums"""
_RELEASED = {"measured": "the released ledger, data/tidy/claims.parquet"}
"""the same where no notebook handed over its estimates"""
_EXAMPLES = {
    "EspAh": ("sokol-esp-vs-ah-15pct", "ESP below AH, both tests (%)", 0, r"\percent"),
    "Busier": ("wagner-cpu-pcpu-vs-single", "per-CPU SAs less a single one (points)", 1, ""),
}
"""name of two numbers, printed and computed again -> claim, words of its arithmetic, decimals as
printed, unit"""
_FIELDS = ["id", "says", "formula", "printed", "expect", "recomputed", "verdict"]
_COMBINED = ["estimator", "bounds", "correction", "verdict", "value", "low", "high"]


class Ledger:
    """The verdicts of all notebooks, or of the released ones."""

    def __init__(self, results: Results, handed: Iterable[str]):
        """`handed`: folders that notebooks handed over; none: the released ledger."""
        use_theme()
        pd.set_option("display.max_colwidth", None, "display.max_rows", None)
        folders = [ROOT / folder for folder in handed]
        read = with_origins(read_ledger(folders), folders) if folders else released_ledger()
        self.results, self.entries = results, read
        """entries of analysis.ledger"""
        self.verdict_sources = VERDICT_SOURCES | ({} if folders else _RELEASED)
        """column of `verdicts` -> where its numbers come from, if not from estimates"""
        self.counted = counted(read)
        """those that count: each effect once"""
        found = {entry["study"] for entry in read}
        self._studies = [study for study in studies() if study in found]
        self.effects = effects(self.counted)
        """ratios that a study prints, or that follow from what it prints, beside ours"""
        self.changed = flips(self.counted)
        """verdicts that another choice changes"""

    def count(self, name: str, number: int, says: str) -> None:
        """Hand over a count of statements."""
        self.results.count(name, number, says)

    def studies(self) -> pd.DataFrame:
        return study_table(self.entries)

    def verdicts(self) -> pd.DataFrame:
        return verdict_table(self.entries)

    def tally(self) -> pd.DataFrame:
        """Statements of each study by verdict, as text, their sums, and how many of them have
        several parts. Counts of all studies are handed over."""
        tally = counts(self.entries)
        of_all, says = tally.loc["all"], "statements of all studies whose verdict is"
        for verdict, name in NAMES.items():
            self.count(name, of_all[verdict], f"{says}: {verdict}")
        confirmed, opposite = (
            [entry for entry in self.counted if entry["verdict"] == verdict]
            for verdict in (CONFIRMED, OPPOSITE)
        )
        says = "confirmed statements whose published number lies inside or near our interval"
        self.count("ConfirmedSize", sum(e["size"] in (INSIDE, NEAR) for e in confirmed), says)
        suites = sum(map(in_generic_code, opposite))
        says = "opposite statements that compare suites, whose ciphers we computed in generic C"
        self.count("OppositeSuites", suites, says)
        self.count("OppositeOther", len(opposite) - suites, "all other opposite statements")
        total = of_all["statements"]
        self.count("Total", total, "statements of all studies, each effect once")
        self.count("Testable", total - of_all["not testable"], "statements with a verdict")
        tested = [entry for entry in self.counted if entry["verdict"] != NOT_TESTABLE]
        before = sum(entry["stood"] == "before" for entry in tested)
        of_tested = f"all {before}" if before == len(tested) else f"{before} of {len(tested)}"
        says = "testable statements that the campaign's register has as they are"
        self.results.words("BeforeOf", of_tested, says)
        says = "statements with a published number outside our interval by more than what matters"
        self.count("Outside", of_all["number outside"], says)
        says = "statements that are not counted: readings of tables, effects asked again, circular "
        self.count("NotCounted", of_all["not counted"], f"{says}statements")
        composite = [entry for entry in self.entries if len(entry["tests"]) > 1]
        cited = tally.rename(index=lambda study: study if study == "all" else cited_as(study))
        if counted(composite):
            cited.loc[_COMPOSITE] = counts(composite).loc["all"]
        return cited.astype(str).reset_index()

    def rates(self) -> pd.DataFrame:
        """Statements by verdict, under two error rates and under later rules. What the false
        discovery rate decides is handed over."""
        ways: Mapping[str, Callable[[Entry], str]] = {
            "family-wise error rate": lambda entry: entry["family_wise"],
            "false discovery rate": lambda entry: entry["false_discovery"],
            "exploratory: rules of campaigns that begin now": lambda entry: (
                entry["exploratory"] or entry
            )["verdict"],
        }
        rows = {}
        for way, verdict_of in ways.items():
            found = [verdict_of(entry) for entry in self.counted]
            rows[way] = {verdict: found.count(verdict) for verdict in VERDICTS}
        way = "false discovery rate"
        for verdict in (CONFIRMED, OPPOSITE, NO_DIFFERENCE, NOT_AS_STATED, UNDECIDED):
            says = f"statements of all studies whose verdict by {way} is: {verdict}"
            name = f"Discovery{NAMES[verdict]}"
            self.count(name, rows[way][verdict], says)
        return pd.DataFrame(rows).T.rename_axis("verdicts by")

    def explored(self) -> pd.DataFrame:
        """Statements of which later rules would say something else, which is exploratory."""
        later = explored(self.counted)
        says = "statements of which later rules would say something else: exploratory"
        self.count("Explored", len(later), says)
        return later.set_index(["study", "claim"])

    def headlines_chart(self, headlines: Mapping[str, str]) -> alt.TopLevelMixin:
        """Effects of some statements; `headlines`: id -> what the chart calls it."""
        chosen = effects([entry for entry in self.entries if entry["id"] in headlines])
        return effects_chart(chosen, headlines, width=PAGE - NUMBERS)

    def forest(self) -> alt.TopLevelMixin:
        """All effects, by what decides them. Their number is handed over."""
        says = "that a study prints or that follow from what it prints"
        self.results.number("Effects", len(self.effects), 0, source=f"ratios {says}")
        for name, size in (("EffectsInside", INSIDE), ("EffectsNear", NEAR)):
            self.count(name, (self.effects["size"] == size).sum(), f"ratios {says}: {SIZES[size]}")
        return by_mechanism(self.effects)

    def arithmetic(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Numbers that follow from printed ones: how many reproduce, by study, and each of them."""
        table = pd.concat(
            [
                recalculate(load_published(study).claims).assign(study=study)
                for study in self._studies
            ],
            ignore_index=True,
        )
        judged = table[table["verdict"] != ""]
        says = "numbers that follow from printed ones"
        against = f"{says}, with something to hold them against"
        self.results.number("Arithmetic", len(judged), 0, source=against)
        failed = (judged["verdict"] == "does not reproduce").sum()
        self.count("Failed", failed, f"{says} and do not reproduce")
        for name, (claim, words, digits, unit) in _EXAMPLES.items():
            row = table[(table["id"] == claim) & (table["says"] == words)]
            for which, column, places in (
                ("Printed", "printed", digits),
                ("Again", "recomputed", 1),
            ):
                value = row[column].iloc[0] if len(row) else float("nan")
                source = f"published: {claim}, {words}, {column}"
                self.results.number(f"{name}{which}", value, places, unit, source)
        by_study = judged.pivot_table(
            index="study", columns="verdict", values="id", aggfunc="count", fill_value=0, sort=False
        )
        return by_study, table.set_index("study")[_FIELDS].round(3)

    def stability(self) -> pd.DataFrame:
        """Verdicts that hold under other choices of the analysis, counted."""
        kinds = {
            "StandEstimators": ((ESTIMATOR,), "every other estimator"),
            "StandBounds": ((BOUND,), "bounds half and twice as wide"),
            "StandBoth": ((ESTIMATOR, BOUND), "every other estimator and other bounds"),
        }
        for name, (of, says) in kinds.items():
            stand, decided = standing(self.entries, *of)
            under = "with" if name == "StandBounds" else "under"
            words = f"decided verdicts that stand {under} {says}"
            self.count(name, stand, words)
        flipped = [(e["verdict"], by_sign_flips(e)) for e in self.counted if is_decided(e)]
        enough = [own == then for own, then in flipped if then != TOO_FEW]
        self.count("TooFew", decided - len(enough), f"decided verdicts with {TOO_FEW} for {FLIPS}")
        self.count("Flipped", len(enough), f"decided verdicts with enough blocks for {FLIPS}")
        self.count("StandFlips", sum(enough), f"of these, verdicts that stand under {FLIPS}")
        says = "statements of all studies with a verdict that rests on an interval"
        self.count("Decided", decided, says)
        says = "undecided statements that bounds half or twice as wide would decide"
        self.count("Near", near_a_decision(self.entries), says)
        table = stability(self.entries)
        return table[table["kind"].isin([ESTIMATOR, BOUND, CORRECTION])]

    def changed_by(self, *kinds: str) -> pd.DataFrame:
        """Verdicts that another choice of these kinds changes."""
        chosen = self.changed[self.changed["kind"].isin(kinds)]
        return (chosen if len(kinds) > 1 else chosen.drop(columns="kind")).set_index("study")

    def elsewhere(self) -> pd.DataFrame:
        """Verdicts that are others on another link or under another load."""
        table = self.changed_by(ELSEWHERE)
        says = "statements whose verdict on the other link, or under the other load, is another"
        self.count("Elsewhere", len(table), says)
        return table

    def combined(self) -> pd.DataFrame:
        """Ten statements under every combination of choices, one row for each."""
        rows = [
            {"study": entry["study"], "statement": entry["says"], "id": entry["id"], **one}
            for entry in self.entries
            for one in entry["specifications"]
        ]
        return pd.DataFrame(rows, columns=["study", "statement", "id", *_COMBINED])

    def combined_chart(self) -> alt.TopLevelMixin:
        return figures.specifications(self.combined(), width=panel(PAGE, beside=SENTENCES))

    def records(self) -> pd.DataFrame:
        """Quantities that we computed from the records of Wagner 2025."""
        again = recomputed().dropna(subset=["published", "recomputed"])
        return again[["published", "recomputed", "unit", "note"]]


CHOICES, MEANINGS = (ESTIMATOR, BOUND), (MEANING,)
"""kinds of choices, for Ledger.changed_by"""
