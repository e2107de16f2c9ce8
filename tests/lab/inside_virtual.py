"""Runs in the namespaces of a lab: guests in virtual time that cannot go on. Prints what each error
says, as JSON."""

import json
import sys
from pathlib import Path

from remeasure.errors import UserError
from remeasure.lab.namespace import enter, lone_root_options
from remeasure.lab.virtual import channel
from remeasure.lab.virtual.lab import VirtualLab
from remeasure.lab.virtual.parts import get_parts
from remeasure.topology import load_topology

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
