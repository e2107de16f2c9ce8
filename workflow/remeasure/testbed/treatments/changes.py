"""What was changed on a host while it measured, and may have been put back before it was looked at.

The kernel tells its listeners of every change of an interface, address, route, rule of routing,
queueing discipline, or of what an interface does with packets (forwarding, filters of their
source; rtnetlink(7)). Listeners run from the moment when a cell's settings are in place until
they are proven. They sleep until there is something to tell, so they cost no processor time. What
the daemons of a tunnel change is not among it: routes of a table of their own.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby

from remeasure.checks import Check
from remeasure.testbed.treatments.shaping import Place
from remeasure.testbed.treatments.treatment import Prover, Question, Setter

_HEARD = "/run/changes.txt"
_PIDS = "/run/changes.pids"
_STOP = f"[ ! -e {_PIDS} ] || kill $(cat {_PIDS}) 2>/dev/null; rm -f {_PIDS}"
_LISTEN = f"""\
{_STOP}
ip -o link show >{_HEARD}
for kind in 'ip -o -4' tc; do
  what=$([ "$kind" = tc ] || echo link address route rule netconf)
  setsid $kind monitor $what </dev/null >>{_HEARD} 2>&1 &
  echo $! >>{_PIDS}
done
"""
_RULE = re.compile(r"(Deleted )?[0-9]+:\s+(not )?from ")
# Table 220 is strongSwan's. The kernel makes the entries of table local by itself.
_OF_DAEMONS = re.compile(r"(table|lookup) (220|local)\b")
PROGRAMS = frozenset({"ip", "tc"})
"""names of the listeners"""
_LINK = re.compile(r"[0-9]+: ([^:@]+)\S*: <(\S*)> mtu ([0-9]+) ")
_SHOWN = 3
"""changes that a check quotes at most"""


def listening(hosts: Iterable[str]) -> list[Setter]:
    """Setters that begin to listen on these hosts (roles), for what changes from now on."""
    return [Setter(host, _LISTEN) for host in hosts]


def listening_no_more(hosts: Iterable[str]) -> list[Setter]:
    return [Setter(host, _STOP) for host in hosts]


def change_provers(places: Iterable[Place]) -> Iterable[Prover]:
    """Provers that nothing has changed on these interfaces since the listeners began."""
    for host, own in groupby(places, lambda place: place.host):
        question = Question(f"proof.{host}.changes.txt", f"cat {_HEARD}")
        interfaces = {"lo", *(place.interface for place in own)}
        yield Prover(host, [question], partial(check_changes, host, interfaces))


def check_changes(host: str, interfaces: set[str], heard: str) -> list[Check]:
    """What the listeners of a host (role) heard of these interfaces."""
    changes = list(_changes(interfaces, heard))
    more = f" and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    found = "; ".join(changes[:_SHOWN]) + more or "nothing"
    name = f"{host}: what was changed while it measured"
    return [Check("changes", name, not changes, found, "nothing")]


def _changes(interfaces: set[str], heard: str) -> Iterator[str]:
    known: dict[str, str] = {}
    for line in heard.splitlines():
        # With -o, a backslash stands where a line of ip ended.
        words = line.replace("\\", " ").split()
        if link := _LINK.match(line):
            name, flags, mtu = link.groups()
            state = f"{name} {'up' if 'UP' in flags.split(',') else 'down'} mtu {mtu}"
            if known.setdefault(name, state) != state and name in interfaces:
                yield f"link {state}"
            known[name] = state
        elif (interfaces & set(words) or _RULE.match(line)) and not _OF_DAEMONS.search(line):
            yield " ".join(words).partition(" valid_lft")[0]
