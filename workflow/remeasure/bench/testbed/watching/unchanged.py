"""Whether hosts are as they were when their session began: their links, addresses, routes, routing
rules, network settings (sysctls), and the queueing disciplines and offloads of all interfaces. A
trial sets its cell's settings and proves them. Everything else must stay unchanged. Each host keeps
its state of the session's beginning in a file. When a trial is proven, the host compares its
present state with that file (diff(1)) and prints only the lines that differ."""

import re
import shlex
from collections.abc import Iterable, Mapping
from functools import partial

from remeasure.bench.base.checks import Check
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import program
from remeasure.bench.testbed.treatments.receiving import GRO
from remeasure.bench.testbed.treatments.shaping import Place
from remeasure.bench.testbed.treatments.treatment import Prover, Setter

_KEPT = "/run/state-before.txt"
STATE = program("state.sh")
"""lines for sh that define `state`, which prints a line for each thing that stays unchanged"""
_REMEMBER = f"{STATE}state >{_KEPT}"
# diff ends with 1 if lines differ, with 2 if it cannot compare.
_COMPARE = f"{STATE}state | diff {_KEPT} - || [ $? = 1 ]"
_SHOWN = 4
"""lines that a check quotes at most"""


def remember(remotes: Iterable[Remote]) -> None:
    """Let each host keep its present state. Raises CommandFailed, HostUnreachable."""
    at_once(lambda remote: remote.run(_REMEMBER), remotes)


def merging_again(places: Iterable[Place]) -> list[Setter]:
    """Setters that give these interfaces the GRO back that they had when the session began."""
    command = "ethtool -K {0} gro $(sed -n 's/^offload {0} {1}: //p' {2} | grep . || echo on)"
    return [Setter(p.host, command.format(shlex.quote(p.interface), GRO, _KEPT)) for p in places]


def unchanged_provers(settings: Mapping[str, str], own: str = "") -> Iterable[Prover]:
    """Provers that hosts are as they were when they kept their state. `settings`: host (role) ->
    regular expression of the lines that a cell sets and another proof looks at. `own`: of the lines
    that the cell's tunnel adds, which its own proof looks at; empty: none."""
    for host, lines in settings.items():
        question = {f"proof.{host}.unchanged.txt": _COMPARE}
        yield Prover(host, question, partial(check_unchanged, host, lines, own=own))


def check_unchanged(host: str, settings: str, differences: str, own: str = "") -> list[Check]:
    """Check the output of diff on a host (role). Lines of `settings`, a regular expression, may
    differ, and lines with `own` may be new."""
    lines = [line for line in differences.splitlines() if line[:2] in ("< ", "> ")]
    lines = [line for line in lines if not (own and line[0] == ">" and re.search(own, line))]
    gone, new = (
        [line[2:] for line in lines if line[0] == sign and not re.match(settings, line[2:])]
        for sign in "<>"
    )
    name = f"{host}: what has changed since the session began"
    return [Check("settled", name, not (gone or new), _listed(new), _listed(gone))]


def _listed(lines: list[str]) -> str:
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return "; ".join(lines[:_SHOWN]) + more or "nothing"
