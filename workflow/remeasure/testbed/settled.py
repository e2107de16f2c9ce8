"""Whether a host is still as it was when its session began.

A trial sets what its cell asks for, and proves it. Everything else is to stay as it was found:
addresses, routes, the size of packets, sysctls, room on its file systems. A trial that finds them
changed is rejected, and so is every later one of the session, which would otherwise take what was
changed for the usual. Three more lines tell what has happened meanwhile. The time of booting by the
host's clock changes when the clock is set. The kernel counts the processes that it killed because
memory ran out. It is tainted once it has complained of itself (an oops, a lockup).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from remeasure.checks import Check
from remeasure.testbed.remote import Remote
from remeasure.testbed.treatment import Prover, Question

Settled = Mapping[str, str]
"""role -> what ASK printed on the host"""

_SYSCTLS = (
    "net.ipv4.ip_forward",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
)
ASK = rf"""
ip -o -4 addr show | awk '{{print "address", $2, $4}}'
ip -4 route | sed 's/^/route /; s/ *$//'
ip -4 neigh show nud permanent | sed 's/^/neighbour /; s/ *PERMANENT.*//'
ip -o link | sed -nE 's/^[0-9]+: ([^:@]+).*[<,]UP[,>].* (mtu [0-9]+) .*/link \1 up \2/p'
(cd /proc/sys && for i in {" ".join(name.replace(".", "/") for name in _SYSCTLS)}; do
  [ ! -e $i ] || echo $i $(cat $i); done)
df -k --output=avail,target / /tmp /run | awk '$1 == 0 {{print "full:", $2}}'
awk '$1 == "btime" {{print "booted at [s]", $2}}' /proc/stat
awk '$1 == "oom_kill" {{print "processes killed because memory ran out", $2}}' /proc/vmstat
echo "kernel tainted" $(cat /proc/sys/kernel/tainted)
"""
"""command that prints one line for each thing that is to stay as it is"""
_SHOWN = 4
"""lines that a check quotes at most"""


def ask_settled(remote: Remote) -> str:
    """What a host is like now. Raises CommandFailed, HostUnreachable."""
    return remote.run(ASK)


def settled_provers(settled: Settled) -> Iterable[Prover]:
    """Provers that these hosts are as they were."""
    for host, before in settled.items():
        question = Question(f"proof.{host}.settled.txt", ASK)
        yield Prover(host, [question], partial(check_settled, host, before))


def check_settled(host: str, before: str, now: str) -> list[Check]:
    """Compare what ASK printed on a host (role) when the session began with what it prints now."""
    was, found = (Counter(text.splitlines()) for text in (before, now))
    name = f"{host}: what has changed since the session began"
    return [Check("settled", name, was == found, _listed(found - was), _listed(was - found))]


def _listed(lines: Mapping[str, int]) -> str:
    shown = "; ".join(list(lines)[:_SHOWN]) or "nothing"
    return f"{shown} and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else shown
