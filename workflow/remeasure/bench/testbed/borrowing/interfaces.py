"""An interface of a borrowed machine: whether it may be moved, and the commands that restore it.

An interface that is moved to another namespace loses its addresses, routes, queueing disciplines,
and whatever is above or below it. An interface with settings that cannot be restored is therefore
refused. Lost without being noticed are nexthop objects (ip-nexthop(8)) and joined multicast groups.
A daemon that manages interfaces configures one anew when it comes back
(remeasure.bench.testbed.borrowing.managers).
"""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.gro import state_of_gro

FOREVER = 2**32 - 1
"""lifetime of an address that never expires [s] (ip-address(8))"""


def why_not(remote: Remote, interface: str) -> str | None:
    """The reason why an interface must not be borrowed; None if it may be. Raises CommandFailed."""
    links = {link["ifname"]: link for link in json.loads(remote.run(["ip", "-d", "-j", "link"]))}
    if interface not in links:
        return f"no interface {interface}; while another job measures here, it is not to be seen"
    if master := links[interface].get("master"):
        return f"{interface} is part of {master}; take it out first"
    if kind := links[interface].get("linkinfo", {}).get("info_kind"):
        return f"{interface} is virtual ({kind}) and would vanish with the namespace it is moved to"
    if above := [name for name, link in links.items() if link.get("link") == interface]:
        return f"{', '.join(above)} is on top of {interface}; remove it first"
    if "xdp" in links[interface]:
        return f"{interface} has an XDP program; remove it first"
    name = shlex.quote(interface)
    routes, shaped, paths, firewall = remote.run_each(
        [
            f"ip route show dev {name}",
            f"tc -j qdisc show dev {name} || true",
            "ip -o route show table all; ip -o -6 route show table all || true",
            "nft list ruleset 2>/dev/null || true",
        ]
    )
    if "default" in routes:
        return f"{interface} has a default route, by which the machine may be reached"
    if interface in _of_several_paths(paths):
        return f"{interface} is one of several paths of a route; remove that route first"
    # Chains and flowtables of nftables that are bound to a device lose it.
    bound = re.findall(
        r"(?:hook \w+ device|devices =) (.*?)(?: priority|;|$)", firewall, re.MULTILINE
    )
    if any(interface in re.split(r"[^\w.@:-]+", devices) for devices in bound):
        return f"a chain or flowtable of nftables is bound to {interface}; remove it first"
    # Queueing disciplines that the kernel makes itself have no number.
    if kinds := [qdisc["kind"] for qdisc in json.loads(shaped or "[]") if qdisc["handle"] != "0:"]:
        return f"{interface} has a queueing discipline ({', '.join(kinds)}); remove it first"
    return None


def _of_several_paths(routes: str) -> set[str]:
    """The interfaces of routes with several paths, from lines of `ip -o route`."""
    several = (line for line in routes.splitlines() if "nexthop" in line)
    return {interface for line in several for interface in re.findall(r" dev (\S+)", line)}


def restoring(remote: Remote, interface: str) -> list[str]:
    """The shell commands that restore the present settings of an interface; each must succeed.
    Raises CommandFailed."""
    name = shlex.quote(interface)
    channels = f"ethtool -l {name} 2>/dev/null | awk '/^Combined:/ {{n=$2}} END {{print n}}'"
    shown, switches, routes4, routes6, queues, masks, features, neighbours = remote.run_each(
        [
            f"ip -j addr show dev {name}",
            # Some can be read only, or written only until they are set.
            f"find /proc/sys/net/*/*/{name} -type f -perm -600 ! -name stable_secret "
            "-exec grep -sH . {} + || true",
            f"ip -4 route show table all dev {name}",
            f"ip -6 route show table all dev {name}",
            channels,
            f"grep -H . /sys/class/net/{name}/queues/rx-*/rps_cpus || true",
            f"ethtool -k {name} 2>/dev/null || true",
            f"ip -j neigh show nud permanent dev {name}",
        ]
    )
    (link,) = json.loads(shown)
    lines = [_switches(switches)] if switches else []
    lines += [_address(address, interface) for address in link["addr_info"] if _stays(address)]
    if "UP" in link["flags"]:
        lines.append(f"ip link set {name} up")
        for family, routes in (("-4", routes4), ("-6", routes6)):
            # A gateway must be reachable before a route through it can be added.
            lines += [
                f"ip {family} route replace {route} dev {name}"
                for route in sorted(_routes(routes), key=lambda route: " via " in route)
            ]
        lines += [
            f"ip neigh replace {one['dst']} lladdr {one['lladdr']} nud permanent dev {name}"
            for one in json.loads(neighbours or "[]")
        ]
    lines += _steering(name, channels, queues.strip(), masks)
    # What remeasure.bench.testbed.treatments.gro changes; ethtool may not be able to tell.
    if (state := state_of_gro(features)) in ("on", "off"):
        lines.append(f"ethtool -K {name} gro {state}")
    return lines


def _stays(address: dict[str, Any]) -> bool:
    """Whether an address is to be set again. One that a router advertises returns with its next
    advertisement."""
    advertised = address["family"] == "inet6" and address.get("dynamic")
    return address["scope"] == "global" and not advertised


def _steering(name: str, channels: str, queues: str, masks: str) -> Iterator[str]:
    """What remeasure.bench.testbed.treatments.steering changes: queues, and the processors of each.
    `channels`: command that counts the queues."""
    if queues.isdigit():
        yield f'[ "$({channels})" = {queues} ] || ethtool -L {name} combined {queues}'
    for path, _, mask in (line.rpartition(":") for line in masks.splitlines()):
        yield f"echo {mask} >{shlex.quote(path)}"


def _routes(text: str) -> list[str]:
    """The routes in the output of `ip route`, except those that the kernel makes itself or that
    expire."""
    return [
        line.replace(" linkdown", "").replace(" dead", "").strip()
        for line in text.splitlines()
        if not any(word in line.split() for word in ("local", "ra", "expires", "fe80::/64"))
    ]


def _address(address: dict[str, Any], interface: str) -> str:
    peer = f" peer {address['address']}" if "address" in address else ""
    parts = [f"ip addr replace {address['local']}{peer}/{address['prefixlen']}"]
    for field, word in (("broadcast", "broadcast"), ("metric", "metric")):
        if field in address:
            parts.append(f"{word} {address[field]}")
    if address.get("label", interface) != interface:
        parts.append(f"label {shlex.quote(address['label'])}")
    if address["valid_life_time"] < FOREVER:
        parts.append(
            f"valid_lft {address['valid_life_time']} preferred_lft {address['preferred_life_time']}"
        )
    if address.get("noprefixroute"):
        parts.append("noprefixroute")
    return " ".join([*parts, f"dev {shlex.quote(interface)}"])


def _switches(found: str) -> str:
    """The command that restores sysctls, from lines of a file and its content. It starts no program
    for each, as there are hundreds; it sets `bad` if it fails."""
    lines = (line.rpartition(":")[::2] for line in found.splitlines())
    return "\n".join(
        [
            "while read -r file value; do read -r now <$file",
            '[ "$now" = "$value" ] || echo "$value" >$file || bad=1; done <<\'\'',
            *(f"{path} {value}" for path, value in lines),
            "",
        ]
    )
