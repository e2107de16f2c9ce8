"""Trials by the system that their hosts ran: Linux, Windows."""

from remeasure.analysis.summaries import Tables

NAMES = {"linux": "Linux", "windows": "Windows"}
"""as tables have it -> as people write it; in the order in which they are shown"""


def by_system(tables: Tables) -> dict[str, Tables]:
    """'Linux', 'Windows' -> the tables of its campaigns; only systems that some campaign has.

    The hosts of a campaign are all of one system. Blocks of two campaigns may have the same number,
    so what is grouped by block must be split first.
    """
    known = tables["trials"].dropna(subset=["os"]).groupby("campaign", observed=True)["os"].first()
    return {
        title: tables.of_campaigns(set(known.index[known == system]))
        for system, title in NAMES.items()
        if system in set(known)
    }
