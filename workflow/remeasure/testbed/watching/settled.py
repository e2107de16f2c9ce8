"""Whether a host is still as it was when its session began.

A trial sets what its cell asks for, and proves it. Everything else is to stay as it was found:
addresses, routes and rules, queueing disciplines, firewalls, what listens, space on its file
systems, and the settings of its kernel (kernel_settings.py). A trial that finds them changed is
rejected, and so is every later one of the session, which would otherwise take what was changed for
the usual. Further lines tell what has happened meanwhile. The time of booting by the host's clock
changes when the clock is set. The kernel counts the processes that it killed because memory ran
out, and the time for which a quota of processor time held the session up. It is tainted once it has
complained of itself (an oops, a lockup).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import zip_longest

from remeasure.checks import Check
from remeasure.testbed.remote import Remote
from remeasure.testbed.treatments.treatment import Prover, Question
from remeasure.testbed.watching import kernel_settings
from remeasure.testbed.watching.first_line import FIRST_LINE
from remeasure.testbed.watching.quotas import TELL_QUOTAS
from remeasure.testbed.watching.running import EACH_PROGRAM, PROCESSES, TELL_PROGRAMS

Settled = Mapping[str, str]
"""role -> what ASK printed on the host"""

# Every trial asks, and a guest takes longer to start a program than to answer: one ip, one tc and
# one awk do all that they can. Rules and routes of IPv6 need an ip of their own, where a host has
# any address of IPv6.
_LISTED = (
    """\
for i in ip tc ss ethtool; do command -v $i >/dev/null || echo "@no $i"; done
echo @ip
printf '%s\\n' 'link show' 'addr show' 'rule show' 'route show' 'neigh show nud permanent' |
ip -o -d -batch - 2>/dev/null
! read -r address 2>/dev/null </proc/net/if_inet6 ||
printf '%s\\n' 'rule show' 'route show' | ip -6 -o -d -batch - 2>/dev/null
echo @tc
{ echo qdisc show; for i in /sys/class/net/*; do echo filter show dev ${i##*/}; done; } |
tc -batch - 2>/dev/null
echo @firewall; ! command -v nft >/dev/null || nft -s list ruleset 2>/dev/null
echo @listens; ss -Hlntuwp 2>/dev/null
echo @full; df -k --output=avail,target / /tmp /run
"""
    + kernel_settings.LIST_SETTINGS
)
_TELL = (
    r"""
function tell(kind, line) { print kind, line > "/dev/stderr" }
/^@no / { tell("not asked, as there is no program", $2); next }
/^@/ { kind = substr($0, 2); next }
kind == "ip" && /^[0-9]+: [^ ]+ <|^[0-9]+: [^ ]+: </ {
  if (/[<,]UP[,>]/) {
    name = $2; sub(/[:@].*/, "", name)
    for (i = 3; i < NF; i++) if ($i == "mtu") tell("link", name " up mtu " $(i + 1))
  }
  tell_device(); next
}
kind == "ip" && /^[0-9]+: [^ ]+ +inet/ { tell("address", $2 " " $4); next }
kind == "ip" && /^[0-9]+:\t/ {
  if ($1 != "220:") { sub(/ *$/, ""); tell("rule", $0) }
  next
}
kind == "ip" && / PERMANENT/ { sub(/ *PERMANENT.*/, ""); tell("neighbour", $0); next }
kind == "ip" && / dev |^[a-z]+ / { sub(/^unicast /, ""); sub(/ *$/, ""); tell("route", $0) }
kind == "tc" && /^qdisc / {
  device = $5; sub(/ dev [^ ]+/, ""); sub(/ refcnt [0-9]+/, ""); sub(/ *$/, "")
  sub(/^qdisc /, ""); tell("qdisc", device " " $0); next
}
kind == "tc" && NF { sub(/ *$/, ""); tell("filter", $0) }
kind == "firewall" && NF { tell(kind, $0) }
kind == "listens" {
  program = "the kernel"
  if (match($0, /\(\("[^"]*/)) program = substr($0, RSTART + 3, RLENGTH - 3)
  tell(kind, program " on " $1 " " $5)
}
kind == "full" && $1 == 0 { tell("full:", $2) }
function tell_field(file, name, words) {
  while ((getline < file) > 0) if ($1 == name) tell(words, $2)
  close(file)
}
END {
  tell_field("/proc/stat", "btime", "booted at [s]")
  tell_field("/proc/vmstat", "oom_kill", "processes killed because memory ran out")
  if (($0 = first_line("/proc/sys/kernel/tainted")) != "") tell("kernel tainted", $0)
  quotas()
"""
    + EACH_PROGRAM
    + r"""tell("runs", name)
}
"""
    + FIRST_LINE
    + TELL_QUOTAS
    + TELL_PROGRAMS
    + kernel_settings.TELL_SETTINGS
)


# A process may end between the opening of its file and the reading, which some awk take for fatal.
_AGAIN = """\
asked() { ASKED
}
for once in 1 2 3; do
  told=$(asked 2>&1)
  case $told in *'awk: '*) ;; *) break ;; esac
