"""Machines of an inventory: lab guests, reached like external machines. They have a user with sudo,
one has an SSH server on another port, and one is reached through another machine."""

import json
import subprocess
import time
from dataclasses import replace
from functools import partial
from ipaddress import IPv4Interface
from pathlib import Path

import pytest
import yaml
from cases import cases
from inside import said
from real_guests import add_small_scenario, run_inside

from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.image import get_image
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.network import Network
from remeasure.bench.lab.testbeds import Backend
from remeasure.bench.lab.uml import KIND, UmlGuest
from remeasure.bench.measure.block import BlockOrder, measure_block
from remeasure.bench.testbed.inventory import Inventory
from remeasure.bench.testbed.remote import Remote, at_once

pytestmark = [pytest.mark.lab, pytest.mark.slow]
USER = """\
useradd -m -s /bin/sh -p '*' tester && mkdir -p ~tester/.ssh
cp /root/.ssh/authorized_keys ~tester/.ssh
chown -R tester ~tester/.ssh; chmod 700 ~tester/.ssh
echo 'tester ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/tester
/usr/sbin/sshd -p 2222 -h /run/lab/ssh_host_ed25519_key -o UsePAM=no -o UseDNS=no
ip addr add 192.168.77.7/24 dev {interface} && ip route add 192.168.78.0/24 via 192.168.77.1
touch /run/seen
"""
STATE = """\
ip -o addr | sed 's/ *valid_lft.*//' | sort; ip route show table all | sort
ip xfrm state list nokeys; ip xfrm policy; tc qdisc show | sort
grep -H . /sys/class/net/*/queues/rx-*/rps_cpus; ls /run /tmp /mnt
find /etc -newer /run/seen | sort
cd /proc/sys/net && grep -sH . ipv4/ip_forward* ip*/conf/*/*forward* ip*/conf/*/*redirects \\
  ip*/conf/*/disable_ipv6
for i in /sys/class/net/*; do ethtool -k ${i##*/} | grep generic-receive-offload; done
ip -o link | cut -d' ' -f2-3
ps -eo args | grep -vE '^(ps|sort|sh -c|sshd|grep|sleep|.*\\[)' | sort
"""
MEASURE = ["remeasure", "measure", "{}", "small", "1", "--profile", "smoke", "--testbed", "mine"]
SPOILED = cases(__file__, "spoiled")
"""spoiling of an interface of client2 -> how, how that is undone, and the message"""
REFUSED = {
    "a tool": "machine-gw2: tool iperf3 missing package iperf3",
    "control": "interfaces.site1: control carries the SSH connection; it is not touched",
}
"""another error -> its message"""


class TapGuest(UmlGuest):
    """Its links end in taps: an interface that ends in a socket has closed it when it goes down,
    which it does on its way into another namespace, and never comes up again."""

    def command(self, ends: list) -> list[str]:
        control, *links = ends
        taps = (f"vec{i}:transport=tap,ifname={tap},depth=128" for i, tap in enumerate(links, 1))
        return [*super().command([control]), *taps]


def lab_of_machines() -> Lab:
    """With a network of their owner's: from one gateway to the other, which nobody else reaches."""
    topology, image = load_topology("site-to-site"), get_image()
    own = {f"gw{i}": IPv4Interface(f"192.168.99.{i}/24") for i in (1, 2)}
    kind = replace(KIND, network=lambda topology, cpus: Network(topology, queues=1))
    make = partial(TapGuest, kernel=image.kernel, disk=image.disk, memory_mib=512)
    links = topology.links | {"owners": own}
    return Lab(topology.model_copy(update={"links": links}), Backend(kind, 1, make, "none"))


def machines_of(lab: Inventory) -> dict:
    """An inventory of these guests, for a file."""
    hosts = [
        {
            "name": f"machine-{host.name}",
            "roles": [host.name],
            "address": host.address,
            "user": "tester",
            "key": str(host.key),
            "host_key": host.host_key,
            "sudo": True,
            "port": 2222 if host.name == "gw1" else 22,
            "interfaces": {
                link: name for link, name in host.interfaces.items() if link != "owners"
            },
        }
        for host in lab.hosts
    ]
    login = ("address", "port", "user", "key", "host_key")
    hosts[2] |= {"address": "192.168.99.2", "jump": {name: hosts[1][name] for name in login}}
    return {"backend": "ssh", "hosts": hosts}


