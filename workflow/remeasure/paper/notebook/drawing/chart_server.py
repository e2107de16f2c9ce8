"""The process that draws charts.

It is started by `python -m remeasure.paper.notebook.drawing.chart_server SOCKET NAME`, with the
number of the open file that is its socket.

A notebook connects, sends the specification of a chart, and gets its picture or an error. The
process ends when its standard input does, whose other end the process that started it holds.
"""

import contextlib
import json
import select
import socket
import sys

from remeasure.paper.notebook.drawing.svg import drawn

_ANY = {"mark": "point", "data": {"values": [{"x": 1}]}, "encoding": {"x": {"field": "x"}}}
"""a chart that is drawn so that its engine has started when the first one asks"""


def serve(number: int) -> None:
    """Draw for each process that connects to the socket which is the open file `number`."""
    with socket.socket(fileno=number) as listening:
        drawn(_ANY)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            asking, _ = listening.accept()
            with asking, contextlib.suppress(OSError):  # who asked may have been killed
                _answer(asking)


def _answer(asking: socket.socket) -> None:
    with asking.makefile("rb") as given:
        text = given.read()
    try:
        answer = {"svg": drawn(json.loads(text))}
    except ValueError as error:
        answer = {"error": str(error)}
    asking.sendall(json.dumps(answer).encode())


if __name__ == "__main__":
    serve(int(sys.argv[1]))
