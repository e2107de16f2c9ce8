"""Whether an interface of a borrowed machine may be moved to another namespace.

An interface that moves loses its addresses, routes, queueing disciplines, and whatever is above or
below it. One with settings that the holder does not put back is refused, and so is one that a
daemon manages: the daemon would configure it again while the holder restores it. Lost without being
noticed are nexthop objects (ip-nexthop(8)) and joined multicast groups.
"""

import json
import re
import shlex

from remeasure.bench.testbed.remote import Remote

_MANAGERS = {
    "NetworkManager": (
        "nmcli -g GENERAL.STATE device show {} 2>/dev/null || true",
        "10 ",
        "say `nmcli device set {} managed no`",
    ),
    "systemd-networkd": (
        "sed -n s/^ADMIN_STATE=//p /run/systemd/netif/links/$(cat /sys/class/net/{}/ifindex) "
        "2>/dev/null || true",
        "unmanaged",
        "say `Unmanaged=yes` in the section Link of its .network file",
    ),
}
"""daemon -> command that prints what it does with an interface, how the answer begins where it
leaves the interface alone, and what its owner may do"""


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
    if any(" nexthop " in line and f" dev {interface} " in line for line in paths.splitlines()):
        return f"{interface} is one of several paths of a route; remove that route first"
    if _bound(firewall, interface):
        return f"a chain or flowtable of nftables is bound to {interface}; remove it first"
    # Queueing disciplines that the kernel makes itself have no number.
    if kinds := [qdisc["kind"] for qdisc in json.loads(shaped or "[]") if qdisc["handle"] != "0:"]:
        return f"{interface} has a queueing discipline ({', '.join(kinds)}); remove it first"
    return _managed(remote, interface)


def _bound(firewall: str, interface: str) -> bool:
    """Whether a chain or flowtable of nftables belongs to an interface, which it would lose."""
    found = re.findall(
        r"(?:hook \w+ device|devices =) (.*?)(?: priority|;|$)", firewall, re.MULTILINE
    )
    return any(interface in re.split(r"[^\w.@:-]+", devices) for devices in found)


def _managed(remote: Remote, interface: str) -> str | None:
    """Which daemon manages an interface, in words; None if none does. Raises CommandFailed."""
    asked = [asked.format(shlex.quote(interface)) for asked, _, _ in _MANAGERS.values()]
    for (manager, (_, free, advice)), said in zip(
        _MANAGERS.items(), remote.run_each(asked), strict=True
    ):
        if said.strip() and not said.startswith(free):
            return f"{interface} is managed by {manager}; {advice.format(interface)} first"
    return None
