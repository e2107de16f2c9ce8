"""The ledger of all statements: counts, error rates, choices of the analysis, arithmetic."""

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd
from IPython.display import Markdown

from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import OURS, cited_as, load_published, studies
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.entry import Entry
from remeasure.paper.analysis.verdicts import bayes_factors, choices, ledger
from remeasure.paper.notebook.charts.mechanisms import NO_STUDY
from remeasure.paper.notebook.charts.theme import use_theme
from remeasure.paper.notebook.ledger_tables import released_ledger
from remeasure.paper.notebook.preview import mark_of_results
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.shared_tables import verdict_text
from remeasure.paper.notebook.statements import OF_VERDICTS
from remeasure.paper.notebook.trace.origins_record import read_origins, with_origins
from remeasure.paper.words import words_of

StatementCounts = dict[str, tuple[int, str]]
"""name -> a count of statements, and their description"""

_WORDS = words_of(__file__)
_LISTED = {decisions.CONFIRMED: "ConfirmedOnes", decisions.OPPOSITE: "OppositeOnes"}
"""verdict -> name of the list of its statements"""
_COMPUTED = ["study", "id", "says", "printed", "expect", "recomputed", "verdict"]
STUDY_SOURCES: dict[str, str] = _WORDS["study_sources"]
VERDICT_SOURCES: dict[str, str] = _WORDS["verdict_sources"]
_RELEASED = {"measured": "the released ledger, data/tidy/claims.parquet"}
"""the source if no notebook handed over its estimates"""
WAYS: dict[str, Callable[[Entry], str]] = {
    "family-wise error rate": lambda entry: entry["family_wise"],
    "false discovery rate": lambda entry: entry["false_discovery"],
    "exploratory: rules of campaigns that begin now": lambda entry: (entry["exploratory"] or entry)[
        "verdict"
    ],
}
CHOICES, LOADS = (choices.ESTIMATOR, choices.BOUND, choices.MEANING), (choices.ELSEWHERE,)
"""kinds of choices, for Ledger.changed_by"""
NOT_REPRODUCED = "does not reproduce"
_ARITHMETIC = "numbers that follow from printed ones"
_RATIOS = "ratios that a study prints or that follow from what it prints"


def _default_window(folder: Path) -> pd.DataFrame | None:
    """The row of `effects` for packets that pass strongSwan's default window behind jitter, if the
    results in `folder` have them."""
    if folder.name != "replay_window":
        return None
    made = json.loads((folder / "lineage.json").read_text())["numbers"]
    places = made["replaywindowPassedJitter"]["of"]
    if not places:
        return None
    found = read_origins(folder)[places[0]]
    ends = {"ratio": found.value, "ratio_low": found.low, "ratio_high": found.high}
    ours = {name: percent / 100 for name, percent in ends.items()}
    row = {"study": OURS, "row": "default-window", "brief": "", "verdict": NO_STUDY} | ours
    return pd.DataFrame([row | {"published": math.nan, "size": "", "origin": found}])


