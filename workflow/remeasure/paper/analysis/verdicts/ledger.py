"""The ledger: the verdict on every statement of the studies, and the number of verdicts that
survive other choices of the analysis (choices.py)."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.register import Standing
from remeasure.bench.claims.published import OURS, Published, load_published, with_ours
from remeasure.bench.claims.rules import Rules
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    DECIDED,
    NO_SIZE,
    NOT_TESTABLE,
    OPPOSITE,
    OUTSIDE,
    VERDICTS,
)
from remeasure.paper.analysis.entry import Entry, Explored, Ledger, Part, Specification, Verdict
from remeasure.paper.analysis.verdicts.choices import (
    BOUND,
    ESTIMATOR,
    FLIPS,
    KINDS,
    TOO_FEW,
    WORLD,
    Choice,
)
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED, Judged


def method(rules: Rules) -> str:
    """How verdicts under `rules` are found, in words."""
    correction = "false discovery rate of 5 % (Benjamini and Hochberg)"
    if rules.error_rate == "family_wise":
        correction = f"family-wise correction ({rules.family_wise.title()})"
    return (
        f"Student's 95 % interval over blocks, cells compared within them; one-sided tests at "
        f"2.5 %; {correction} over the study's counted statements that were measured (rules "
        f"{rules.version})"
    )


def entries(
    study: Published,
    judged: Judged,
    exploratory: Judged | None,
    choices: Iterable[Choice],
    specifications: Mapping[str, list[Specification]],
    blocks: int,
    stood: Mapping[str, Standing],
) -> Ledger:
    """One entry per claim. `judged` is by the campaign's own rules, `exploratory` by the present
    ones; `blocks` is the number of blocks measured; `stood` has the word for each registered
    claim."""
    others = list(choices)
    return [
        {
            "study": study.name,
            "scenario": claim.scenario or study.scenario,
            "id": claim.id,
            "says": claim.says,
            "published": claim.published,
            "note": claim.note,
            "uncounted": "our own prediction" if study.name == OURS else claim.uncounted,
            "stood": stood.get(claim.id, "no record"),
            **_verdict(claim.id, judged),
            "rules": judged.rules.version,
            "method": method(judged.rules),
            "blocks": blocks,
            "tests": _tests(judged.answers, claim.id),
            "exploratory": _explored(claim.id, exploratory) if exploratory else None,
            "choices": _choices(claim.id, judged, others),
            "specifications": specifications.get(claim.id, []),
        }
        for claim in study.claims
    ]


def _verdict(claim: str, judged: Judged) -> Verdict:
    reason = judged.reasons.get(claim, "")
    columns = [column for column in Verdict.__annotations__ if column != "reason"]
    found = judged.verdicts[columns].T.to_dict().get(claim, dict.fromkeys(columns, ""))
    if reason:
        size = found["size"] if reason == UNDIRECTED else NO_SIZE
        found |= dict.fromkeys(columns[: columns.index("size")], NOT_TESTABLE)
        found |= {"size": size, "decided_by": "", "parts": ""}
    return cast(Verdict, {**found, "reason": reason})


def _explored(claim: str, judged: Judged) -> Explored:
    return {**_verdict(claim, judged), "tests": _tests(judged.answers, claim)}


def _choices(claim: str, judged: Judged, others: list[Choice]) -> dict[str, dict[str, str]]:
    """Kind of choice -> name -> the verdict under it. A claim without a verdict may have one in the
    other world."""
    found: dict[str, dict[str, str]] = {}
    for choice in others:
        if claim in choice.verdicts and (choice.kind == WORLD or claim not in judged.reasons):
            found.setdefault(choice.kind, {})[choice.name] = choice.verdicts[claim]
    return found


def _tests(answers: pd.DataFrame, claim: str) -> list[Part]:
    """The tests of a claim, as they are handed over; a number that is not finite is None."""
    columns = list(Part.__annotations__)
    tests: list[Any] = [
        {
            key: None if isinstance(value, float) and not np.isfinite(value) else value
            for key, value in row.items()
        }
        for row in answers.loc[answers["id"] == claim, columns].to_dict("records")
    ]
    return tests


def with_tests(entry: Entry, change: Callable[[Part], Part]) -> Entry:
    """The entry with each test changed, tests of its exploratory verdict among them."""
    changed: Entry = {**entry, "tests": list(map(change, entry["tests"]))}
    if explored := entry["exploratory"]:
        changed["exploratory"] = {**explored, "tests": list(map(change, explored["tests"]))}
    return changed


def read_ledger(folders: Iterable[Path]) -> Ledger:
    """All entries that notebooks handed over, in the order of `published.with_ours`. If campaigns
    of two scenarios answer a claim, the better scenario's entry counts (`Published.places`). Raises
    UserError if there are none, or if one scenario's answer occurs twice."""
    found: dict[str, Entry] = {}
    for file in sorted(Path(folder) / "claims.json" for folder in folders):
        for entry in json.loads(file.read_text()) if file.exists() else []:
            other = found.get(entry["id"], entry)
            if other is not entry and other["scenario"] == entry["scenario"]:
                raise UserError(f"{file}: claim {entry['id']} is in another notebook too")
            places = load_published(entry["study"]).places(entry["id"])
            found[entry["id"]] = min(other, entry, key=lambda one: places.index(one["scenario"]))
    if not found:
        raise UserError(f"{', '.join(map(str, folders))}: no claims here; build the notebooks")
    order = with_ours()
    return sorted(found.values(), key=lambda entry: order.index(entry["study"]))


