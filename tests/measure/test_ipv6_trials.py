"""A topology of IPv6 in a lab: every proof holds, and what is wrong is found."""

import re
from pathlib import Path

import pytest
from real_guests import run_inside

from remeasure.bench.base.documents import read_yaml
from remeasure.bench.base.family import IPV6
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.ipsec.overhead import packet_on_wire
from remeasure.bench.probes import PROBES

pytestmark = [pytest.mark.lab, pytest.mark.slow]
HERE = Path(__file__).parent
SIZES = (8, 100, 1000, 1300)
"""payloads of the echo requests whose packets were captured [bytes]"""


@pytest.fixture(scope="module")
def logs(shared_project) -> Path:
    return shared_project.folder / "trials"


@pytest.fixture(scope="module")
def found(shared_project, logs) -> dict:
    return run_inside(shared_project, HERE / "inside_ipv6.py", logs)


def settings(suite: str):
    source = HERE / "ipv6.yaml"
    return Scenario("ipv6", read_yaml(source), "smoke", str(source)).settings({"suite": suite})


@pytest.mark.parametrize("suite", ["none", "esp", "hosts"])
def test_every_proof_holds(found, suite):
    record = found["trials"][suite]
    assert record["verdict"] != "rejected", record["reasons"]
    assert [check for check in record["checks"] if not check["passed"]] == []
    sender, receiver = ("left", "right") if suite == "hosts" else ("gw1", "gw2")
    wanted = {f"{receiver}: incomplete datagrams are forgotten after [s]"}
    if suite != "none":
        wanted |= {f"{sender}: {what}" for what in ("policies", "packets in the clear")}
        wanted |= {f"{receiver}: packets in"}
    if suite != "hosts":
        wanted |= {"gw1.wan: filter of DSCP ef"}
    assert wanted <= {check["name"] for check in record["checks"]}


def test_hosts_find_each_other_in_the_clear(logs, found):
    """Neighbour discovery between gateways is counted beside IKE, not as what should be ESP."""
    listed = (logs / "hosts/proof.left.clear-text.txt").read_text()
    told = re.findall(r"match 8[78]000000/ff000000 at 40 .success ([0-9]+)", listed)
    assert len(told) == 2 and sum(map(int, told)) > 0


def test_numbers_are_of_both_ends(found, logs):
    values: dict[str, float] = {}
    for entry in found["trials"]["esp"]["logs"]:
        content = (logs / "esp" / entry["file"]).read_bytes()
        for o in PROBES[entry["probe"]].parse(entry["file"], content):
            values[f"{entry['name']}.{o.metric}"] = o.value
    assert values["latency.received"] == 10
    assert values["path.hops"] == 3
    assert values["flow.up_favoured_received"] == 25
    assert 20 < values["tcp.goodput"] < 50
    assert values["logins.ike_exchanges"] == 2


@pytest.mark.parametrize("suite", ["esp", "udp", "ah"])
def test_packets_on_the_wire_are_as_long_as_computed(found, suite):
    """Headers of IPv6 and of ICMP take 48 bytes; the counted length lacks the outer 40."""
    tunnel = settings(suite).tunnel
    computed = [packet_on_wire(tunnel, size + 48, IPV6) - 40 for size in SIZES for _ in range(2)]
    assert found["wire"][suite] == computed


def test_packets_in_the_clear_are_counted_once_each(found):
    """Three packets in one piece, and two in three pieces each."""
    _, clear = found["clear"]
    assert clear == 5


def test_a_route_that_nobody_asked_for_rejects_a_trial(found):
    record = found["trials"]["changed"]
    failed = {check["name"]: check["found"] for check in record["checks"] if not check["passed"]}
    assert record["verdict"] == "rejected"
    (name,) = failed
    assert name == "gw2: what has changed since the session began"
    assert failed[name].startswith("unicast 2001:db8:99::/64 dev wan")
