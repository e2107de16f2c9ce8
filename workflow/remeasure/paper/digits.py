"""Digits that are the same on every machine. The last digits of a logarithm or a sum depend on the
processor: numpy computes with the widest instructions that it finds (AVX2, AVX-512), each of which
rounds in its own order."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

DIGITS = 9
"""significant digits of published numbers; the fifteenth and sixteenth were seen to differ"""

_WITHOUT_FLOATS = frozenset({str, int, bool, type(None)})


def rounded(value: object) -> object:
    """The value with each float in it rounded; `value` may contain mappings, lists and tuples, like
    a JSON document."""
    if type(value) in _WITHOUT_FLOATS:  # most values are texts; the questions below take longer
        return value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def as_json(document: object, indent: int | None = None) -> str:
    """A JSON document with each float rounded, and a newline at its end."""
    return json.dumps(rounded(document), indent=indent) + "\n"


def rounded_columns(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{name: table[name].map(rounded) for name in table.select_dtypes("float")})


def rounded_chart(specification: dict[str, Any]) -> dict[str, Any]:
    """A Vega-Lite specification with each float rounded, and its tables numbered: altair names a
    table after a hash of all its digits."""
    text = as_json(specification)
    for number, name in enumerate(specification.get("datasets", {}), 1):
        text = text.replace(json.dumps(name), f'"table-{number}"')
    chart: dict[str, Any] = json.loads(text)
    return chart
