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
from remeasure.testbed.first_line import FIRST_LINE
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
# Every trial asks, and a guest takes longer to start a program than to answer: one awk does all.
_LISTED = """\
echo @address; ip -o -4 addr show
echo @route; ip -4 route
echo @neighbour; ip -4 neigh show nud permanent
echo @link; ip -o link
echo @full; df -k --output=avail,target / /tmp /run"""
_TELL = r"""
/^@/ { kind = substr($0, 2); next }
kind == "address" { print kind, $2, $4 }
kind == "route" { sub(/ *$/, ""); print kind, $0 }
kind == "neighbour" { sub(/ *PERMANENT.*/, ""); print kind, $0 }
kind == "link" && /[<,]UP[,>]/ {
  sub(/[:@].*/, "", $2)
  for (i = 3; i < NF; i++) if ($i == "mtu") print kind, $2, "up mtu", $(i + 1)
}
kind == "full" && $1 == 0 { print "full:", $2 }
function tell(file, name, words) {
  while ((getline < file) > 0) if ($1 == name) print words, $2
  close(file)
}
END {
  count = split(sysctls, names, " ")
  for (i = 1; i <= count; i++)
    if (($0 = first_line("/proc/sys/" names[i])) != "") { $1 = $1; print names[i], $0 }
  tell("/proc/stat", "btime", "booted at [s]")
  tell("/proc/vmstat", "oom_kill", "processes killed because memory ran out")
  if (($0 = first_line("/proc/sys/kernel/tainted")) != "") print "kernel tainted", $0
}
"""
_NAMES = " ".join(name.replace(".", "/") for name in _SYSCTLS)
ASK = f"{{ {_LISTED}; }} | awk -v sysctls='{_NAMES}' '{FIRST_LINE}{_TELL}'"
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
