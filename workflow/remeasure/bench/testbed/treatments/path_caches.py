"""Forgetting what hosts learnt of network paths in the previous trial.

Linux remembers the MTU of a path that a router reported (for ten minutes), and TCP's metrics. After
a trial with a tunnel these are the tunnel's, and the next cell's packets would be limited by them.
"""

from collections.abc import Iterable

from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.testbed.treatments.treatment import Setter


def forgetting(hosts: Iterable[str], family: Family = IPV4) -> list[Setter]:
    """Setters that empty the path caches of these hosts (roles)."""
    command = f"ip -{family.version} route flush cache && ip tcp_metrics flush all"
    return [Setter(host, command) for host in hosts]
