"""The process that kernels are forks of: `python -m remeasure.publish.forked_kernels.server PATH`.

It ends when its standard input does, whose other end the process that started it holds.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
from typing import NoReturn

IMPORTED = (
    "altair",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "pingouin",
    "remeasure.publish.figures",
    "remeasure.publish.scenario_notebook",
    "statsmodels.formula.api",
    "statsmodels.stats.multitest",
)
"""what notebooks import, now or later; none of it starts a thread that a fork would lack"""


def serve(path: str) -> None:
    """Fork a kernel for each relay that connects to the socket at `path`, until standard input
    ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel: its relay knows
    with socket.socket(socket.AF_UNIX) as listening:
        # Who finds the socket can connect to it.
        listening.bind(f"{path}.new")
        listening.listen()
        os.rename(f"{path}.new", path)
        for module in IMPORTED:
            importlib.import_module(module)
        # A kernel lives for seconds: it need not look at what was imported, nor look for garbage
        # after every 700 objects.
        gc.freeze()
        gc.set_threshold(50_000)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            relay, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _become_kernel(relay)
            relay.close()


def _become_kernel(relay: socket.socket) -> NoReturn:
    """Run a kernel with the arguments, in the folder and with the environment of its relay."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    with relay.makefile() as lines:
        given = json.loads(lines.readline())
    os.chdir(given["folder"])
    os.environ.clear()
    os.environ.update(given["environment"])
    # A kernel watches its parent, which is the server here; it is the relay that matters.
    os.environ.pop("JPY_PARENT_PID", None)
    threading.Thread(target=_end_with, args=[relay], daemon=True).start()
    import pandas
    from ipykernel.kernelapp import IPKernelApp

    pandas.set_option("display.max_columns", 20)  # what it sets if it is imported in a kernel
    IPKernelApp.launch_instance(given["arguments"])
    os._exit(0)


def _end_with(relay: socket.socket) -> NoReturn:
    relay.recv(1)  # a relay sends no more: this returns when it has ended
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("not reached")


if __name__ == "__main__":
    serve(sys.argv[1])
