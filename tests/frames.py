"""Tables for tests, row by row."""

import pandas as pd


def frame(columns: str, *rows: tuple, **same) -> pd.DataFrame:
    """A table with these columns, and further columns with one value in all rows."""
    return pd.DataFrame(rows, columns=columns.split()).assign(**same)
