"""Text and tables as LaTeX."""

import re

import pandas as pd

from remeasure.paper.words import words_of

_SPECIAL: dict[str, str] = words_of(__file__, "as-latex")
_NEGATIVE = re.compile(r"(?<![\w.)\]])-(?=\d)")
"""the hyphen of a negative number, which in type is a minus sign"""


def escape(text: str) -> str:
    """The `text` with LaTeX's signs escaped."""
    escaped = "".join(_SPECIAL.get(character, character) for character in text)
    return _NEGATIVE.sub("$-$", escaped)


def table_rows(table: pd.DataFrame) -> str:
    """The rows of a table of strings in LaTeX, for use inside a tabular (booktabs)."""
    return "".join(
        " & ".join(escape(str(cell)) for cell in row) + r" \\" + "\n"
        for row in table.itertuples(index=False)
    )
