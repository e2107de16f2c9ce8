"""All results of notebooks, walked: each leads to its own estimates and no other, or has a source
in words."""

import json
import re
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import NamedTuple

import pytest

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import (
    ends_text,
    estimate_text,
    loss_in_words,
    value_text,
)
from remeasure.paper.publish.trace.find import Walks

INTERVAL = re.compile(r"(-?[\d.]+|n/a) \[(-?[\d.]+|no end), (-?[\d.]+|no end)\]")
LABELS = ("suite", "method", "rate", "window", "processors", "cpus")
"""columns of tables that have levels of factors"""


class Handed(NamedTuple):
    """Results of one notebook."""

    folder: Path
    numbers: dict
    lineage: dict
    claims: list[dict]

    def origins(self, places: list[int]) -> list[dict]:
        return [self.lineage["origins"][place] for place in places]


def read(folder: Path) -> Handed:
    claims = folder / "claims.json"
    return Handed(
        folder,
        json.loads((folder / "numbers.json").read_text()),
        json.loads((folder / "lineage.json").read_text()),
        json.loads(claims.read_text()) if claims.exists() else [],
    )


def handed_over(root: Path) -> list[Handed]:
    """The results of a build."""
    found = [read(file.parent) for file in sorted(root.glob("results/handed/*/lineage.json"))]
    assert len(found) > 8
    return found


def is_printed(origin: dict, text: str) -> bool:
    """True if the text prints the estimate, or its value with as many decimals as it has."""
    estimate = Estimate(*(origin[name] for name in ("value", "low", "high", "n")))
    ways = (estimate_text, ends_text, loss_in_words, value_text)
    if any(way(estimate) in text for way in ways) or f" {origin['value']:.3g} s" in text:
        return True
    if (most := re.search(r"at most ([\d.]+)", text)) and origin["value"] <= float(most[1]):
        return True  # shorter than a flow of packets can tell
    if origin["value"] == 0 and text in ("none", "nothing", "at neither gateway"):
        return True
    decimals = len(text.partition(".")[2])
    return text == f"{origin['value']:.{decimals}f}"


def wrong_numbers(handed: Handed) -> Iterator[str]:
    for name, number in handed.numbers.items():
        origins = handed.origins(handed.lineage["numbers"][name]["of"])
        if not origins and not number["source"].strip():
            yield f"{name} = {number['text']}: no estimate, and no word of what it is"
        if len(origins) > 1 + len(re.findall(" and |neither", number["text"])):
            yield f"{name} = {number['text']}: {len(origins)} estimates"
        for origin in origins:
            if not is_printed(origin, number["text"]):
                yield f"{name} = {number['text']}: is not {origin['says']}"
        if not number.get("words") and number["source"].startswith("statements"):
            yield f"{name}: a count of statements that a sentence cannot use for none and one"


def wrong_cells(handed: Handed) -> Iterator[str]:
    for name, table in handed.lineage["tables"].items():
        of = {(cell["row"], cell["column"]): cell["of"] for cell in table["cells"]}
        for i, row in enumerate(table["rows"], 1):
            for j, text in enumerate(row, 1):
                origins = handed.origins(of.get((i, j), []))
                where = f"{name}:{i}:{j} = {text}"
                said = (i, j) in of or table["columns"][j - 1] in (*table["sources"], *LABELS)
                if re.fullmatch(r"-?[\d.]+\*?", text) and not said:
                    yield f"{where}: a number that does not say where it comes from"
                if not len(INTERVAL.findall(text)) <= len(origins) <= text.count(";") + 1:
                    yield f"{where}: {len(origins)} estimates"
                for origin in origins:
                    if not is_printed(origin, text):
                        yield f"{where}: does not print {origin['says']}"


def wrong_marks(handed: Handed) -> Iterator[str]:
    for name, figure in handed.lineage["figures"].items():
        for mark in figure["marks"]:
            origins = handed.origins(mark["of"])
            if len(origins) != 1:
                yield f"{name}: {mark['mark']}: {len(origins)} estimates"
                continue
            # If an axis begins above a value, the mark is drawn at its beginning.
            # A share may be drawn in percent, or as a ratio.
            ends = [
                origins[0][end] * by for end in ("value", "low", "high") for by in (0.01, 1, 100)
            ]
            drawn = [v for v in mark["mark"].values() if isinstance(v, float)]
            if not any(isclose(v, end, rel_tol=1e-6) for v in drawn for end in ends):
                yield f"{name}: {mark['mark']}: is not {origins[0]['says']}"


def wrong_claims(handed: Handed) -> Iterator[str]:
    for claim in handed.claims:
        for test in claim["tests"]:
            measured = test["value"] is not None
            if (test.get("origin") is not None) != measured:
                yield f"{claim['id']}: {test['quantity']}: no origin"
            elif measured:
                (origin,) = handed.origins([test["origin"]])
                if (origin["says"], origin["value"]) != (test["quantity"], test["value"]):
                    yield f"{claim['id']}: {test['quantity']}: is not {origin['says']}"


WALKS = [wrong_numbers, wrong_cells, wrong_marks, wrong_claims]


@pytest.mark.parametrize("walk", WALKS)
def test_what_is_handed_over_names_its_own_estimates_or_says_what_it_is(built_project, walk):
    assert [one for handed in handed_over(built_project.folder) for one in walk(handed)] == []


def test_every_number_can_be_walked_to_what_it_was_made_of(built_project):
    """To rows of the tables of its scenario, to a file of captured data, or to other estimates."""
    walks = Walks(built_project.folder)
    lost = []
    for handed in handed_over(built_project.folder):
        for name in handed.numbers:
            estimates = walks.explain(name, 1)["estimates"]
            led = ("rows", "file", "made_from")
            lost += [name for one in estimates if not any(map(one.get, led))]
    assert not lost
