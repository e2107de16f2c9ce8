"""The processes that a build starts once, to help all of its jobs, and where to find them."""

import os
from pathlib import Path

NOTEBOOKS, TABLES, CHARTS = "notebooks", "tables", "charts"
"""the servers: of notebooks and their kernels, of tables made from archives, of charts drawn"""
FOLDER = "REMEASURE_SERVERS"
"""environment variable: the folder with the sockets of the servers"""


def socket_of(server: str) -> str | None:
    """The path of a server's socket; None if there is no such server."""
    folder = os.environ.get(FOLDER)
    path = Path(folder, server) if folder else None
    return str(path) if path and path.exists() else None
