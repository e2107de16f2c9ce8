"""What hosts did beside probes, by counters of a real trial that are changed."""

import copy
import json
import re

import pytest

from remeasure.campaign.archive import BlockArchive
from remeasure.campaign.folder import measured_scenario
from remeasure.ipsec.agreement import Carried
from remeasure.measure.foreign import Foreign, started_by
from remeasure.paths import ROOT
from remeasure.probes import PROBES
from remeasure.testbed.watching.counters import MARK
from remeasure.testbed.watching.protocols import read_protocols_of_ipv6
from remeasure.topology import load_topology

BLOCK = ROOT / "data/raw/lab-2026-11-22/psk-rsa/block-01.zip"
RUNS = "runs sshd\n"
PROGRAMS = f"{MARK}programs.txt\n9 100 5 5 sshd\n30 900 0 1 iperf3\n31 901 2 0 charon-systemd\n"
IKE = f"{MARK}ike-sas.txt\ns2s[1] established\n"


class Trial:
    """The counters of an accepted trial, before and after one run of a probe."""

    def __init__(self, name: str):
        scenario, archive = measured_scenario(BLOCK), BlockArchive(BLOCK)
        cell = {"auth": "psk", "network": "normal"}
        trial = next(t for t in archive.trials if t.record["cell"] == cell)
        settings = scenario.settings(cell)
        self.probe, self.topology = settings.probes[name], scenario.topology
        self.tunnel = settings.tunnel
        self.name, self.after, self.before = name, {}, {}
        observations = [
            observation
            for entry, content in archive.logs(trial)
            if (entry["name"], entry["repeat"]) == (name, 1)
            for observation in PROBES[entry["probe"]].parse(entry["file"], content)
        ]
        self.carried = self.probe.carried(observations)
        texts = {}
        for entry, parts in archive.counters(trial):
            text = "".join(f"{MARK}{kind}\n{content}" for kind, content in parts.items())
            texts.setdefault(entry["number"], {})[entry["host"]] = text + IKE + PROGRAMS
            if (entry["after"], entry["repeat"]) == (name, 1):
                number = entry["number"]
        self.before, self.after = texts[number - 1], dict(texts[number])

    def found(self, host: str = "", change=lambda text: text, **carried) -> list[str]:
        """The failed checks, if what a host showed after the run was changed."""
        after = dict(self.after)
        if host:
            after[host] = change(after[host])
            assert after[host] != self.after[host]
        settled = dict.fromkeys(self.topology.hosts, RUNS)
        interfaces = {
            (role, link): f"vec{1 + place}"
            for role in self.topology.hosts
            for place, link in enumerate(self.topology.links_of(role))
        }
        names = json.loads(re.search(r"link.json\n(.*)\n", self.after["gw1"])[1])
        if any(link["ifname"] == "wan" for link in names):
            interfaces = {key: key[1] for key in interfaces}
        foreign = Foreign(settled, started_by([self.probe]), self.tunnel, self.topology, interfaces)
        sent = Carried(**(self.carried.__dict__ | carried))
        foreign.look(self.name, self.probe, sent, self.before, after)
        return [str(check) for check in foreign.checks() if not check.passed]


@pytest.fixture(scope="module")
def latency() -> Trial:
    return Trial("latency")


@pytest.fixture(scope="module")
def stream() -> Trial:
    return Trial("tcp_up")


def protocol(name: str, by: int):
    """A change of one counter of /proc/net/snmp."""
    kind, field = re.fullmatch(r"(Icmp|Udp|Tcp|Ip)(\w+)", name).groups()

    def change(text: str) -> str:
        names, values = re.search(rf"^{kind}: (.*)\n{kind}: (.*)$", text, re.MULTILINE).groups()
        numbers = values.split()
        place = names.split().index(field)
        numbers[place] = str(int(numbers[place]) + by)
        return text.replace(f"{kind}: {values}", f"{kind}: {' '.join(numbers)}")

    return change


def more(pattern: str, by: int):
    """A change of the number in a text."""
    return lambda text: re.sub(pattern, lambda m: f"{m[1]}{int(m[2]) + by}", text, count=1)


