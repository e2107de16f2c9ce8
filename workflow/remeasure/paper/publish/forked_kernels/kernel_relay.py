"""Stands for a kernel that the server forks: `python kernel_relay.py SOCKET ARGUMENT...`, with the
kernel's arguments.

Jupyter starts this program, watches it and ends it as it would a kernel. It ends when its kernel
or its parent does, and its kernel ends when it does. It imports nothing but the standard library,
so it starts at once.
"""

import json
import os
import signal
import socket
import sys

# Jupyter interrupts a kernel before it asks for its end. A kernel that runs no cell ignores that.
signal.signal(signal.SIGINT, signal.SIG_IGN)
parent = os.getppid()
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    given = {
        "arguments": sys.argv[2:],
        "folder": os.getcwd(),  # noqa: PTH109 - pathlib takes time to import
        "environment": dict(os.environ),
    }
    server.sendall(json.dumps(given).encode() + b"\n")
    server.settimeout(1)
    while os.getppid() == parent:
        try:
            server.recv(1)  # a kernel sends nothing: this returns when it has ended
            break
        except TimeoutError:
            continue
sys.exit(1)  # Jupyter ends a relay before that, unless its kernel died
