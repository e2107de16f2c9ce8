"""Runs in the namespaces of a lab: guests in virtual time that cannot go on. Prints what each error
says, as JSON."""

import json
import os
import shutil
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.namespace import enter, lone_root_options
from remeasure.bench.lab.virtual import channel
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.lab.virtual.virtual_lab import VirtualLab
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

parts = get_parts()
enter(lone_root_options)
folder = Path(sys.argv[1])


def said(do) -> str:
    try:
        return f"nothing; returned {do()}"
    except UserError as error:
        return str(error)


def lab(kernel_entry_ns: int = 0, seed: str = "test") -> VirtualLab:
    return VirtualLab(load_topology("host-to-host"), parts, 512, kernel_entry_ns, seed)


found: dict = {}

# A clock that stands, and leaps.
one = lab()
answer = one.ask("left", "ping -c 3 192.0.2.2 >/dev/null; sleep 3600; exit 7", b"", 5000)
found["status"], found["slept_s"] = answer.status, (answer.end_ns - answer.start_ns) / 1e9
late = one.ask("left", "sleep 100", b"", 10)
found["late"] = [late.status, (late.end_ns - late.start_ns) / 1e9]

# What never comes to an end.
channel.STANDING_LIMIT_S = 2
found["loop"] = said(lambda: one.ask("left", "perl -e '1 while 1'", b"", 10))
one.close()
two = lab(kernel_entry_ns=1000)
found["calls"] = two.ask("left", "perl -e 'getppid while 1'", b"", 0.01).status
two.close()

# The same seed, and another one.
three, other = lab(seed="test"), lab(seed="other")
draw = (
    "od -An -tx8 -N8 /dev/urandom; cat /sys/class/net/*/address; cat /proc/sys/kernel/random/uuid"
)
found["drawn"] = [one.ask("left", draw, b"", 5).output.decode() for one in (three, other)]
again = lab(seed="test")
found["drawn"].append(again.ask("left", draw, b"", 5).output.decode())

# One that someone stops on this machine, again and again, and one that nobody stops.
DRAW_ALL = f"for i in $(seq 40); do {draw}; ping -q -c 2 -i 0.01 192.0.2.2; done"


def stop_and_continue(ended: threading.Event) -> None:
    while not ended.wait(0.2):
        processes = tree(read_processes(), again.process)
        for order in (signal.SIGSTOP, signal.SIGCONT):
            for process in processes:
                with suppress(ProcessLookupError):
                    os.kill(process, order)
            time.sleep(0.05)


ended = threading.Event()
stopper = threading.Thread(target=stop_and_continue, args=[ended])
stopper.start()
stopped = again.ask("left", DRAW_ALL, b"", 100).output.decode()
ended.set()
stopper.join()
found["stopped"] = [three.ask("left", DRAW_ALL, b"", 100).output.decode(), stopped]

# What the machine adds to its files: the same seed, and a copy of the root.
parts.root = Path(shutil.copytree(parts.root, folder / "root", symlinks=True))
copied = lab()
LOOK = "ls -lAiUR --time-style=full-iso /etc; stat -f /; find /usr -maxdepth 2 | head -n 200"
found["copied"] = [of.ask("left", LOOK, b"", 100).output.decode() for of in (three, copied)]
copied.close()
parts.root = parts.folder / "root"

# Guests that end, or do not begin.
three._guest.stop()
found["killed"] = said(lambda: three.ask("left", "true", b"", 5))
for left in (other, again):
    left.close()
parts.library = folder / "virtual-time.so"
parts.library.write_bytes(b"no library")
channel.BOOT_LIMIT_S = 5
found["no library"] = said(lab)
parts.library = parts.folder / "virtual-time.so"
parts.kernel = folder / "kernel"
parts.kernel.write_text("#!/bin/sh\necho no seccomp here\nexit 1\n")
parts.kernel.chmod(0o755)
found["no kernel"] = said(lab)
print(json.dumps(found))
