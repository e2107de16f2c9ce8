"""Counters of protocols, as Linux prints them in /proc/net/snmp and, of IPv6, /proc/net/snmp6."""

import re
from functools import lru_cache

_NAMES = re.compile(r"[A-Za-z0-9]+:( [A-Za-z0-9_]+)+ ?")
_NAME_AND_VALUE = re.compile(r"((?:Ip|Icmp|Udp|UdpLite)6[A-Za-z0-9]+)\s+([0-9]+)", re.ASCII)
_VALUES = re.compile(r"[A-Za-z0-9]+:( -?[0-9]+)+ ?")


def read_protocols(text: str) -> dict[str, int]:
    """Counters of /proc/net/snmp, which has two lines for each protocol: names, then values.
    Raises ValueError if a line is of another form, or a name comes twice."""
    lines = text.splitlines()
    counters: dict[str, int] = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        added = _protocol(names, values)
        if counters.keys() & added.keys():
            raise ValueError(f"{names.partition(':')[0]} twice")
        counters.update(added)
    return counters


def read_protocols_of_ipv6(text: str) -> dict[str, int]:
    """Counters of /proc/net/snmp6, a name and a value in each line; those that are 0 may be left
    out. Raises ValueError if a line is of another form, or a name comes twice."""
    counters: dict[str, int] = {}
    for line in text.splitlines():
        match = _NAME_AND_VALUE.fullmatch(line)
        if not match or match[1] in counters:
            raise ValueError(f"{line[:60]!r}: expected each counter once, as '<name> <number>'")
        counters[match[1]] = int(match[2])
    return counters


@lru_cache(maxsize=64)  # most protocols count nothing from one reading to the next
def _protocol(names: str, values: str) -> dict[str, int]:
    """Counters of one protocol, from its two lines."""
    if names.partition(":")[0] != values.partition(":")[0] or not _VALUES.fullmatch(values):
        raise ValueError(f"{values[:60]!r} behind {names[:60]!r}")
    return dict(zip(_names_of(names), map(int, values.split()[1:]), strict=True))


@lru_cache
def _names_of(line: str) -> list[str]:
    if not _NAMES.fullmatch(line):
        raise ValueError(f"{line[:60]!r}: expected a protocol and names")
    protocol, *names = line.split()
    if len({*names}) != len(names):
        raise ValueError(f"{line[:60]!r}: one name twice")
    return [protocol.removesuffix(":") + name for name in names]
