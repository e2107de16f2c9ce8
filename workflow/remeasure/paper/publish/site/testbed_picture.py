"""The picture of the testbed: hosts and links of the topology, cores by the rule of the lab."""

from itertools import pairwise

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.placement import path_of, place

_TOPOLOGY = "site-to-site"
_CORES = (0, 1)
"""cores of the machines that measured"""
_BOX, _GAP, _TOP = 120, 72, 70
"""width of a host, space between hosts, upper edge of the hosts"""
_DOES = {"gw": "strongSwan", "client": "probes"}
"""first letters of a host's name -> what runs on it"""
_SAYS = (
    "Each box is a guest: a Linux kernel of its own, as a process that keeps to its core. Links "
    "between guests have a rate; the link between the gateways also delays packets, varies the "
    "delay and loses packets (Linux traffic control, on every interface). No traffic leaves the "
    "network namespaces of a run."
)


def testbed_picture() -> str:
    """A figure (HTML) whose picture follows the colours of its page."""
    topology = load_topology(_TOPOLOGY)
    path = path_of(topology)
    cores = place(topology, _CORES, 1, "pinned").cores
    left = {host: 34 + at * (_BOX + _GAP) for at, host in enumerate(path)}
    gateways = [host for host in path if host.startswith("gw")]
    width, middle = max(left.values()) + _BOX + 34, _TOP + 26
    parts = []
    for core in _CORES:
        own = [left[host] for host in path if cores[host] == (core,)]
        parts.append(
            f'<rect class="core" x="{min(own) - 20}" y="34" rx="8" '
            f'width="{max(own) - min(own) + _BOX + 40}" height="118"/>'
            f'<text class="soft" x="{min(own) - 8}" y="144">core {core}</text>'
        )
    for one, other in pairwise(path):
        link = next(name for name, ends in topology.links.items() if {one, other} <= ends.keys())
        start = left[one] + _BOX
        parts.append(
            f'<path class="wire" d="M{start} {middle}h{_GAP}"/>'
            f'<text class="soft middle" x="{start + _GAP // 2}" y="{middle + 18}">{link}</text>'
        )
    first, last = (left[host] + _BOX // 2 for host in gateways)
    parts.append(
        f'<path class="tunnel" d="M{first} {_TOP}C{first + 30} 34 {last - 30} 34 {last} {_TOP}"/>'
        f'<text class="tunnel middle" x="{(first + last) // 2}" y="26">ESP tunnel</text>'
    )
    for host in path:
        does = next(text for start, text in _DOES.items() if host.startswith(start))
        parts.append(
            f'<rect class="host" x="{left[host]}" y="{_TOP}" width="{_BOX}" height="52" rx="5"/>'
            f'<text class="middle" x="{left[host] + _BOX // 2}" y="{_TOP + 22}">{host}</text>'
            f'<text class="soft middle" x="{left[host] + _BOX // 2}" y="{_TOP + 42}">{does}</text>'
        )
    return (
        f'<figure class="chart testbed"><svg viewBox="0 0 {width} 160" width="{width}" role="img" '
        f'aria-labelledby="testbed-says">{"".join(parts)}</svg>\n'
        f'<figcaption id="testbed-says">{_SAYS}</figcaption></figure>'
    )
