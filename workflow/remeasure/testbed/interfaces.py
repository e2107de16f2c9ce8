"""An interface of somebody's machine: whether it can be lent, and what gives it back what it had.

In another namespace an interface has no address, no route, no queueing discipline and nothing above
or below it; what it is not given back is lost. So what we cannot give back is not borrowed.
"""

import json
import shlex

from remeasure.testbed.remote import Remote

FOREVER = 2**32 - 1
"""lifetime of an address, s (ip-address(8))"""


def why_not(remote: Remote, interface: str) -> str | None:
    """Why an interface is not to be borrowed."""
    links = {link["ifname"]: link for link in json.loads(remote.run(["ip", "-j", "link"]))}
    if interface not in links:
        return f"no interface {interface}"
    if master := links[interface].get("master"):
        return f"{interface} is part of {master}; take it out first"
    # Each end of a pair of veth names the other.
    if above := [name for name, link in links.items()
                 if link.get("link") == interface and links[interface].get("link") != name]:
        return f"{', '.join(above)} is on top of {interface}; remove it first"
    shaped = json.loads(remote.run(["tc", "-j", "qdisc", "show", "dev", interface], check=False)
                        or "[]")
    # The kernel's own have no number.
    if kinds := [qdisc["kind"] for qdisc in shaped if qdisc["handle"] != "0:"]:
        return f"{interface} has a queueing discipline ({', '.join(kinds)}); remove it first"
    return None


def restoring(remote: Remote, interface: str) -> list[str]:
    """The shell commands that give an interface back what it has now, each of them to succeed."""
    name = shlex.quote(interface)
    link, = json.loads(remote.run(["ip", "-j", "addr", "show", "dev", interface]))
    lines = [_address(address, name) for address in link["addr_info"]
             # What a router advertises comes back with its next advertisement.
             if address["scope"] == "global" and not (
                 address["family"] == "inet6" and address.get("dynamic"))]
    if "UP" in link["flags"]:
        lines.append(f"ip link set {name} up")
        for family in ("-4", "-6"):
            routes = remote.run(["ip", family, "route", "show", "dev", interface]).splitlines()
            # The kernel makes those of the addresses itself.
            lines += [f"ip {family} route replace {route.replace(' linkdown', '')} dev {name}"
                      for route in routes
                      if "proto kernel" not in route and "proto ra" not in route]
    return lines + _steering(remote, interface)


def _address(address: dict, name: str) -> str:
    parts = [f"ip addr replace {address['local']}/{address['prefixlen']}"]
    if "broadcast" in address:
        parts.append(f"broadcast {address['broadcast']}")
    if address["valid_life_time"] < FOREVER:
        parts.append(f"valid_lft {address['valid_life_time']} "
                     f"preferred_lft {address['preferred_life_time']}")
    return " ".join([*parts, f"dev {name}"])


def _steering(remote: Remote, interface: str) -> list[str]:
    """What testbed.steering changes: the number of queues, and the processors of each."""
    name = shlex.quote(interface)
    channels = f"ethtool -l {name} 2>/dev/null | awk '/^Combined:/ {{n=$2}} END {{print n}}'"
    queues = remote.run(channels).strip()
    masks = remote.run(f"grep -H . /sys/class/net/{name}/queues/rx-*/rps_cpus",
                       check=False).splitlines()
    lines = []
    if queues.isdigit():
        lines.append(f"[ \"$({channels})\" = {queues} ] || ethtool -L {name} combined {queues}")
    return lines + [f"echo {mask} >{shlex.quote(path)}"
                    for path, _, mask in (line.rpartition(":") for line in masks)]
