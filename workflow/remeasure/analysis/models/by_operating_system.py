"""Trials by the system that their hosts ran: Linux, Windows."""

import pandas as pd

NAMES = {"linux": "Linux", "windows": "Windows"}
"""as tables have it -> as people write it; in the order in which they are shown"""


def by_system(tables: dict[str, pd.DataFrame]) -> dict[str, dict[str, pd.DataFrame]]:
    """'Linux', 'Windows' -> the tables of its campaigns, of those that there are.

    The hosts of a campaign are all of one system; blocks of two campaigns may have the same number,
    so what is grouped by block must be split first.
    """
    known = tables["trials"].dropna(subset=["os"]).groupby("campaign", observed=True)["os"].first()
    return {
        title: {
            name: table[table["campaign"].map(known) == system] for name, table in tables.items()
        }
        for system, title in NAMES.items()
        if system in set(known)
    }
