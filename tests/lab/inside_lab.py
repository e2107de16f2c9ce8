"""Run inside a lab's namespaces: what a lab and its connections do, as JSON."""

import io
import json
import os
import signal
import time
from contextlib import redirect_stderr
from dataclasses import asdict, replace
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.testbed.remote import CommandFailed, HostUnreachable, Remote
from remeasure.bench.testbed.treatments.forgetting import forgetting
from remeasure.bench.testbed.treatments.treatment import apply


def message(kind, action) -> str:
    try:
        action()
    except kind as error:
        return str(error)
    return "no error"


namespace.enter()
topology = load_topology("site-to-site")
lab = Lab(topology, make_backend("uml", 256))
with lab as inventory:
    gateway, client = inventory.host("gw1"), inventory.host("client1")
    remote = Remote(gateway)
    commands = []
    remote.on_command = commands.append
    found = {
        "namespace": str(Path("/proc/self/ns/net").readlink()),
        "hostname": remote.run(["hostname"]).strip(),
        "failed": message(CommandFailed, lambda: remote.run(["ls", "/nowhere"])),
        "late": message(CommandFailed, lambda: remote.run(["sleep", "5"], timeout=0.5)),
        "commands": [asdict(c) for c in commands],
        "together": remote.run_each(["printf no-end", "echo aside >&2", "seq 2", "true # end"]),
        "one of them failed": message(
            CommandFailed, lambda: remote.run_each(["seq 2", "echo why >&2; false", "seq 3"])
        ),
        "one of them ended it": remote.run_each(["echo first; exit 0", "echo second"]),
        "wrong_host_key": message(
            HostUnreachable,
            Remote(gateway.model_copy(update={"host_key": client.host_key})).connect,
        ),
        "wrong_key": message(
            HostUnreachable,
            Remote(gateway.model_copy(update={"key": gateway.key.with_name("host_gw1")})).connect,
        ),
        "ping": Remote(client).run(["ping", "-c", "1", topology.address("client2")]),
        "way_out": message(
            CommandFailed, lambda: Remote(client).run(["ping", "-c", "1", "-W", "1", "192.0.2.1"])
        ),
    }
    # A router with a smaller MTU teaches client1 the path's; `forgetting` makes it unlearn.
    far, source = topology.address("client2"), Remote(client)
    remote.run(["ip", "link", "set", gateway.interfaces["wan"], "mtu", "1400"])
    source.run(["ping", "-c", "1", "-W", "1", "-M", "do", "-s", "1472", far], check=False)
    found["learnt"] = source.run(["ip", "route", "get", far])
    apply(forgetting(["client1"]), {"client1": source})
    found["forgotten"] = source.run(["ip", "route", "get", far])
    started_late = remote.start(["sh", "-c", "sleep 0.2; echo done"], "/run/late")
    time.sleep(0.6)
    found["background"] = remote.read("/run/late").decode()
    os.kill(inventory.host("client1").process, signal.SIGKILL)
    found["dead"] = message(HostUnreachable, lambda: source.write("/run/x", "x"))
    found["died"] = message(UserError, lambda: [guest.check_alive() for guest in lab.guests])

# The guests of a lab's first start sleep, and only they have little time.
usual = make_backend("uml", 256)
starts = []


def network(*given):
    starts.append("a network")
    if len(starts) == 2:
        slow.backend = usual
    return usual.network(topology)


def make_asleep(name, folder):
    guest = usual.make(name, folder)
    start = guest.start
    guest.start = lambda *given: (start(*given), os.kill(guest.process, signal.SIGSTOP))
    return guest


hasty = replace(usual.kind, network=network, boot_limit_s=0.5)
slow = Lab(topology, replace(usual, kind=hasty, make=make_asleep))
with redirect_stderr(io.StringIO()) as said, slow as inventory:
    found["started again"] = [Remote(host).run(["hostname"]).strip() for host in inventory.hosts]
found["said"] = said.getvalue()
print(json.dumps(found))
