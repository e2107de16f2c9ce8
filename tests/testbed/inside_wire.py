"""Run inside a lab's namespaces: echoes of two sizes through links of 10 Mbit/s that are set in
different ways, and TCP through them; and echoes of two classes through a link that UDP keeps full.
Prints as JSON, for each way, the least round trip of either size [ms], or the mean one of either
class, and the checks of the proof that failed."""

import json
import re

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.disciplines import shaping_provers, shaping_setters
from remeasure.bench.testbed.treatments.shaping import Place, Shaping
from remeasure.bench.testbed.treatments.treatment import apply, prove

WAYS = {
    "wire": Shaping(rate="10mbit"),
    "delayed wire": Shaping(rate="10mbit", netem="delay 5ms"),
    "token bucket": Shaping(rate="10mbit", burst="128kb"),
}
PRIORITY = Shaping(rate="10mbit", burst="16kb", priority="ef")
SIZES = (56, 1400)
CLASSES = {"first": 46 << 2, "others": 0}
"""class -> second byte of the header of its echoes"""
PLACES = [Place(host, "wire", "wire") for host in ("left", "right")]

namespace.enter()
topology = load_topology("host-to-host")
found = {}
with Lab(topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in topology.hosts}
    left, target = remotes["left"], topology.address("right")
    for remote in remotes.values():
        remote.run("modprobe -a sch_netem sch_tbf sch_prio cls_u32")
    remotes["right"].run("iperf3 --server --daemon; sleep 0.3")
    for way, shaping in WAYS.items():
        wanted = dict.fromkeys(PLACES, shaping)
        apply(shaping_setters(wanted), remotes)
        left.run(f"ping -c 1 {target}")
        said = [left.run(f"ping -q -c 30 -i 0.02 -s {size} {target}") for size in SIZES]
        left.run(f"iperf3 -c {target} -t 1")
        checks = prove(shaping_provers(wanted), remotes, lambda *_: None)
        found[way] = {
            "least": [float(re.search(r"= ([\d.]+)/", text)[1]) for text in said],
            "failed": [str(check) for check in checks if not check.passed],
        }
    wanted = dict.fromkeys(PLACES, PRIORITY)
    apply(shaping_setters(wanted), remotes)
    left.start(["iperf3", "-c", target, "-u", "-b", "20M", "-t", "6"], "/run/full.out")
    left.run("sleep 1")
    found["priority"] = {}
    for name, tos in CLASSES.items():
        said = left.run(f"ping -q -c 30 -i 0.05 -Q {tos} {target}")
        found["priority"][name] = float(re.search(r"= [\d.]+/([\d.]+)/", said)[1])
    checks = prove(shaping_provers(wanted), remotes, lambda *_: None)
    found["priority"]["failed"] = [str(check) for check in checks if not check.passed]
print(json.dumps(found))
