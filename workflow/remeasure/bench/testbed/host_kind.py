"""The nature of hosts: a block's record of its back end next to the back end's name. Readers of a
block ask these fields, never the name of a back end: a name tells nothing to code that was written
before it."""

import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from typing_extensions import TypedDict

HostWord = Literal["machines", "guests", "emulated", "namespaces", "virtual"]


STRONGSWAN = "strongswan-swanctl"
"""Debian package that has the version of strongSwan"""


class Nature(TypedDict):
    """The nature of the hosts of a block."""

    own_machine: bool
    """whether each host has a machine of its own; otherwise hosts share one machine's processors"""
    own_kernel: bool
    """whether each host runs a kernel of its own, whose processor time is the host's"""
    emulated: bool
    """whether every instruction of a host is translated"""
    virtual_clock: bool
    """whether the hosts' clock stops while they compute"""


def _nature(*holding: str) -> Nature:
    """The fields in `holding` are true, all others are not."""
    return cast(Nature, {field: field in holding for field in Nature.__annotations__})


NATURES: dict[HostWord, Nature] = {
    "machines": _nature("own_machine", "own_kernel"),
    "guests": _nature("own_kernel"),
    # Their rates show function only.
    "emulated": _nature("own_kernel", "emulated"),
    # No host has processor time of its own.
    "namespaces": _nature(),
    "virtual": _nature("virtual_clock"),
}
"""nature of hosts, in a word -> its fields"""


def hosts_of(session: Mapping[str, Any]) -> str:
    """The nature of the hosts of a session of a block, in a word; with the version of their
    strongSwan, if their testbed names the release that it comes from, to compare versions."""
    word: str = host_word(session["guests"])
    if session["testbed"].get("suite"):
        word += f" {upstream(session['image']['packages'][STRONGSWAN])}"
    return word


def upstream(version: str) -> str:
    """The version of a program in the version of its Debian package: 5.9.8 of 5.9.8-5+deb12u5, and
    3.2.10 of 3.2.10+dfsg-2+b1, whose archive Debian packed again."""
    return re.sub(r"^[0-9]+:|-[^-]*$|\+(b|deb)[0-9].*$|\+(dfsg|ds)[0-9.]*(?=-|$)", "", version)


def host_word(nature: Nature) -> HostWord:
    """The nature of hosts in one word. `nature` may have further fields."""
    return next(word for word, one in NATURES.items() if one.items() <= nature.items())
