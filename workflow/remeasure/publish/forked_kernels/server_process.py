"""Starting the server. Imports little: Snakemake does so at every start."""

import os
import subprocess
import sys
from pathlib import Path

SOCKET = "REMEASURE_KERNELS"
"""environment variable: the server's socket"""
SETTINGS = {
    # The execution must not depend on the user who runs it.
    "PYTHONHASHSEED": "0",
    # Several notebooks run at once, one to a core: threads of numpy would wait for each other.
    "OPENBLAS_NUM_THREADS": "1",
}
"""environment variable -> its value in kernels, unless it is set"""
_LONGEST = 100
"""longest path of a socket that every system takes [bytes]"""


def start_server(socket: Path) -> subprocess.Popen | None:
    """Start a server for the notebooks of all processes that this one starts from now on. It ends
    when what is returned is dropped, at the latest with this process, whatever ends that. None, and
    no server, if `socket` is too long a path."""
    if len(os.fsencode(socket)) > _LONGEST:
        return None
    server = subprocess.Popen(
        [sys.executable, "-m", "remeasure.publish.forked_kernels.server", socket],
        stdin=subprocess.PIPE,
        env=SETTINGS | os.environ,
    )
    os.environ[SOCKET] = str(socket)
    return server
