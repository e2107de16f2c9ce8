"""Trials by the operating system of their hosts: Linux, Windows."""

from remeasure.paper.analysis.summaries import Tables

NAMES = {"linux": "Linux", "windows": "Windows"}
"""name in the tables -> name that is printed, in the order of printing"""


def by_system(tables: Tables) -> dict[str, Tables]:
    """Tables of each operating system that some campaign has: 'Linux' or 'Windows' -> tables.

    The hosts of a campaign all have the same system. Blocks of two campaigns may have the same
    number, so tables must be split by system before they are grouped by block.
    """
    known = tables["trials"].dropna(subset=["os"]).groupby("campaign", observed=True)["os"].first()
    return {
        title: tables.of_campaigns(set(known.index[known == system]))
        for system, title in NAMES.items()
        if system in set(known)
    }
