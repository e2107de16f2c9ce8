"""What a back end of the lab is: how its hosts are made, and what they can do.

A back end is a file of this folder with a `KIND`, an entry in `backends.KINDS`, and a testbed that
names it (config/testbeds).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from remeasure.lab.guest import End, Guest
from remeasure.lab.namespace import guest_root_options
from remeasure.testbed.tools import Tool

if TYPE_CHECKING:  # the command line reads the names of back ends, and is to start at once
    from remeasure.topology import Topology

Make = Callable[[str, Path], Guest]
"""name and folder of a host -> the host, not yet started"""


class LabNetwork(Protocol):
    """What joins the hosts of a lab, in the current network namespace."""

    ends: dict[str, list[End]]
    """host -> where each of its interfaces ends: the control network first, then its links in
    order"""

    def close(self) -> None:
        """Take the network down; another one may be made then."""


@dataclass(frozen=True)
class BackendKind:
    """One back end. The defaults are those of a guest: a kernel of its own on the guest image."""

    name: str
    """as testbeds, the command line and archives write it"""
    prepare: Callable[[int, int], Make]
    """memory [MiB] and processors of each host -> what makes a host. Builds image and kernel where
    they are missing. Raises UserError."""
    network: Callable[[Topology, int], LabNetwork]
    """topology and processors of each host -> the network, which is up"""
    interface: str
    """what its kernel calls an interface, before a number that counts from 0"""
    boot_limit_s: float
    """time until a host must answer [s]"""
    own_kernel: bool = True
    """whether each host runs a kernel of its own; otherwise hosts run the kernel, processors and
    tools of this machine"""
    has_image: bool = True
    """whether hosts run the guest image, whose packages are stored with a block"""
    several_cpus: bool = True
    """whether a host may have more than one processor"""
    default_cpus: Callable[[], int] = lambda: 1
    """processors of a host, where a scenario does not say how many"""
    stands_in: Callable[[], bool] | None = None
    """whether this machine can start it in place of a back end whose hosts have one processor,
    for a scenario that says how many; None: it never stands in"""
    accelerator: Callable[[], str] = lambda: "none"
    """kvm, tcg (every instruction is translated: functional only), or none, where a host needs no
    virtual machine"""
    root_options: Callable[[], list[str]] = guest_root_options
    """options of unshare(1) that make us root of the namespaces of a lab. Raises UserError."""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """tools that hosts without a kernel of their own need on this machine, beside those of a
    scenario"""
    modules: Mapping[str, str] = field(default_factory=dict)
    """likewise: kernel module -> its option in the kernel's configuration"""
