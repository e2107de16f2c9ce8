"""Numbers and tables as LaTeX."""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from remeasure.errors import UserError

_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
}


def escape(text: str) -> str:
    """`text` so that LaTeX prints it as it is."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def table_rows(table: pd.DataFrame) -> str:
    """The rows of a table of strings, for the inside of a tabular (booktabs)."""
    return "".join(
        " & ".join(escape(str(cell)) for cell in row) + r" \\" + "\n"
        for row in table.itertuples(index=False)
    )


def read_numbers(handed: Iterable[Path]) -> dict[str, dict]:
    """Every number of every notebook, by macro, from what they `handed` over (folders). Raises
    UserError if two have the same name."""
    numbers: dict[str, dict] = {}
    for file in (folder / "numbers.json" for folder in handed):
        for name, number in json.loads(file.read_text()).items():
            if name in numbers:
                raise UserError(f"{file}: number {name} is in another notebook too")
            numbers[name] = number
    return numbers


def campaign_rows(handed: Iterable[Path]) -> str:
    """The rows that notebooks wrote of their campaigns, in the same order."""
    return "".join(
        row.read_text() for folder in handed for row in sorted(folder.glob("tables/*-campaign.tex"))
    )


def macros(numbers: dict[str, dict]) -> str:
    """The \\newcommand lines for `numbers`."""
    lines = ["% Written from results; change the notebook, not this file."]
    for name, number in sorted(numbers.items()):
        text = escape(number["text"])
        if number.get("words") or number["text"] == "n/a":
            body = text
        elif number["unit"]:
            body = rf"\qty{{{number['text']}}}{{{number['unit']}}}"
        else:
            body = rf"\num{{{number['text']}}}"
        lines.append(rf"\newcommand{{\{name}}}{{{body}}}")
    return "\n".join(lines) + "\n"
