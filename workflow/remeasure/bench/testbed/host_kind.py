"""What hosts are: what a block records of its back end, beside its name.

Readers of a block ask these fields, never the name of a back end: a name tells nothing to code that
was written before it.
"""

from typing import Literal

from typing_extensions import TypedDict

HostWord = Literal["machines", "guests", "emulated", "namespaces", "virtual"]
HOSTS: dict[HostWord, str] = {
    "machines": "each is a machine of its own",
    "guests": "guests of one machine, each with a kernel of its own",
    "emulated": "guests whose every instruction is translated: their rates show function only",
    "namespaces": "namespaces of one kernel: no host has processor time of its own",
    "virtual": "hosts on a virtual clock, for which computing takes no time",
}
"""what hosts are, in a word -> its meaning"""


class Nature(TypedDict):
    """What the hosts of a block are."""

    own_machine: bool
    """whether each host has a machine of its own; otherwise hosts share one machine's
    processors"""
    own_kernel: bool
    """whether each host runs a kernel of its own, whose processor time is the host's"""
    emulated: bool
    """whether every instruction of a host is translated"""
    virtual_clock: bool
    """whether the hosts' clock stops while they compute"""


OWN_MACHINES: Nature = {
    "own_machine": True,
    "own_kernel": True,
    "emulated": False,
    "virtual_clock": False,
}
"""hosts of an inventory"""
ON_VIRTUAL_CLOCK: Nature = {
    "own_machine": False,
    "own_kernel": False,
    "emulated": False,
    "virtual_clock": True,
}
"""hosts in virtual time: namespaces of one guest"""


def hosts_on_one_machine(own_kernel: bool, emulated: bool) -> Nature:
    """Hosts of a lab."""
    return {
        "own_machine": False,
        "own_kernel": own_kernel,
        "emulated": emulated,
        "virtual_clock": False,
    }


def host_word(nature: Nature) -> HostWord:
    """What hosts are, in one word of HOSTS: what matters most to who reads a rate."""
    if nature["virtual_clock"]:
        return "virtual"
    if nature["emulated"]:
        return "emulated"
    if nature["own_machine"]:
        return "machines"
    return "guests" if nature["own_kernel"] else "namespaces"
