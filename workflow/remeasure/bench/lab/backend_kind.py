"""What defines a back end of the lab: how its hosts are made, and what they can do.

A back end is a file of this folder with a `KIND`, an entry in `backends.KINDS`, and a testbed that
names it (config/testbeds).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from remeasure.bench.lab.guest import End, Guest
from remeasure.bench.lab.namespace import guest_root_options
from remeasure.bench.testbed.host_kind import NATURES, Nature
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.instructions import Wanted

if TYPE_CHECKING:  # the command line reads the names of back ends, and is to start at once
    from remeasure.bench.base.topology import Topology

Make = Callable[[str, Path], Guest]
"""a function that makes a host, not yet started, from its name and folder"""


class LabNetwork(Protocol):
    """The network that joins the hosts of a lab, in the current network namespace."""

    ends: dict[str, list[End]]
    """host -> end of each of its interfaces: the control network first, then its links in order"""

    def close(self) -> None:
        """Take the network down; afterwards another one may be made."""


@dataclass(frozen=True)
class BackendKind:
    """One back end. The defaults describe a guest: a kernel of its own on the guest image."""

    name: str
    """name of the back end in testbeds, on the command line and in archives"""
    prepare: Callable[[int, Wanted], Make]
    """takes the memory of each host [MiB] and what is asked of its processors, and returns the
    function that makes a host; builds image and kernel where they are missing; raises UserError"""
    network: Callable[[Topology, int], LabNetwork]
    """takes a topology and the processors of each host and returns the network, which is up"""
    interface: str
    """name that the host's kernel gives an interface, without the number, which counts from 0"""
    boot_limit_s: float
    """time within which a host must answer after its start [s]"""
    own_kernel: bool = True
    """whether each host runs a kernel of its own, on the guest image; otherwise hosts run the
    kernel, processors and tools of this machine"""
    ticks: bool = False
    """whether the kernel of a host ticks even when it is idle, so that its processor time always
    grows"""
    instructions: bool = False
    """whether its kernel has code for the processor's instructions for cryptography, and can be
    told which of them to use"""
    several_cpus: bool = True
    """whether a host may have more than one processor"""
    default_cpus: Callable[[], int] = lambda: 1
    """processors of an unpinned host, if the scenario does not say how many"""
    stands_in: Callable[[], bool] | None = None
    """whether this machine can start this back end in place of one whose hosts have one processor,
    for a scenario that sets the number of processors; None: it never stands in"""
    compile_s: float = 0
    """processor time for which its kernel is compiled, once [s]; 0: nothing is compiled"""
    is_built: Callable[[], bool] = lambda: True
    """whether the kernel that is compiled is there"""
    accelerator: Callable[[], str] = lambda: "none"
    """kvm; tcg, which translates every instruction, so that only function can be tested; or none,
    if hosts are no virtual machines"""
    root_options: Callable[[], list[str]] = guest_root_options
    """options of unshare(1) that make this process root of the lab's namespaces; raises
    UserError"""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """name -> tool that this machine must have for hosts that use its programs, beside the tools of
    the scenario"""
    modules: Mapping[str, str] = field(default_factory=dict)
    """kernel module that this machine must have for hosts that use its kernel -> the option of the
    kernel's configuration that builds it"""

    def nature(self, accelerator: str) -> Nature:
        """What its hosts are, under this accelerator."""
        if not self.own_kernel:
            return NATURES["namespaces"]
        return NATURES["emulated" if accelerator == "tcg" else "guests"]