def test_a_trial_as_it_was(latency, stream):
    assert latency.found() == stream.found() == []


@pytest.mark.parametrize(
    ("host", "change", "says"),
    [
        (
            "gw1",
            lambda text: text + "77 990 60 10 perl\n",
            "gw1: what else ran: found perl ran during latency (0.70 s of processor time)",
        ),
        (
            "gw2",
            lambda text: text.replace("s2s[1] est", "s2s[1] established\ns2s[2] est"),
            "gw2: IKE_SAs that were negotiated beside probes: found s2s[2] established",
        ),
        ("client2", protocol("IcmpInEchos", 20), "70 echo requests during latency"),
        ("client2", protocol("UdpNoPorts", 40), "40 datagrams during latency"),
        ("gw1", protocol("UdpInDatagrams", 40), "40 datagrams during latency"),
    ],
)
def test_what_is_beside_a_ping(latency, host, change, says):
    (line,) = latency.found(host, change)
    assert says in line


def test_packets_of_ipv6_are_counted_apart(latency):
    """The same trial, had its network IPv6 addresses: nothing of IPv6 was counted."""
    of_ipv6 = copy.copy(latency)
    of_ipv6.topology = load_topology("site-to-site-v6")
    with pytest.raises(ValueError, match=r"snmp6.txt: no Ip6InReceives, although probes send"):
        of_ipv6.found()


def test_counters_of_ipv6_are_read_line_by_line():
    text = "Ip6InReceives                   \t2077\nUdp6NoPorts                     \t3\n"
    assert read_protocols_of_ipv6(text) == {"Ip6InReceives": 2077, "Udp6NoPorts": 3}
    for wrong in (text + text, text[:-2], text.replace("Udp6", "Udp4")):
        with pytest.raises(ValueError, match="expected each counter once"):
            read_protocols_of_ipv6(wrong)


@pytest.mark.parametrize("setting", [{"encap": True}, {"per_cpu": "encap"}])
def test_packets_of_an_sa_in_udp_are_no_datagrams_of_others(latency, setting):
    in_udp = copy.copy(latency)
    in_udp.tunnel = latency.tunnel.model_copy(update=setting)
    assert in_udp.found("gw2", protocol("UdpInDatagrams", 50)) == []
    assert len(latency.found("gw2", protocol("UdpInDatagrams", 50))) == 1
    (line,) = in_udp.found("gw2", protocol("UdpInDatagrams", 100))
    assert "50 datagrams during latency" in line


def test_a_server_that_was_started_again(stream):
    def again(text):
        return text.replace("30 900 0 1 iperf3", "44 990 0 1 iperf3")

    (line,) = stream.found("client2", again)
    assert line.startswith("client2: what else ran: found iperf3 was started again during tcp_up")


FRAMES = r'("ifname":"(?:vec1|wan)".*?"rx":\{"bytes":\d+,"packets":)(\d+)'


def test_frames_in_clear_on_the_link_of_a_tunnel(latency):
    found = latency.found("gw2", more(FRAMES, 200)) or latency.found("gw1", more(FRAMES, 200))
    assert "frames on wan that belong to no SA: found 20" in found[0]


@pytest.mark.parametrize("gateway", ["gw1", "gw2"])
def test_frames_that_found_the_queue_of_a_processor_full_are_not_foreign(latency, gateway):
    """On a busy machine a released trial had 8 of each, and a test's trial had 134."""
    queue = "softnet.txt\n"

    def dropped(text):
        start = text.index(queue) + len(queue) + len("00000236 ")
        assert text[start : start + 8] == "00000000"
        return more(FRAMES, 200)(f"{text[:start]}{200:08x}{text[start + 8 :]}")

    assert latency.found(gateway, dropped) == []


def test_a_second_stream_in_either_direction(stream):
    (line,) = stream.found(most_payload=stream.carried.most_payload - 20_000_000)
    assert "gw2: what its inbound SA carried beside the probes: found" in line
    resent = stream.found("client1", protocol("TcpRetransSegs", 100_000))
    assert resent == []


def test_packets_against_a_ping(latency):
    (line,) = latency.found(back_packets=10)
    assert "gw2: what its inbound SA carried beside the probes: found 50 packets" in line
