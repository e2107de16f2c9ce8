"""Shell scripts that make the hosts of a topology inside one guest: a host is a set of namespaces,
a link is a pair of veth interfaces (as of back end netns, whose hosts have a machine's kernel)."""

import shlex

from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.network import link_lines, setting_lines
from remeasure.bench.testbed.borrowing.namespace_setup import OWN_FILES, OWN_NETWORK, REAP
from remeasure.bench.testbed.wait import fail, wait_until

_SPACES = "--net --mount --pid --uts --fork --kill-child --mount-proc --propagation private"


def make_hosts(topology: Topology) -> str:
    """Script for the guest: its hosts, and links between them. The file /run/hosts/<host> gets the
    PID of the host's first process."""
    lines = [line for host in topology.hosts for line in _make_host(host)]
    for link, (left, right) in topology.links.items():
        lines.append("ip link add left type veth peer name right")
        lines += [
            f"ip link set {end} netns $(cat /run/hosts/{host}) name {link}"
            for end, host in (("left", left), ("right", right))
        ]
    return "\n".join(["set -e", *lines])


def set_up_host(topology: Topology, host: str) -> str:
    """Script for a host: its interfaces, addresses and routes."""
    segmenting = [
        # A link carries frames that a network card could send.
        f"ethtool -K {link} tso off tx-udp-segmentation off >/dev/null"
        for link in topology.links_of(host)
    ]
    return "\n".join(
        ["set -e", OWN_NETWORK, *segmenting, *link_lines(topology, host), *setting_lines(host)]
    )


def _make_host(host: str) -> list[str]:
    log = f"/run/{host}.log"
    script = shlex.join(["sh", "-ec", f"{OWN_FILES}\necho ready\n{REAP}"])
    return [
        f"unshare {_SPACES} {script} </dev/null >{log} 2>&1 &",
        "unshare=$!",
        wait_until(f"grep -qx ready {log}", f"cat {log} >&2; exit 1", pause_s=0.01),
        f"pgrep -P $unshare >/run/hosts/{host} || {{ {fail(f'{host}: no process')}; }}",
    ]
