"""Routing of a machine that belongs to none of its interfaces: policy rules (ip-rule(8)), and
routes that lead nowhere, as blackhole does."""

import shlex

from remeasure.bench.testbed.remote import Remote

_FAMILIES = ("-4", "-6")
_SHOW = "ip {} rule show | sed 's/ *\\[detached\\]//g; s/ *$//'"
"""command that prints the rules as if no interface were missing"""
_NOWHERE = ("blackhole", "unreachable", "prohibit", "throw")


def restoring_routing(remote: Remote) -> list[str]:
    """The shell commands that put back what is missing later of the present rules and routes; each
    must succeed. Raises CommandFailed."""
    asked = [_SHOW.format(family) for family in _FAMILIES]
    asked += [f"ip {family} route show table all" for family in _FAMILIES]
    # A kernel may lack IPv6.
    shown = remote.run_each([f"{command} || true" for command in asked])
    lines = []
    for family, rules, routes in zip(_FAMILIES, shown[:2], shown[2:], strict=True):
        lines += [_rule(family, line) for line in rules.splitlines()]
        lines += [
            f"ip {family} route replace {shlex.join(line.split())}"
            for line in routes.splitlines()
            if line.startswith(_NOWHERE) and " proto kernel" not in line
        ]
    return lines


def _rule(family: str, line: str) -> str:
    priority, _, rule = line.partition(":")
    words = rule.replace("lookup [l3mdev-table]", "l3mdev").split()
    there = f"{_SHOW.format(family)} | grep -qxF {shlex.quote(line)}"
    return f"{there} || ip {family} rule add priority {priority} {shlex.join(words)}"
