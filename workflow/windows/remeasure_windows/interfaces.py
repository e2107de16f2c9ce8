"""Network connections of a host, by System.Net.NetworkInformation of .NET 2.0. The names of that
interface are the same on every Windows, whatever its language. A connection's name in an inventory
is the one that people see (`Ethernet 2`), which .NET calls Name and cmdlets call InterfaceAlias."""

from collections.abc import Iterable
from ipaddress import IPv4Interface
from typing import NamedTuple

from remeasure_windows.powershell import array, read, script


class Connection(NamedTuple):
    """One network connection."""

    up: bool
    speed: int
    """speed of the connection [bit/s]; -1 if the driver does not report it"""
    addresses: list[IPv4Interface]


def look(names: Iterable[str]) -> str:
    """A script that prints state, speed and addresses of connections."""
    return script("network connections", read("connections", names=array(names)))


def read_look(text: str) -> dict[str, Connection]:
    """Parse the output of the script of `look`: name -> connection. Raises ValueError naming the
    line."""
    found = {}
    for line in text.splitlines():
        try:
            name, status, speed, addresses = line.split("\t")
            found[name] = Connection(
                status == "Up", int(speed), [IPv4Interface(a) for a in addresses.split(",") if a]
            )
        except ValueError:
            raise ValueError(
                f"found {line!r}, expected name, state, speed and addresses of a connection"
            ) from None
    return found


def count(names: Iterable[str]) -> str:
    """A script that prints the counters of connections, and processor time."""
    return script("counters", read("counters", names=array(names)))
