"""Run inside a lab's namespaces: trials of ipv6.yaml, one of them with foreign packets; then
sizes of packets on the wire; packets that leave a gateway in the clear; a trial of ipv6-hosts.yaml.
Prints what was found as JSON, and writes the logs of trials into the folder given."""

import json
import re
import sys
from functools import partial
from pathlib import Path

from remeasure.bench.base.documents import read_yaml
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.task import Task
from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.measure.trial import Trial
from remeasure.bench.probes.flow_run import build_program
from remeasure.bench.probes.readers.capture import capture
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.treatment import apply
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.unchanged import remember

SIZES = (8, 100, 1000, 1300)
"""payloads of echo requests [bytes]"""
_LENGTH = re.compile(r"^IP6 \(.*? payload length:? ([0-9]+)\)", re.MULTILINE)
_FILE = "/run/wire.pcap"

build_program()  # while the network can be reached
namespace.enter()
folder = Path(sys.argv[1])
found = {"trials": {}, "wire": {}}
credentials = Credentials(folder / "secrets")


def scenario_of(name: str) -> Scenario:
    source = Path(__file__).with_name(f"{name}.yaml")
    return Scenario(source.stem, read_yaml(source), "smoke", str(source))


def measure(scenario, remotes, name, suite, probes=(), on_probe=lambda: None) -> None:
    """Measure a cell with these of its probes; with all, if none is named."""
    logs, cell = folder / name, {"suite": suite}
    logs.mkdir(parents=True)
    asked = scenario.settings(cell).probes
    task = Task.of(scenario, cell, {p: asked[p] for p in probes or asked}, 1, credentials)
    run = Trial(task, logs, LinuxDriver(task, remotes), LocalMeter)
    found["trials"][name] = run.run(lambda *_: on_probe())


scenario = scenario_of("ipv6")
topology = scenario.topology
target = topology.address("client2")
with Lab(topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in topology.hosts}
    remember(remotes.values())

    trial = partial(measure, scenario, remotes)

    def ping(count: int, size: int) -> None:
        options = ["-q", "-n", "-i", "0.02", "-c", str(count), "-s", str(size), "-W", "1"]
        remotes["client1"].run(["ping", *options, target], check=False)

    def changed() -> None:
        remotes["gw2"].run("ip -6 route add 2001:db8:99::/64 dev wan")

    def wire(suite: str) -> TunnelControl:
        """Lengths of the packets of two pings of each size, on the wire at the responder."""
        tunnel = scenario.settings({"suite": suite}).tunnel
        control = TunnelControl(tunnel, topology, remotes, credentials)
        control.configure()
        control.bring_up()
        source = f"src host {topology.address('gw1', 'wan')}"
        wanted = f"ip6 and {source} and not icmp6 and not (udp and ip6[48:4] = 0)"
        with capture(remotes["gw2"], "wan", wanted, 100, _FILE):
            for size in SIZES:
                ping(2, size)
        printed = remotes["gw2"].run(["tcpdump", "-nn", "-t", "-v", "-r", _FILE])
        found["wire"][suite] = [int(length) for length in _LENGTH.findall(printed)]
        return control

    trial("none", "none")
    trial("esp", "esp")
    for suite in ("udp", "ah", "esp"):
        control = wire(suite)
    apply(clear_text.clear_text_setters(control.tunnel, topology, {"gw1": "wan"}), remotes)
    for gateway in ("gw1", "gw2"):
        # charon's own route names no next hop: without a policy nothing would answer for it.
        remotes[gateway].run("ip xfrm policy flush; ip -6 route flush table 220")
    ping(3, 100)
    ping(2, 4000)
    counters = remotes["gw1"].run(clear_text.ask("wan"))
    found["clear"] = clear_text.read(counters, topology.family)
    control.stop()
    apply(clear_text.clear_text_no_more({"gw1": "wan"}), remotes)
    trial("changed", "none", ["latency"], changed)
hosts = scenario_of("ipv6-hosts")
with Lab(hosts.topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in hosts.topology.hosts}
    remember(remotes.values())
    measure(hosts, remotes, "hosts", "hosts")
print(json.dumps(found))