def of_studies(ledger: Ledger) -> Ledger:
    """The entries of statements of studies, without our own predictions."""
    return [entry for entry in ledger if entry["study"] != OURS]


def counted(ledger: Ledger) -> Ledger:
    """The entries that are statements of their study, each effect once."""
    return [entry for entry in ledger if not entry["uncounted"]]


def counts(ledger: Ledger) -> pd.DataFrame:
    """Number of counted claims: one row per study, one column per verdict, and their total; columns
    `number outside` (testable claims with a published number outside our interval) and `not
    counted` (claims that are no finding of the study); and the sums."""
    own = pd.DataFrame(counted(ledger))
    order = list(dict.fromkeys(entry["study"] for entry in ledger))
    table = pd.crosstab(own["study"], own["verdict"]).reindex(index=order, columns=list(VERDICTS))
    table = table.fillna(0).astype(int)
    table["statements"] = table.sum(axis=1)
    outside = [entry for entry in counted(ledger) if entry["size"] == OUTSIDE]
    rest = [entry for entry in ledger if entry["uncounted"]]
    for column, some in (("number outside", outside), ("not counted", rest)):
        studies_of = [entry["study"] for entry in some]
        table[column] = [studies_of.count(study) for study in table.index]
    table.loc["all"] = table.sum()
    table.index.name, table.columns.name = "study", None
    return table


_EFFECT = ["study", "row", "says", "brief", "verdict", "ratio", "ratio_low", "ratio_high"]
_EFFECT += ["published", "size", "origin"]


def effects(ledger: Ledger) -> pd.DataFrame:
    """One row per ratio of a study for which this project has an interval; none from a campaign of
    single blocks. Columns: study; row (the statement's name without the study's, numbered if it has
    several); says; brief; verdict (of the statement); ratio, ratio_low, ratio_high (ours);
    published; size (where `published` lies: decisions.SIZES); origin (of our ratio:
    notebook.trace.origins_record)."""
    rows = []
    for entry in ledger:
        tests = [test for test in entry["tests"] if test["as_ratio"] and test["study"] is not None]
        tests = [test for test in tests if test["size"] != NO_SIZE]
        for place, test in enumerate(tests, 1):
            name = entry["id"].removeprefix(f"{entry['study']}-")
            row = f"{name} ({place})" if len(tests) > 1 else name
            said = entry["study"], row, entry["says"], test["brief"], entry["verdict"]
            ours = test["value"], test["low"], test["high"]
            rows.append((*said, *ours, test["study"], test["size"], test.get("origin")))
    return pd.DataFrame(rows, columns=_EFFECT)


