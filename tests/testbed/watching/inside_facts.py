"""Run inside a lab's namespaces: facts of the hosts of a back end, uml or virtual, as JSON."""

import json
import sys

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.testbeds import VirtualTestbed
from remeasure.bench.measure.virtual_hosts import VirtualHosts
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.instructions import ANY
from remeasure.bench.testbed.watching.facts import facts_of
from remeasure.bench.testbed.watching.readiness import Needs

MEMORY_MIB = 512
TOOLS = {"ip": Tool(["ip", "-V"], "iproute2")}
topology = load_topology("host-to-host")
if sys.argv[1] == "virtual":
    testbed = VirtualTestbed(name="virtual", backend="virtual", memory_mib=MEMORY_MIB)
    hosts = VirtualHosts(testbed, topology, Needs(TOOLS))
    hosts.require({ANY})
    with hosts:
        facts = facts_of(hosts.remotes(), TOOLS)
else:
    enter()
    with Lab(topology, make_backend("uml", MEMORY_MIB)) as inventory:
        facts = facts_of({role: Remote(inventory.host(role)) for role in topology.hosts}, TOOLS)
print(json.dumps(facts))
