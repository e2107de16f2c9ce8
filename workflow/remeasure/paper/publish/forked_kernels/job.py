"""Calling a function in a fork of the server that has imported what the function needs.

Imports little, since it is imported for every notebook and every table.
"""

import json
import os
import pickle
import shutil
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.interruption import Interrupted
from remeasure.paper.publish.execution.part_folders import part_of
from remeasure.paper.servers import socket_of


def run(
    server: str, function: str, *arguments: Any, source: Path, hands_over: Path | None = None
) -> None:
    """Call a function, whose name is `module:function`: in a fork, if there is this server.
    `source`: what an error names; `hands_over`: of a notebook, the folder that it hands over.
    Raises what the function raises, and UserError if the fork was killed."""
    path = socket_of(server)
    if path is None:
        function_of(function)(*arguments)
        return
    given = {
        "job": pickle.dumps((function, arguments)).hex(),
        "folder": str(Path.cwd()),
        "environment": dict(os.environ),
    }
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(path)
        line = json.dumps(given).encode() + b"\n"
        # With the first byte goes where the fork writes what it has to say.
        socket.send_fds(asked, [line[:1]], [sys.stdout.fileno(), sys.stderr.fileno()])
        asked.sendall(line[1:])
        with asked.makefile("rb") as told:
            try:
                answer = told.read()
            except (Interrupted, KeyboardInterrupt):
                # The fork ends when it can hear no more, and removes what it has begun.
                asked.shutdown(socket.SHUT_WR)
                told.read()
                raise
            except ConnectionError:
                answer = b""
    if not answer:
        if hands_over is not None:
            shutil.rmtree(part_of(hands_over), ignore_errors=True)
        raise UserError(
            f"{source}: its process was killed (by hand, or because memory was short); run it again"
        )
    if error := pickle.loads(answer):
        raise error


def function_of(name: str) -> Callable[..., None]:
    """The function of a name `module:function`."""
    module, _, function = name.partition(":")
    found: Callable[..., None] = getattr(import_module(module), function)
    return found