def in_generic_code(entry: Entry) -> bool:
    """True if the statement compares suites, and our trials computed them in generic C code."""
    return all(test.get("generic_code", False) for test in entry["tests"])


def flips(ledger: Ledger) -> pd.DataFrame:
    """One row per verdict and choice of the analysis that changes it. Columns: study, claim,
    verdict, kind, choice, verdict then."""
    return pd.DataFrame(
        [
            (entry["study"], entry["id"], entry["verdict"], kind, choice, then)
            for entry in ledger
            if entry["verdict"] != NOT_TESTABLE
            for kind, of_kind in entry["choices"].items()
            for choice, then in of_kind.items()
            if then not in (entry["verdict"], TOO_FEW)
        ],
        columns=["study", "claim", "verdict", "kind", "choice", "verdict then"],
    )


def is_decided(entry: Entry) -> bool:
    """True if the verdict rests on an interval."""
    return entry["verdict"] in DECIDED


def stability(ledger: Ledger) -> pd.DataFrame:
    """One row per choice. Columns: kind, choice; of the decided verdicts the number that stay,
    become undecided, have too few blocks for this choice, or change to another decided verdict; how
    many of these are reversed (confirmed becomes the opposite, or back); and the number of
    undecided verdicts that are decided then."""
    own, rows = counted(ledger), []
    named = [(kind, name) for kind in KINDS for one in own for name in one["choices"].get(kind, {})]
    for kind, name in dict.fromkeys(named):
        pairs = [(e["verdict"], e["choices"].get(kind, {}).get(name, e["verdict"])) for e in own]
        decided = [(was, then) for was, then in pairs if was in DECIDED]
        stand = sum(was == then for was, then in decided)
        few = sum(then == TOO_FEW for _, then in decided)
        other = sum(then in DECIDED for _, then in decided) - stand
        turned = sum({was, then} == {CONFIRMED, OPPOSITE} for was, then in decided)
        open_before = [then for was, then in pairs if was not in (*DECIDED, NOT_TESTABLE)]
        gained = sum(then in DECIDED for then in open_before)
        lost = len(decided) - stand - few - other
        rows.append((kind, name, stand, lost, few, other, turned, gained))
    columns = ["stand", "undecided then", "too few blocks", "other", "reversed", "decided then"]
    return pd.DataFrame(rows, columns=["kind", "choice", *columns])


def standing(ledger: Ledger, *kinds: str) -> tuple[int, int]:
    """Number of decided counted verdicts that survive every choice of these kinds for which they
    have enough blocks; and the number of all of them."""
    decided = [entry for entry in counted(ledger) if is_decided(entry)]
    stand = [e for e in decided if set(_under(e, kinds)) <= {e["verdict"], TOO_FEW}]
    return len(stand), len(decided)


def by_sign_flips(entry: Entry) -> str:
    """The verdict without the normal assumption, or TOO_FEW; empty for a claim without verdict."""
    return entry["choices"].get(ESTIMATOR, {}).get(FLIPS, "")


def in_both_worlds(entry: Entry) -> str:
    """In which worlds the statement holds, of gateways that compute without AES instructions, as in
    the entry's verdict, and with them; empty if it was asked in one world only."""
    here, there = entry["verdict"], "".join(entry["choices"].get(WORLD, {}).values())
    if not there:
        return ""
    match here == CONFIRMED, there == CONFIRMED:
        case True, True:
            return "holds with and without AES instructions"
        case True, False:
            return f"holds only without AES instructions; with them: {there}"
        case False, True:
            return f"holds only with AES instructions; without them: {here}"
    if here == there:
        return f"with and without AES instructions: {here}"
    return f"without AES instructions: {here}; with them: {there}"


def near_a_decision(ledger: Ledger) -> int:
    """How many undecided counted statements bounds half or twice as wide would decide."""
    return sum(
        not is_decided(entry) and any(then in DECIDED for then in _under(entry, (BOUND,)))
        for entry in counted(ledger)
    )


def _under(entry: Entry, kinds: tuple[str, ...]) -> list[str]:
    """The verdicts on an entry under all choices of these kinds."""
    return [then for kind in kinds for then in entry["choices"].get(kind, {}).values()]