def measure_inside(folder: str) -> dict:
    enter()
    with lab_of_machines() as lab:
        remotes = {host.name: Remote(host) for host in lab.hosts}
        for host in lab.hosts:
            remotes[host.name].run(USER.format(interface=next(iter(host.interfaces.values()))))
        time.sleep(1)
        inventory = machines_of(lab)
        found = {"before": states(remotes), "errors": errors_of(remotes, inventory)}
        found["untouched"] = found["before"] == states(remotes)
        (Path(folder) / "config/testbeds/mine.yaml").write_text(yaml.safe_dump(inventory))
        command = [word.format("campaign-of-machines") for word in MEASURE]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=400)
        found["measured"] = run.returncode, run.stdout + run.stderr
        found["after"] = states(remotes)
        kill_a_block(Path(folder), remotes)
        for _ in range(40):
            found["killed"] = states(remotes)
            if found["killed"] == found["before"]:
                break
            time.sleep(0.5)
        return found


def states(remotes: dict[str, Remote]) -> dict[str, str]:
    """Visible state of each host."""
    return dict(zip(remotes, at_once(lambda one: one.run(STATE), remotes.values()), strict=True))


def errors_of(remotes: dict[str, Remote], inventory: dict) -> dict[str, str]:
    """Why nothing is measured."""

    def refused(inventory: dict) -> str:
        (CONFIG / "testbeds/wrong.yaml").write_text(yaml.safe_dump(inventory))
        order = BlockOrder("wrong", "small", 1, "smoke", "wrong", 1)
        return said(lambda: measure_block(order))

    remotes["gw2"].run("chmod 000 /usr/bin/iperf3")
    client1, *others = inventory["hosts"]
    control = inventory | {"hosts": [client1 | {"interfaces": {"site1": "control"}}, *others]}
    errors = {"a tool": refused(inventory), "control": refused(control)}
    remotes["gw2"].run("chmod 755 /usr/bin/iperf3; touch -r /etc/hostname /etc")
    for what, (done, undone, _) in SPOILED.items():
        remotes["client2"].run(done)
        errors[what] = refused(inventory)
        remotes["client2"].run(undone)
    return errors


def kill_a_block(folder: Path, remotes: dict[str, Remote]) -> None:
    """In the middle: its flow comes first, and lasts long enough to be met. TCP between two
    machines, which could keep both namespaces, is under way then."""
    scenario = folder / "notebooks/small/scenario.yaml"
    document = yaml.safe_load(scenario.read_text())
    document["probes"] = {"udp": document["probes"]["udp"] | {"duration": 5}}
    scenario.write_text(yaml.safe_dump(document))
    command = [word.format("killed") for word in MEASURE]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=folder, **silent)
    remotes["client1"].run("until pgrep -x iperf3 >/dev/null; do sleep 0.1; done", timeout=300)
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def found(shared_project):
    add_small_scenario(shared_project, "latency", "udp", one_cell=True)
    return run_inside(shared_project, measure_inside, shared_project.folder)


@pytest.mark.parametrize(
    ("what", "message"), [*REFUSED.items(), *((what, how[2]) for what, how in SPOILED.items())]
)
def test_what_is_wrong_is_one_clear_line(found, what, message):
    told = found["errors"][what]
    assert message in told and "\n" not in told, told


def test_machines_are_as_they_were_also_after_a_kill(found, shared_project):
    assert found["untouched"], "nothing is changed by what is wrong"
    assert not (shared_project.folder / "data/raw/wrong").exists()
    assert found["after"] == found["before"]
    assert found["killed"] == found["before"]


def test_trials_are_accepted_and_nothing_tells_how_to_get_to_a_machine(found, shared_project):
    status, output = found["measured"]
    assert status == 0, output
    campaign = shared_project.folder / "data/raw/campaign-of-machines"
    block = BlockArchive(campaign / "small/block-01.zip")
    assert len(block.trials) == len(block.block["order"])
    for trial in block.trials:
        assert trial.record["verdict"] == "accepted", trial.record["reasons"]
    (session,) = block.block["sessions"]
    assert session["guests"]["backend"] == "ssh"
    assert session["hosts"]["gw1"]["tools"]["swanctl"].startswith("strongSwan")
    assert "cbc(aes)" in session["hosts"]["gw1"]["crypto"]
    for text in ((campaign / "campaign.yaml").read_text(), json.dumps(block.block["sessions"])):
        assert "machine-gw1" in text
        for private in ("10.66.0", "tester", "2222", "id_ed25519", "jump"):
            assert private not in text
