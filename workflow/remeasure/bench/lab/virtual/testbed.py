"""The settings of a testbed in virtual time."""

from typing import Literal

from pydantic import Field

from remeasure.bench.base import config


class VirtualTestbed(config.Named):
    """A testbed in virtual time: hosts are namespaces of one guest on this machine, for which
    computing takes no time."""

    kind = "testbed"
    backend: Literal["virtual"]
    """what its hosts are made of"""
    memory_mib: int = Field(768, ge=256)
    """memory of the guest that all hosts share [MiB]"""
    kernel_entry_ns: int = Field(0, ge=0, le=1_000_000)
    """virtual time that each entry of a process into the kernel takes, a system call or a page
    fault [ns]; 0: none. A loop that makes system calls, but neither sleeps nor reads the clock,
    ends only if it is more than 0"""
