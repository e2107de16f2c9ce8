"""Statements of every kind in the studies, and the truths at which a false verdict on each is
likeliest, with the metrics of the studies' register: simulated_cases.yaml."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from simulation import Case, Levels, Truth, flat, line, more

from remeasure.bench.base.files import read_yaml

_FILE = read_yaml(Path(__file__).with_suffix(".yaml"))
DES, TRIPLE = _FILE["chosen"]["des"], _FILE["chosen"]["triple"]
TCP, TCP_JITTER = _FILE["sources"]["tcp"], _FILE["sources"]["tcp-jitter"]
FAR = 3.0
"""a ratio far inside a statement's bounds"""
SEED = 2026
"""seed of the simulations that are shown"""


def _case(of: str, tests: list[dict[str, Any]], truths: list[dict[str, Any]], **rest: Any) -> Case:
    source = _FILE["sources"][of]
    asked = [{"metric": source["metric"]} | test for test in tests]
    under = [
        Truth(one["says"], _levels(json.dumps(one["levels"])), tuple(one["wrong"]))
        for one in truths
    ]
    return Case(**source | rest, tests=asked, truths=under)


@cache
def _levels(form: str) -> Levels:
    """One function for each form: campaigns are drawn once for truths with the same levels."""
    match json.loads(form):
        case {"flat": effects, **at}:
            return flat(*map(tuple, effects), **at)
        case {"more": amount, "of": chosen}:
            return more(amount, chosen)
        case {"line": factor, **shape}:
            return line(factor, **shape)
    raise ValueError(f"no form of levels: {form}")


CASES = [_case(**fields) for fields in _FILE["cases"]]
"""rows of the table of coverage"""
BEYOND = [_case(**fields) for fields in _FILE["beyond"]]
"""where intervals hold less than they should: shown, and said"""
(EVERY_SIZE,) = next(case for case in CASES if case.kind == "smallest of several").tests
