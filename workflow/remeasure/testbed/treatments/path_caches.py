"""Forgetting what hosts learnt of network paths in the previous trial.

Linux remembers the MTU of a path that a router reported (for ten minutes), and TCP's metrics. After
a trial with a tunnel these are the tunnel's, and the next cell's packets would be limited by them.
"""

from collections.abc import Iterable

from remeasure.testbed.treatments.treatment import Setter


def forgetting(hosts: Iterable[str]) -> list[Setter]:
    """Setters that empty the path caches of these hosts (roles)."""
    return [Setter(host, "ip route flush cache && ip tcp_metrics flush all") for host in hosts]
