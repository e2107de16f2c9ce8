"""A host without memory of the trial before.

Linux keeps what it has learnt of a path: the MTU that a router told of (for ten minutes), and TCP's
metrics. After a tunnel these are the tunnel's, and the next cell's packets would be cut to them.
"""

from remeasure.testbed.remote import Remote


def forget(remote: Remote) -> None:
    """Raises CommandFailed."""
    remote.run("ip route flush cache && ip tcp_metrics flush all")
