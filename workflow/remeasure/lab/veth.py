"""A lab's network inside the running kernel: a pair of veth interfaces for each link.

What crosses a link are frames that a network card could send: segmentation is done in software
before it, as by a card without offload, so that no host hands another 64 KiB at once.
"""

from contextlib import suppress

from remeasure.errors import UserError
from remeasure.lab.commands import run_ip, run_tool
from remeasure.lab.guest import End
from remeasure.lab.network import OUR_ADDRESS, control_address
from remeasure.topology import Topology


class VethNetwork:
    """All links of a topology, and a pair to each host for SSH, in the current network namespace.
    Hosts take their ends with them; what is left goes with us. `queues`: of each interface."""

    def __init__(self, topology: Topology, queues: int):
        lines = ["link set lo up"]
        self.ends: dict[str, list[End]] = {}
        """host -> its interfaces: control first, then its links in order"""
        for index, host in enumerate(topology.hosts):
            lines += [
                f"link add our{index} type veth peer name their{index}",
                f"addr add {OUR_ADDRESS} peer {control_address(index)} dev our{index}",
                f"link set our{index} up",
            ]
            self.ends[host] = [f"their{index}"]
        many = f"numrxqueues {queues} numtxqueues {queues}"
        pairs = []
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
        """Take it down; another may be made then."""
        for name in self._controls:
            with suppress(UserError):  # with its host, the peer may be gone already
                run_ip(f"link del {name}")
