"""Run inside a lab's namespaces: guests that stand for machines of an inventory.

The guests get a user with sudo, an SSH server on another port, and one that is reached through
another machine. Prints what came of it, as JSON.
"""

import json
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from ipaddress import IPv4Interface
from pathlib import Path

import yaml

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import Backend
from remeasure.bench.lab.image import get_image
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.network import Network
from remeasure.bench.lab.uml import KIND, UmlGuest
from remeasure.bench.measure.block import BlockOrder, measure_block
from remeasure.bench.testbed.remote import Remote, at_once

USER = """\
useradd -m -s /bin/sh -p '*' tester && mkdir -p ~tester/.ssh
cp /root/.ssh/authorized_keys ~tester/.ssh
chown -R tester ~tester/.ssh; chmod 700 ~tester/.ssh
echo 'tester ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/tester
/usr/sbin/sshd -p 2222 -h /run/lab/ssh_host_ed25519_key -o UsePAM=no -o UseDNS=no
ip addr add 192.168.77.7/24 dev {interface} && ip route add 192.168.78.0/24 via 192.168.77.1
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
CAMPAIGN = ["campaign-of-machines", "small", "1", "--profile", "smoke"]


class TapGuest(UmlGuest):
    """Its links end in taps: an interface that ends in a socket has closed it when it goes down,
    which it does on its way into another namespace, and never comes up again."""

    def command(self, ends: list) -> list[str]:
        control, *links = ends
        return [
            *super().command([control]),
            *(f"vec{i}:transport=tap,ifname={tap},depth=128" for i, tap in enumerate(links, 1)),
        ]


def states(remotes: dict[str, Remote]) -> dict[str, str]:
    """What can be seen of each host."""
    return dict(zip(remotes, at_once(lambda one: one.run(STATE), remotes.values()), strict=True))


def measure(folder: Path, name: str, inventory: dict) -> tuple[int, str]:
    (folder / f"config/testbeds/{name}.yaml").write_text(yaml.safe_dump(inventory))
    run = subprocess.run(
        ["remeasure", "measure", *CAMPAIGN, "--testbed", name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=400,
    )
    return run.returncode, run.stdout + run.stderr


def refused(inventory: dict) -> str:
    """Why nothing is measured."""
    (CONFIG / "testbeds/wrong.yaml").write_text(yaml.safe_dump(inventory))
    try:
        measure_block(BlockOrder("wrong", "small", 1, "smoke", "wrong", 1))
    except UserError as error:
        return str(error)
    return "measured"


def changed(inventory: dict, host: int, **fields) -> dict:
    hosts = [dict(one) for one in inventory["hosts"]]
    hosts[host] |= fields
    return inventory | {"hosts": hosts}


namespace.enter()
folder = Path(sys.argv[1])
topology = load_topology("site-to-site")
# A network of their owner's: from one gateway to the other, which nobody else reaches.
links = topology.links | {
    "owners": {"gw1": IPv4Interface("192.168.99.1/24"), "gw2": IPv4Interface("192.168.99.2/24")}
}
image = get_image()
taps = Backend(
    replace(KIND, network=lambda topology, cpus: Network(topology, queues=1)),
    1,
    partial(TapGuest, kernel=image.kernel, disk=image.disk, memory_mib=512),
    "none",
)
with Lab(topology.model_copy(update={"links": links}), taps) as lab:
    remotes = {host.name: Remote(host) for host in lab.hosts}
    for host in lab.hosts:
        first = next(iter(host.interfaces.values()))
        remotes[host.name].run(USER.format(interface=first))
        remotes[host.name].run("touch /run/seen")
    time.sleep(1)
    gw1, gw2 = lab.host("gw1"), lab.host("gw2")
    inventory = {
        "backend": "ssh",
        "hosts": [
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
        ],
    }
    through = {
        "address": gw1.address,
        "port": 2222,
        "user": "tester",
        "key": str(gw1.key),
        "host_key": gw1.host_key,
    }
    inventory["hosts"][2] |= {"address": "192.168.99.2", "jump": through}
    before = states(remotes)
    found = {"errors": {}}
    away = {**through, "address": "10.66.0.77"}
    remotes["gw2"].run("chmod 000 /usr/bin/iperf3")
    for what, wrong in {
        "a wrong key": changed(inventory, 1, key=str(gw1.key.with_name("host_gw1"))),
        "a wrong host key": changed(inventory, 1, host_key=lab.hosts[3].host_key),
        "no sudo": changed(inventory, 1, sudo=False),
        "a tool is missing": inventory,
        "a jump host that does not answer": changed(inventory, 2, jump=away),
        "an interface that is not there": changed(inventory, 0, interfaces={"site1": "eth9"}),
        "the interface of the SSH connection": changed(
            inventory, 0, interfaces={"site1": "control"}
        ),
        "two roles": {
            **inventory,
            "hosts": [
                {
                    **inventory["hosts"][0],
                    "roles": ["client1", "client2"],
                    "interfaces": {"site1": "site1", "site2": "site1"},
                },
                *inventory["hosts"][1:3],
            ],
        },
    }.items():
        found["errors"][what] = refused(wrong)
    remotes["gw2"].run("chmod 755 /usr/bin/iperf3; touch -r /etc/hostname /etc")
    for what, done, undone in (
        (
            "a port of a bridge",
            "ip link add br0 type bridge && ip link set site2 master br0",
            "ip link del br0",
        ),
        (
            "a queueing discipline",
            "tc qdisc add dev site2 root netem delay 1ms",
            "tc qdisc del dev site2 root",
        ),
        (
            "an interface that systemd-networkd manages",
            "mkdir -p /run/systemd/netif/links && echo ADMIN_STATE=configured "
            ">/run/systemd/netif/links/$(cat /sys/class/net/site2/ifindex)",
            "rm -r /run/systemd",
        ),
        (
            "an interface that NetworkManager manages",
            r"printf '#!/bin/sh\necho \"100 (connected)\"\n' >/usr/bin/nmcli; "
            "chmod +x /usr/bin/nmcli",
            "rm /usr/bin/nmcli",
        ),
    ):
        remotes["client2"].run(done)
        found["errors"][what] = refused(inventory)
        remotes["client2"].run(undone)
    found["untouched"] = before == states(remotes)
    found["measured"] = measure(folder, "mine", inventory)
    after = states(remotes)
    found["before"], found["after"] = before, after
    # One that is killed in the middle of a block leaves nothing either. Its flow comes first,
    # and lasts long enough to be met.
    scenario = folder / "notebooks/small/scenario.yaml"
    document = yaml.safe_load(scenario.read_text())
    document["probes"] = {"udp": document["probes"]["udp"] | {"duration": 5}}
    scenario.write_text(yaml.safe_dump(document))
    process = subprocess.Popen(
        ["remeasure", "measure", "killed", *CAMPAIGN[1:], "--testbed", "mine"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # While TCP between two of them is under way, which could keep both namespaces.
    remotes["client1"].run("until pgrep -x iperf3 >/dev/null; do sleep 0.1; done", timeout=300)
    process.kill()
    process.wait()
    for _ in range(40):
        found["killed"] = states(remotes)
        if found["killed"] == before:
            break
        time.sleep(0.5)
print(json.dumps(found))
