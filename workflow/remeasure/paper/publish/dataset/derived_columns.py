"""The columns of the tables that are made from estimates and verdicts (data/tidy/*.parquet)."""

from collections.abc import Mapping
from pathlib import Path

from remeasure.bench.base.columns import read_tables
from remeasure.paper.analysis.decisions import SIZES, VERDICTS

LEVEL_OF_ESTIMATE = (
    "level of this factor in the cells; empty where they differ, or where it does not apply"
)


def _meanings(words: Mapping[str, str]) -> str:
    return ". ".join(f"`{word}`: {meaning}" for word, meaning in words.items())


_PATH = Path(__file__).with_name("derived-columns.yaml")
_TABLES = read_tables(_PATH, verdicts=_meanings(VERDICTS), sizes=_meanings(SIZES))
ESTIMATES = _TABLES["estimates"]
LEVELS = _TABLES["levels"]
CLAIMS = _TABLES["claims"]
