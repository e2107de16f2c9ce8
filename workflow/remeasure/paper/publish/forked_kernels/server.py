"""The process that kernels and jobs are forks of:
`python -m remeasure.paper.publish.forked_kernels.server SOCKET NAME`, with the number of the open
file that is its socket, and what it is the server of (server_process).

It ends when its standard input does, whose other end the process that started it holds.
"""

import contextlib
import gc
import importlib
import json
import os
import pickle
import select
import signal
import socket
import sys
import threading
import time
from typing import Any, NoReturn

from remeasure.bench.base.errors import UserError
from remeasure.paper.publish.forked_kernels.job import function_of
from remeasure.paper.servers import NOTEBOOKS, TABLES

IMPORTED = {
    NOTEBOOKS: (
        "altair",
        "ipykernel.ipkernel",
        "ipykernel.kernelapp",
        "pingouin",
        "remeasure.paper.notebook.charts.figures",
        "remeasure.paper.publish.numbers",
        "remeasure.paper.publish.execution.run",
        "remeasure.paper.notebook.scenario_notebook",
        "statsmodels.formula.api",
        "statsmodels.stats.multitest",
    ),
    TABLES: ("remeasure.paper.tidy.tables",),
}
"""server -> what its notebooks or jobs import, now or later, and what runs them; none of it starts
a thread that a fork would lack"""


def serve(number: int, name: str) -> None:
    """Fork a kernel or a job for each process that connects to the socket which is the open file
    `number`, until standard input ends. `name`: of the server."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a fork: who asked for it knows
    with socket.socket(fileno=number) as listening:
        import_all(name)
        # A fork lives for seconds: it need not look at what was imported, nor look for garbage
        # after every 700 objects.
        gc.freeze()
        gc.set_threshold(50_000)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            asking, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _become_fork(asking)
            asking.close()


def import_all(name: str) -> None:
    """Import what the jobs of this server import, and read what all notebooks read."""
    for module in IMPORTED[name]:
        importlib.import_module(module)
    if name == NOTEBOOKS:
        from remeasure.bench.claims.published import load_published, studies

        with contextlib.suppress(UserError):  # a notebook that needs what is wrong says what it is
            for study in studies():
                load_published(study)


def _become_fork(asking: socket.socket) -> NoReturn:
    """Run the kernel or the job of the process that asks, in its folder and with its
    environment."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    start, outputs, _, _ = socket.recv_fds(asking, 1, 2)
    with asking.makefile("rb") as lines:
        given = json.loads(start + lines.readline())
    os.chdir(given["folder"])
    os.environ.clear()
    os.environ.update(given["environment"])
    if "job" in given:
        for place, output in enumerate(outputs, 1):
            os.dup2(output, place)
        _run_job(asking, given)
    else:
        _become_kernel(asking, given["arguments"])


def _run_job(asking: socket.socket, given: dict[str, Any]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_job_with, args=[asking], daemon=True).start()
    error: BaseException | None = None
    try:
        function, arguments = pickle.loads(bytes.fromhex(given["job"]))
        function_of(function)(*arguments)
    except UserError as raised:
        error = UserError(str(raised))  # one that is made of parts cannot be sent
    except BaseException as raised:  # noqa: BLE001 - raised where the job was asked for
        error = raised
    try:
        answer = pickle.dumps(error)
    except Exception:  # noqa: BLE001 - whatever an error of other code makes of pickle
        answer = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    asking.sendall(answer)
    os._exit(0)


def _become_kernel(relay: socket.socket, arguments: list[str]) -> NoReturn:
    # A kernel watches its parent, which is the server here; it is the relay that matters.
    os.environ.pop("JPY_PARENT_PID", None)
    threading.Thread(target=_end_with, args=[relay], daemon=True).start()
    import pandas
    from ipykernel.kernelapp import IPKernelApp

    pandas.set_option("display.max_columns", 20)  # what it sets if it is imported in a kernel
    IPKernelApp.launch_instance(arguments)
    os._exit(0)


def _end_with(relay: socket.socket) -> NoReturn:
    relay.recv(1)  # a relay sends no more: this returns when it has ended
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("not reached")


def _end_job_with(asking: socket.socket) -> NoReturn:
    asking.recv(1)  # the same; a job that is interrupted removes what it has begun
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("not reached")


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
