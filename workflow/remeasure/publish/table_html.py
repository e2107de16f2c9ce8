"""How notebooks show tables on pages."""

import pandas as pd
from IPython import get_ipython


def table_html(table: pd.DataFrame) -> str:
    """The HTML of a table: without a column that only numbers its rows, and fields without a value
    left empty. A table without rows says so."""
    if table.empty:
        return "<p>(none)</p>"
    numbered = isinstance(table.index, pd.RangeIndex) and table.index.name is None
    return table.to_html(index=not numbered, na_rep="", border=0)


def use_tables() -> None:
    """Show every later table of the running notebook in this way. Does nothing elsewhere."""
    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(pd.DataFrame, table_html)