done
printf '%s\\n' "$told"
"""


def ask(expected: str = "") -> str:
    """The command that prints one line for each thing that is to stay as it is, and the settings of
    the kernel if they are not the `expected` ones."""
    asked = kernel_settings.ask(_LISTED, PROCESSES, _TELL, expected)
    return _AGAIN.replace("ASKED", asked)


ASK = ask()
"""command that prints all lines"""
_SHOWN = 4
"""lines that a check quotes at most"""
HOOK = "clsact"
"""the discipline by whose filters a trial counts packets that leave (tc(8))"""
_BY_THEMSELVES = ("ingress", HOOK)
"""disciplines that no shaping replaces"""


def ask_settled(remote: Remote) -> str:
    """What a host is like now. Raises CommandFailed, HostUnreachable."""
    return remote.run(ASK)


def summary_of(text: str) -> str:
    """What ASK printed, with the settings of the kernel by their sum alone."""
    lines, found, _ = kernel_settings.split(text)
    return f"{lines}{kernel_settings.MARK}{found}\n" if found else lines


def programs_of(text: str) -> set[str]:
    """Names of the programs that ran when ASK was run."""
    return {line[5:] for line in text.splitlines() if line.startswith("runs ")}


def settled_provers(
    settled: Settled,
    started: Collection[str] = (),
    shaped: Collection[tuple[str, str]] = (),
    wanted: Mapping[str, Mapping[str, str]] | None = None,
    counted: Collection[tuple[str, str]] = (),
) -> Iterable[Prover]:
    """Provers that these hosts are as they were, but for what others prove: programs that a trial
    has `started`, disciplines of `shaped` interfaces (role, interface), settings of the kernel
    that the cell wants otherwise (`wanted`: role -> setting -> value), and the hook by which
    clear text of `counted` interfaces is counted."""
    for host, before in settled.items():
        lines, found, settings = kernel_settings.split(before)
        settings = kernel_settings.with_set(settings, (wanted or {}).get(host, {}))
        expected = f"{lines}{kernel_settings.MARK}{found}\n{settings}" if settings else before
        question = Question(f"proof.{host}.settled.txt", ask(settings))
        bare, hooked = (
            {interface for role, interface in places if role == host}
            for places in (shaped, counted)
        )
        leave = partial(_of_others, set(started), bare, hooked)
        yield Prover(host, [question], partial(check_settled, host, expected, leave_out=leave))


def check_settled(
    host: str, before: str, now: str, leave_out: Callable[[str], bool] = lambda line: False
) -> list[Check]:
    """Compare what ASK printed on a host (role) when the session began with what it prints now;
    `leave_out` says of a line whether it may differ."""
    was, found = (_lines(text, leave_out) for text in (before, now))
    _, expected_sum, expected = kernel_settings.split(before)
    _, sum_now, settings = kernel_settings.split(now)
    if settings or sum_now != (kernel_settings.sum_of(expected) if expected else expected_sum):
        was += Counter(expected.splitlines())
        found += Counter(settings.splitlines())
    name = f"{host}: what has changed since the session began"
    return [Check("settled", name, was == found, _listed(found - was), _listed(was - found))]


def _lines(text: str, leave_out: Callable[[str], bool]) -> Counter[str]:
    lines, _, _ = kernel_settings.split(text)
    kept = [line for line in lines.splitlines() if not leave_out(line)]
    # How many sessions and shells there are may differ.
    runs = {line for line in kept if line.startswith("runs ")}
    return Counter([*(line for line in kept if line not in runs), *runs])


def _of_others(started: set[str], shaped: set[str], counted: set[str], line: str) -> bool:
    """Whether a line is of the trial itself, or another check looks at it: a program that the trial
    has started runs or listens, a discipline is of an interface that the scenario shapes or whose
    clear text the trial counts."""
    kind, _, rest = line.partition(" ")
    if kind == "runs":
        return rest in started
    if kind == "listens":
        return rest.partition(" on ")[0] in started
    if kind == "qdisc":
        interface, discipline = rest.split()[:2]
        counts = interface in counted and discipline == HOOK
        return counts or (interface in shaped and discipline not in _BY_THEMSELVES)
    return False


def _listed(lines: Mapping[str, int]) -> str:
    """The first lines, one of each kind before a second one, since one change brings many."""
    kinds: dict[str, list[str]] = {}
    for line in lines:
        kinds.setdefault(re.split("[ /]", line)[0], []).append(line)
    ordered = [line for row in zip_longest(*kinds.values()) for line in row if line]
    shown = "; ".join(ordered[:_SHOWN]) or "nothing"
    return f"{shown} and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else shown
