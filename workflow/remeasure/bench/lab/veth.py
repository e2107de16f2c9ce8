"""The network of a lab inside the running kernel: each link is a pair of veth interfaces.

Links carry frames that a network card could send: the kernel segments packets before the link, as
it does for a card without offload, so that no host hands another one 64 KiB at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.commands import run_ip, run_tool
from remeasure.bench.lab.guest import End
from remeasure.bench.lab.network import OUR_ADDRESS, control_address

if TYPE_CHECKING:  # the command line reads the names of back ends, and is to start at once
    from remeasure.bench.base.topology import Topology


class VethNetwork:
    """All links of a topology, and for each host one more pair of interfaces, which carries SSH, in
    the current network namespace. Each interface of a link has `queues` queues."""

    def __init__(self, topology: Topology, queues: int):
        lines = ["link set lo up"]
        self.ends: dict[str, list[End]] = {}
        """host -> names of its interfaces: the control network first, then its links in order"""
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

    def watch(self, on_failure: Callable[[str], None]) -> None:
        pass  # the kernel carries what the control network carries

    def close(self) -> None:
        """Take the network down; afterwards another one may be made."""
        for name in self._controls:
            with suppress(UserError):  # the peer may be gone already, with its host
                run_ip(f"link del {name}")
