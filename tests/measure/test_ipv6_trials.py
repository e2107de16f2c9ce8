"""An IPv6 topology in a lab: every proof passes, and errors are found."""

import re
from pathlib import Path

import pytest
from inside import guests_of, measured, scenario_of
from real_guests import run_inside

from remeasure.bench.base.family import IPV6
from remeasure.bench.base.topology import Topology, load_topology
from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.overhead import packet_on_wire
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab.namespace import enter
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.readers.capture import capture
from remeasure.bench.testbed.compiled import get_program
from remeasure.bench.testbed.treatments.treatment import apply

pytestmark = [pytest.mark.lab, pytest.mark.slow]
SITES, HOSTS, EAP = map(scenario_of, ("ipv6", "ipv6-hosts", "ipv6-eap"))
TOPOLOGY, IPV4_INSIDE = SITES.topology, load_topology("site-to-site-4in6")
SIZES = (8, 100, 1000, 1300)
"""payloads of the echo requests whose packets are captured [bytes]"""
_LENGTH = re.compile(r"^IP6 \(.*? payload length:? ([0-9]+)\)", re.MULTILINE)
_FILE = "/run/wire.pcap"


def measure_inside(folder: str) -> dict:
    """Trials, one of them with a foreign route; sizes of packets on the wire; packets that leave a
    gateway in the clear. Logs are in the folder."""
    get_program("flow")  # while the network can be reached
    enter()
    folder, trials = Path(folder), {}
    credentials = Credentials(folder / "secrets")
    with guests_of(TOPOLOGY) as remotes:

        def trial(name, suite, *options):
            cell, logs = {"suite": suite}, folder / name
            trials[name] = measured(SITES, remotes, cell, logs, credentials, *options)

        trial("none", "none")
        trial("esp", "esp")
        trial("renewed", "renewed", ("renewed",))
        wire = {}
        for suite in ("udp", "ah", "esp"):
            tunnel = SITES.settings({"suite": suite}).tunnel
            control = TunnelControl(tunnel, TOPOLOGY, remotes, credentials)
            control.configure()
            control.bring_up()
            wire[suite] = lengths_on_wire(remotes)
        clear = counted_in_the_clear(remotes, tunnel, TOPOLOGY)
        control.stop()
        apply(clear_text.clear_text_no_more({"gw1": "wan"}), remotes)
        foreign = "ip -6 route add 2001:db8:99::/64 dev wan"
        trial("changed", "none", ("latency",), lambda: remotes["gw2"].run(foreign))
    for name, scenario in (("hosts", HOSTS), ("eap", EAP)):
        with guests_of(scenario.topology) as remotes:
            logs = folder / name
            trials[name] = measured(scenario, remotes, {"suite": name}, logs, credentials)
    with guests_of(IPV4_INSIDE) as remotes:
        control = TunnelControl(tunnel, IPV4_INSIDE, remotes, credentials)
        control.configure()
        control.bring_up()
        mixed = counted_in_the_clear(remotes, tunnel, IPV4_INSIDE)
    return {"trials": trials, "wire": wire, "clear": [clear, mixed]}


def ping(remotes, count: int, size: int, topology: Topology = TOPOLOGY) -> None:
    options = ["-q", "-n", "-i", "0.02", "-c", str(count), "-s", str(size), "-W", "1"]
    remotes["client1"].run(["ping", *options, topology.address("client2")], check=False)


def lengths_on_wire(remotes) -> list[int]:
    """Lengths of the packets of two pings of each size, on the wire at the responder."""
    source = f"src host {TOPOLOGY.address('gw1', 'wan')}"
    wanted = f"ip6 and {source} and not icmp6 and not (udp and ip6[48:4] = 0)"
    with capture(remotes["gw2"], "wan", wanted, 100, _FILE):
        for size in SIZES:
            ping(remotes, 2, size)
    printed = remotes["gw2"].run(["tcpdump", "-nn", "-t", "-v", "-r", _FILE])
    return [int(length) for length in _LENGTH.findall(printed)]


