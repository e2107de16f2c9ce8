"""Hosts without memory of the trial before.

Linux keeps what it has learnt of a path: the MTU that a router told of (for ten minutes), and TCP's
metrics. After a tunnel these are the tunnel's, and the next cell's packets would be cut to them.
"""

from collections.abc import Iterable

from remeasure.testbed.treatment import Setter


def forgetting(hosts: Iterable[str]) -> list[Setter]:
    """Empty the path caches of these hosts (roles)."""
    return [Setter(host, "ip route flush cache && ip tcp_metrics flush all") for host in hosts]