class AllVerdicts:
    """The verdicts of all notebooks, or of the released ones."""

    def __init__(self, results: Results, handed: Iterable[str]):
        """`handed`: folders that notebooks handed over; none: the released ledger."""
        use_theme()
        pd.set_option("display.max_colwidth", None, "display.max_rows", None)
        folders = [ROOT / folder for folder in handed]
        every = with_origins(ledger.read_ledger(folders), folders) if folders else released_ledger()
        read = ledger.of_studies(every)
        self._predictions = [entry for entry in every if entry["study"] == OURS]
        results.mark(mark_of_results(folders))
        self.results, self.entries = results, read
        """entries of analysis.verdicts.ledger"""
        self.verdict_sources = VERDICT_SOURCES | ({} if folders else _RELEASED)
        """column of the table of verdicts -> where its numbers come from, if not from estimates"""
        self.counted = ledger.counted(read)
        """statements that count: each effect once"""
        self.counts = ledger.counts(read)
        """statements of each study by verdict, and of all"""
        self.effects = pd.concat([ledger.effects(self.counted), *map(_default_window, folders)])
        """ratios that a study prints, or that follow from its numbers, with ours; one only ours"""
        found = {entry["study"] for entry in read}
        computed = [
            one.model_dump()
            | {"study": study, "id": claim.id, "expect": one.expect or ""}
            | {"recomputed": one.recomputed, "verdict": one.verdict}
            for study in studies()
            if study in found
            for claim in load_published(study).claims
            for one in claim.arithmetic
        ]
        self.arithmetic = pd.DataFrame(computed, columns=_COMPUTED)
        """numbers that follow from printed ones, computed again"""

    def tally(self) -> pd.DataFrame:
        """Statements of each study by verdict, as text, and their sums."""
        cited = self.counts.rename(index=lambda study: study if study == "all" else cited_as(study))
        shown = cited.drop(columns=["number outside", "not counted"])
        return shown.astype(str).reset_index()

    def evidence(self) -> pd.Series:
        """Ratios and differences in undecided statements, by kind of evidence."""
        asked = [e["tests"] for e in self.counted if e["verdict"] == decisions.UNDECIDED]
        factors = [bayes_factors.bayes_factor_of(test) for tests in asked for test in tests]
        kinds = pd.Series(map(bayes_factors.evidence_kind, factors), name="undecided parts")
        kinds = kinds.replace("", "not one ratio or difference per block")
        return kinds.value_counts().rename_axis("evidence")

    def rates(self) -> pd.DataFrame:
        """Statements by verdict, under two error rates and under later rules."""
        found = {way: [verdict(entry) for entry in self.counted] for way, verdict in WAYS.items()}
        rows = [[of.count(one) for one in decisions.VERDICTS] for of in found.values()]
        table = pd.DataFrame(rows, index=list(found), columns=list(decisions.VERDICTS))
        return table.rename_axis("verdicts by")

    def reproduced(self) -> pd.DataFrame:
        """How many numbers that follow from printed ones reproduce, by study."""
        return self.arithmetic[self.arithmetic["verdict"] != ""].pivot_table(
            index="study", columns="verdict", values="id", aggfunc="count", fill_value=0, sort=False
        )

    def contradicted(self) -> pd.DataFrame:
        failed = self.arithmetic[self.arithmetic["verdict"] == NOT_REPRODUCED]
        return failed[["study", "says", "printed", "expect", "recomputed"]].round(3)

    def stability(self) -> pd.DataFrame:
        """Verdicts that hold under other choices of the analysis, counted."""
        table = ledger.stability(self.entries)
        return table[table["kind"].isin([choices.ESTIMATOR, choices.BOUND, choices.CORRECTION])]

    def changed_by(self, *kinds: str) -> pd.DataFrame:
        """Verdicts that another choice of these kinds changes."""
        changed = ledger.flips(self.counted)
        chosen = changed[changed["kind"].isin(kinds)]
        return (chosen if len(kinds) > 1 else chosen.drop(columns="kind")).set_index("study")

    def worlds(self) -> pd.DataFrame | Markdown:
        """Statements that were asked without and with the processor's instructions."""
        rows = [(one["study"], one["says"], ledger.in_both_worlds(one)) for one in self.counted]
        table = pd.DataFrame(rows, columns=["study", "statement", "in both worlds"])
        table = table[table["in both worlds"] != ""].set_index("study")
        return table if len(table) else Markdown(_WORDS["one_world"])

    def predicted(self) -> pd.DataFrame | Markdown:
        """Our own predictions and their verdicts, as far as a campaign registered them."""
        rows = [(entry["says"], verdict_text(entry)) for entry in self._predictions]
        if not rows:
            return Markdown(_WORDS["no_data"])
        return pd.DataFrame(rows, columns=["prediction", "verdict"])

    def combined(self) -> pd.DataFrame:
        """Ten statements under every combination of choices, one row for each."""
        rows = [
            {"study": entry["study"], "statement": entry["says"], "id": entry["id"], **one}
            for entry in self.entries
            for one in entry["specifications"]
        ]
        columns = ["estimator", "bounds", "correction", "verdict", "value", "low", "high"]
        return pd.DataFrame(rows, columns=["study", "statement", "id", *columns])

    def hand_over(self) -> None:
        tested = [entry for entry in self.counted if entry["verdict"] != decisions.NOT_TESTABLE]
        before = sum(entry["stood"] == "before" for entry in tested)
        of_tested = f"all {before}" if before == len(tested) else f"{before} of {len(tested)}"
        says = "testable statements that the campaign's register has as they are"
        self.results.words("BeforeOf", of_tested, says)
        published = self.effects["published"].count()
        self.results.number("Effects", published, 0, source=_RATIOS)
        judged = (self.arithmetic["verdict"] != "").sum()
        says = f"{_ARITHMETIC}, with something to hold them against"
        self.results.number("Arithmetic", judged, 0, source=says)
        numbers = {**self._by_verdict(), **self._under_choices(), **self._others()}
        for name, (number, says) in numbers.items():
            self.results.count(name, int(number), says)
        for verdict, name in _LISTED.items():
            rows = (one for one in self.counted if one["verdict"] == verdict)
            said = [f"{one['says'].strip('.')} ({one['study'].title()})" for one in rows]
            self.results.words(name, "; ".join(said) or "none", f"statements that are {verdict}")
        for name, (claim, words, digits, unit) in _WORDS["examples"].items():
            row = self.arithmetic.query("id == @claim and says == @words")
            for which, column, places in (
                ("Printed", "printed", digits),
                ("Again", "recomputed", 1),
            ):
                source = f"published: {claim}, {words}, {column}"
                self.results.number(f"{name}{which}", row[column].max(), places, unit, source)

    def _by_verdict(self) -> StatementCounts:
        of_all, says = self.counts.loc["all"], "statements of all studies whose verdict"
        discovered = self.rates().loc["false discovery rate"]
        return {
            **{name: (of_all[one], f"{says} is: {one}") for one, name in OF_VERDICTS.items()},
            **{
                f"Discovery{name}": (discovered[one], f"{says} by false discovery rate is: {one}")
                for one, name in OF_VERDICTS.items()
                if one != decisions.HIDDEN
            },
            "Total": (of_all["statements"], "statements of all studies, each effect once"),
            "Testable": (of_all["statements"] - of_all["not testable"], "with a verdict"),
            "Outside": (of_all["number outside"], "published numbers outside our interval"),
            "NotCounted": (of_all["not counted"], "statements that are not counted"),
        }  # fmt: skip

    def _under_choices(self) -> StatementCounts:
        few, flips = choices.TOO_FEW, choices.FLIPS
        both = ledger.standing(self.entries, *CHOICES[:2])[0]
        decided = [entry for entry in self.counted if ledger.is_decided(entry)]
        too_few = sum(ledger.by_sign_flips(entry) == few for entry in decided)
        return {
            "StandBoth": (both, "decided verdicts that stand under other estimators and bounds"),
            "Decided": (len(decided), "statements whose verdict rests on an interval"),
            "TooFew": (too_few, f"decided verdicts with {few} for {flips}"),
            "Near": (ledger.near_a_decision(self.entries), "undecided but for other bounds"),
        }  # fmt: skip

    def _others(self) -> StatementCounts:
        confirmed, opposite = (
            [entry for entry in self.counted if entry["verdict"] == verdict]
            for verdict in (decisions.CONFIRMED, decisions.OPPOSITE)
        )
        suites = sum(map(ledger.in_generic_code, opposite))
        sizes, failed = self.effects["size"], self.arithmetic["verdict"] == NOT_REPRODUCED
        return {
            "ConfirmedSize": (
                sum(entry["size"] in (decisions.INSIDE, decisions.NEAR) for entry in confirmed),
                "confirmed, with the published number inside or near our interval",
            ),
            "OppositeSuites": (suites, "opposite statements on suites computed in generic C"),
            **{
                f"Effects{size.title()}": ((sizes == size).sum(), f"{_RATIOS}: {says}")
                for size, says in decisions.SIZES.items()
                if size in (decisions.INSIDE, decisions.NEAR)
            },
            "Failed": (failed.sum(), f"{_ARITHMETIC} and do not reproduce"),
        }  # fmt: skip