def counted_in_the_clear(remotes, tunnel, topology: Topology) -> int:
    """Three packets in one piece, and two in three pieces each, that no policy protects."""
    apply(clear_text.clear_text_setters(tunnel, topology, {"gw1": "wan"}), remotes)
    for gateway in ("gw1", "gw2"):
        # charon's own route names no next hop: without a policy nothing would answer for it.
        remotes[gateway].run(
            f"ip xfrm policy flush; ip -{topology.family.version} route flush table 220"
        )
    ping(remotes, 3, 100, topology)
    ping(remotes, 2, 4000, topology)
    listed = remotes["gw1"].run(clear_text.ask("wan"))
    assert clear_text.families_in(listed) == tunnel.families(topology)
    return clear_text.read(listed, tunnel.families(topology)).clear


@pytest.fixture(scope="module")
def logs(shared_project) -> Path:
    return shared_project.folder / "trials"


@pytest.fixture(scope="module")
def found(shared_project, logs) -> dict:
    return run_inside(shared_project, measure_inside, logs)


@pytest.mark.parametrize("suite", ["none", "esp", "renewed", "hosts", "eap"])
def test_every_proof_holds(found, suite):
    record = found["trials"][suite]
    assert record["verdict"] != "rejected", record["reasons"]
    assert [check for check in record["checks"] if not check["passed"]] == []
    ends = {"hosts": ("left", "right"), "eap": ("initiator", "responder")}
    sender, receiver = ends.get(suite, ("gw1", "gw2"))
    wanted = {f"{receiver}: incomplete datagrams are forgotten after [s]"}
    if suite != "none":
        counted = "packets of ESP, AH and IKE"
        wanted |= {f"{sender}: {what}" for what in ("policies", counted)}
    if suite in ("esp", "hosts"):
        wanted |= {f"{sender}: packets in the clear", f"{receiver}: packets in"}
    if suite not in ends:
        wanted |= {"gw1.wan: filter of DSCP ef"}
    assert wanted <= {check["name"] for check in record["checks"]}


def test_hosts_find_each_other_in_the_clear(logs, found):
    """Neighbour discovery between gateways is counted separately, not as traffic that should be
    ESP."""
    listed = (logs / "hosts/proof.left.clear-text.txt").read_text()
    told = re.findall(r"match 8[78]000000/ff000000 at 40 .success ([0-9]+)", listed)
    assert len(told) == 2 and sum(map(int, told)) > 0


def test_numbers_are_of_both_ends(found, logs):
    values: dict[str, float] = {}
    for trial in ("esp", "renewed"):
        for entry in found["trials"][trial]["logs"]:
            content = (logs / trial / entry["file"]).read_bytes()
            for o in PROBES[entry["probe"]].parse(entry["file"], content):
                values[f"{entry['name']}.{o.metric}"] = o.value
    assert values["latency.received"] == 10
    assert values["path.hops"] == 3
    assert values["flow.up_favoured_received"] == 25
    assert 20 < values["tcp.goodput"] < 50
    assert values["logins.ike_exchanges"] == 2
    assert (values["renewed.initiator_ike_renewed"], values["renewed.responder_clear"]) == (1, 0)


@pytest.mark.parametrize("suite", ["esp", "udp", "ah"])
def test_packets_on_the_wire_are_as_long_as_computed(found, suite):
    """IPv6 and ICMP headers take 48 bytes; the counted length lacks the outer 40."""
    tunnel = SITES.settings({"suite": suite}).tunnel
    computed = [packet_on_wire(tunnel, size + 48, IPV6) - 40 for size in SIZES for _ in range(2)]
    assert found["wire"][suite] == computed


def test_packets_in_the_clear_are_counted_once_each(found):
    assert found["clear"] == [3 + 2, 3 + 2]


def test_a_route_that_nobody_asked_for_rejects_a_trial(found):
    record = found["trials"]["changed"]
    failed = {check["name"]: check["found"] for check in record["checks"] if not check["passed"]}
    assert record["verdict"] == "rejected"
    (name,) = failed
    assert name == "gw2: what has changed since the session began"
    assert failed[name].startswith("unicast 2001:db8:99::/64 dev wan")
