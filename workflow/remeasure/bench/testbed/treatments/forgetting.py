"""How long a host keeps the fragments of a datagram that is not whole, and what it learnt of paths.

Linux keeps fragments for 30 s (of IPv6 for 60 s), and no more than 4 MB of them; while those are
full it drops every further fragment (ipfrag_time, ip6frag_time and ipfrag_high_thresh, ip-sysctl of
the kernel's documentation). A link that is offered more than it carries drops one fragment of many
datagrams. A flow of fragmented datagrams would fill the memory within seconds, and what a run
measures would depend on the runs before it. Besides, identifications of IPv4 datagrams repeat after
65536 of them, here after 9 s, and fragments of two datagrams would be joined (RFC 4963). Here hosts
forget fragments after a second, which is longer than any path takes.

Linux also remembers the MTU of a path that a router reported (for ten minutes), and TCP's metrics.
After a trial with a tunnel these are the tunnel's, and would limit the packets of the next cell.
"""

from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.family import IPV4, IPV6, Family
from remeasure.bench.testbed.treatments.treatment import Prover, Question, Setter

SECONDS = 1
"""time after the first fragment at which an incomplete datagram is forgotten [s]"""
SYSCTLS = {IPV4: "net/ipv4/ipfrag_time", IPV6: "net/ipv6/ip6frag_time"}
"""the setting, as a file in /proc/sys"""


def reassembly_setters(hosts: Iterable[str], family: Family) -> list[Setter]:
    """Setters that make these hosts (roles) forget incomplete datagrams after SECONDS."""
    return [Setter(host, f"echo {SECONDS} >/proc/sys/{SYSCTLS[family]}") for host in hosts]


def reassembly_provers(hosts: Iterable[str], family: Family) -> Iterable[Prover]:
    """Provers that these hosts (roles) discard incomplete datagrams after that time."""
    for host in hosts:
        question = Question(f"proof.{host}.reassembly.txt", f"cat /proc/sys/{SYSCTLS[family]}")
        yield Prover(host, [question], partial(check_reassembly, host))


def check_reassembly(host: str, seconds: str) -> list[Check]:
    """Compare the file of a host (role) with SECONDS."""
    name = f"{host}: incomplete datagrams are forgotten after [s]"
    return [equal("reassembly", name, seconds.strip(), str(SECONDS))]


def forgetting(hosts: Iterable[str], family: Family = IPV4) -> list[Setter]:
    """Setters that empty the path caches of these hosts (roles)."""
    command = f"ip -{family.version} route flush cache && ip tcp_metrics flush all"
    return [Setter(host, command) for host in hosts]
