"""Tables of notebooks on pages: names and numbers for people."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from IPython import get_ipython

from remeasure.paper.analysis.texts import interval_text, p_text

DIGITS = 4
"""significant digits of a number whose uncertainty is not in its table"""
LABELS = {
    "foreign_max": "foreign processor use, most of a trial",
    "busy": "processors busy",
    "probe_share": "time inside probes, share",
    "checks": "checks made",
    "passed": "checks passed",
    "n": "blocks",
    "diff": "difference",
    "cohen_d": "Cohen's d",
    "p_t": "p, t test",
    "p_wilcoxon": "p, Wilcoxon",
    "p_holm": "p, Holm",
    "std": "standard deviation",
    "expect": "expected",
    "matters": "bound of what matters",
    "auth": "authentication",
    "cpus": "processors",
    "guest_cpus": "processors of all guests",
    "machine_cpus": "processors of the machine",
    "cpu_per_megabyte": "processor time for a megabyte",
    "id": "statement",
    "why not": "why not testable",
}
"""name of a column in code -> for people; in any other, underscores become spaces"""


def table_html(table: pd.DataFrame) -> str:
    """The HTML of a table, without numbers of rows; fields without a value are empty. A table
    without rows becomes a sentence."""
    if table.empty:
        return "<p>(none)</p>"
    table = with_intervals(table)
    last = table.index.get_level_values(-1)
    numbered = last.name is None and pd.api.types.is_integer_dtype(last)
    if numbered and table.index.nlevels > 1:
        table, numbered = table.droplevel(-1), False
    shown = table.rename(columns=_label)
    shown.columns.names = [_label(name) for name in table.columns.names]
    shown.index.names = [_label(name) for name in table.index.names]
    formats = [_format_of(name, column) for name, column in table.items()]
    return str(shown.to_html(index=not numbered, na_rep="", border=0, formatters=formats))


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """The table with each estimate in one column, as text: `diff`, `diff_low` and `diff_high` are
    one estimate, and so are `value`, `low` and `high`."""
    for name in [name for name in table.columns if isinstance(name, str)]:
        low, high = ("low", "high") if name == "value" else (f"{name}_low", f"{name}_high")
        if low in table and high in table:
            rows = table[[name, low, high]].itertuples(index=False)
            # dtype=object: a text may have origins (analysis.lineage.Quoted)
            texts = pd.Series([interval_text(*row) for row in rows], table.index, dtype=object)
            table = table.assign(**{name: texts}).drop(columns=[low, high])
            table = table.rename(columns={name: f"{_label(name)} [95 % interval]"})
    return table


def _label(name: object) -> object:
    if not isinstance(name, str):
        return name
    # IKE_SA is a term; ike_bytes is a name in code.
    return LABELS.get(name, name.replace("_", " ") if name.islower() else name)


def _format_of(name: object, column: pd.Series) -> Callable[..., str]:
    """Format of the fields of a column."""
    if isinstance(name, str) and name.startswith("p_"):
        return p_text
    if pd.api.types.is_bool_dtype(column):
        return lambda value: "yes" if value else "no"
    if not pd.api.types.is_float_dtype(column):
        return str
    return _number


def _number(value: float) -> str:
    """With DIGITS significant digits, and all digits before the point."""
    before = len(f"{abs(value):.0f}")
    return np.format_float_positional(
        value, max(before, DIGITS), unique=False, fractional=False, trim="-"
    )


def use_tables() -> None:
    """Show every later table of the running notebook in this way. Does nothing elsewhere."""
    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(pd.DataFrame, table_html)
