"""Back end netns: a host is a set of namespaces of the running kernel, with its own SSH server.

Hosts share the machine's kernel, processors and programs. Each host has its own:

  network namespace    the ends of its links, SAs and policies, queueing disciplines
  mount namespace      /run, /tmp, /etc/swanctl, /etc/strongswan.d
  PID, UTS namespaces  its daemons, which end with the namespace; its name
"""

import shlex
from contextlib import suppress
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.guest import BackendKind, Guest, LinkEnd
from remeasure.bench.lab.namespace import run_ip, run_tool
from remeasure.bench.lab.network import OUR_ADDRESS, control_address
from remeasure.bench.lab.placement import usable_cores
from remeasure.bench.testbed.borrowing.namespace_setup import OWN_FILES, OWN_NETWORK, REAP, SPACES
from remeasure.bench.testbed.tools import Tool, program, wait_until


class VethNetwork:
    """All links of a topology, and for each host one more pair of interfaces, which carries SSH, in
    the current network namespace. Each interface of a link has `queues` queues."""

    def __init__(self, topology: Topology, queues: int):
        lines = ["link set lo up"]
        self.ends: dict[str, list[LinkEnd]] = {}
        for index, host in enumerate(topology.hosts):
            lines += [
                f"link add our{index} type veth peer name their{index}",
                f"addr add {OUR_ADDRESS} peer {control_address(index)} dev our{index}",
                f"link set our{index} up",
            ]
            self.ends[host] = [f"their{index}"]
        many = f"numrxqueues {queues} numtxqueues {queues}"
        pairs: list[str] = []
        for index, hosts in enumerate(topology.links.values()):
            ends = f"link{index}a", f"link{index}b"
            pairs += ends
            lines.append(f"link add {ends[0]} {many} type veth peer name {ends[1]} {many}")
            for host, end in zip(hosts, ends, strict=True):
                self.ends[host].append(end)
        run_ip(*lines)
        for end in pairs:
            run_tool(["ethtool", "-K", end, "tso", "off", "tx-udp-segmentation", "off"])
        self._controls = [f"our{index}" for index in range(len(topology.hosts))]

    def close(self) -> None:
        """Take the network down; afterwards another one may be made."""
        for name in self._controls:
            with suppress(UserError):  # the peer may be gone already, with its host
                run_ip(f"link del {name}")


_INTERFACE = "veth"
_NETWORK_LIMIT_S = 10
_TOOLS = {
    "sshd": Tool(["/usr/sbin/sshd", "-V"], "openssh-server"),
    "unshare": Tool(["unshare", "--version"], "util-linux"),
    "ethtool": Tool(["ethtool", "--version"], "ethtool"),
}
_INIT = program(
    "netns-init.sh",
    files=OWN_FILES,
    network=OWN_NETWORK,
    wait=wait_until(f"[ -e /sys/class/net/{_INTERFACE}$1 ]", "exit 1", steps=200, pause_s=0.02),
)
"""script of the host's first process; its argument is the number of the last interface"""


class NetnsHost(Guest):
    """A host made of namespaces, with the processors on which it is started."""

    def command(self, ends: list[LinkEnd]) -> list[str]:
        script = shlex.join(["sh", "-e", "-c", _INIT, "sh", str(len(ends) - 1)])
        return ["unshare", *SPACES.split(), "sh", "-c", f"{script} || echo LAB-FAILED; {REAP}"]

    def start(self, ends: list[LinkEnd], seed: dict[str, str]) -> None:
        super().start(ends, seed)
        self.wait_until(self._has_its_network, _NETWORK_LIMIT_S)
        for i, end in enumerate(ends):
            run_ip(f"link set {end} netns {self.process} name {_INTERFACE}{i}")

    def _has_its_network(self) -> bool:
        try:
            theirs = Path(f"/proc/{self.process}/ns/net").readlink()
        except FileNotFoundError:  # the process ended
            return False
        return theirs != Path("/proc/self/ns/net").readlink()


KIND = BackendKind(
    name="netns",
    prepare=lambda memory_mib, wanted: NetnsHost,
    network=VethNetwork,
    interface=_INTERFACE,
    boot_limit_s=20,
    own_kernel=False,
    default_cpus=lambda: len(usable_cores()),
    tools=_TOOLS,
    modules={"veth": "VETH"},
)
