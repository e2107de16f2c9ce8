"""Numbers and tables as LaTeX, and whether the paper and they fit together."""

import json
import re
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


def read_numbers(files: Iterable[Path]) -> dict[str, dict]:
    """Every number of every notebook, by macro. Raises UserError if two have the same name."""
    numbers: dict[str, dict] = {}
    for file in files:
        for name, number in json.loads(file.read_text()).items():
            if name in numbers:
                raise UserError(f"{file}: number {name} is in another notebook too")
            numbers[name] = number
    return numbers


def campaign_rows(files: Iterable[Path]) -> str:
    """The rows that notebooks wrote of their campaigns, beside their numbers.json `files`."""
    return "".join(
        row.read_text()
        for file in files
        for row in sorted(file.parent.glob("tables/*-campaign.tex"))
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


def check_macros(
    numbers: dict[str, dict], prefixes: Iterable[str], sources: Iterable[Path]
) -> None:
    """Raises UserError for a number the paper uses but no notebook defines, and the reverse.

    A macro that starts with one of `prefixes` is a number.
    """
    pattern = re.compile(r"\\((?:" + "|".join(map(re.escape, prefixes)) + r")[A-Z][A-Za-z]*)")
    used: dict[str, str] = {}
    for source in sources:
        for number, line in enumerate(source.read_text().splitlines(), 1):
            for name in pattern.findall(line.partition("%")[0] if line.startswith("%") else line):
                used.setdefault(name, f"{source}:{number}")
    undefined = [f"{where}: \\{name}" for name, where in used.items() if name not in numbers]
    if undefined:
        raise UserError(f"the paper uses numbers that no notebook defines: {'; '.join(undefined)}")
    unused = sorted(set(numbers) - set(used))
    if unused:
        raise UserError(
            "notebooks define numbers that the paper does not use: "
            + ", ".join(f"\\{name}" for name in unused)
        )
