"""Trials by the operating system of their hosts: Linux, Windows."""

from remeasure.analysis.summaries import Tables

NAMES = {"linux": "Linux", "windows": "Windows"}
"""name in the tables -> name that is printed, in the order of printing"""


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
