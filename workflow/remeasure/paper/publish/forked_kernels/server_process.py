"""Starting the servers. Imports little, since Snakemake imports it at every start."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from remeasure.paper.servers import CHARTS, FOLDER, NOTEBOOKS, TABLES

_MODULES = {
    NOTEBOOKS: "remeasure.paper.publish.forked_kernels.server",
    TABLES: "remeasure.paper.publish.forked_kernels.server",
    CHARTS: "remeasure.paper.notebook.drawing.chart_server",
}
"""server -> its program; its arguments are the number of its socket's file, and its name"""
SETTINGS = {
    # The execution must not depend on the user who runs it.
    "PYTHONHASHSEED": "0",
    # Several notebooks run at once, one to a core: threads of numpy would wait for each other.
    "OPENBLAS_NUM_THREADS": "1",
}
"""environment variable -> its value in kernels, unless it is set"""
_FONTS = ".snakemake/matplotlib"


def settings() -> dict[str, str]:
    """SETTINGS, and where HOME takes no files, another folder for the list of fonts that Matplotlib
    keeps there."""
    fonts = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "matplotlib"
    try:
        fonts.mkdir(parents=True, exist_ok=True)
        writable = os.access(fonts, os.W_OK)
    except OSError:
        writable = False
    return SETTINGS if writable else SETTINGS | {"MPLCONFIGDIR": str(Path(_FONTS).absolute())}


_LONGEST = 100
"""longest path of a socket that every system takes [bytes]"""


def start_servers(folder: Path, servers: Iterable[str]) -> list[subprocess.Popen[bytes]]:
    """Start servers for all processes that this one starts from now on; their sockets are in
    `folder`. They end when what is returned is dropped, at the latest with this process, whatever
    ends that. None is started if the path of a socket is too long."""
    if len(os.fsencode(folder / NOTEBOOKS)) > _LONGEST:
        return []
    os.environ[FOLDER] = str(folder)
    return [_started(folder / name, name) for name in servers]


def _started(path: Path, name: str) -> subprocess.Popen[bytes]:
    # The socket is there before its server is, so whoever asks early waits and does not go without.
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        return subprocess.Popen(
            [sys.executable, "-m", _MODULES[name], str(listening.fileno()), name],
            stdin=subprocess.PIPE,
            pass_fds=[listening.fileno()],
            start_new_session=True,  # Ctrl-C is for Snakemake, which ends its servers
            env=settings() | os.environ,
        )
