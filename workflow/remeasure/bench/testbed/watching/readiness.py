"""Whether hosts can measure: present, missing and wrong things. Looking changes nothing."""

import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import CommandFailed, Remote, at_once
from remeasure.bench.testbed.tools import Tool, environment, numbers_in
from remeasure.bench.testbed.watching.clock_offset import offset_of

CLOCK_LIMIT_S = 0.001
"""offset of a clock [s] beyond which one-way delays mean nothing"""
# A kernel without loadable modules has no modprobe. One that has them all reports it at once.
_MODULES = (
    "{at_once} for m in {modules}; do n=${{m%:*}}; if [ -e /proc/modules ]; then {there}; "
    "else zgrep -qsx CONFIG_${{m#*:}}=y /proc/config.gz; fi && echo $n; done; true"
)
_ALL_LOADABLE = (
    "[ -e /proc/modules ] && modprobe -n -q -a {names} 2>/dev/null && {{ echo {names}; exit; }};"
)
# A dry run of modprobe loads nothing, and succeeds for a module that is built in. The kernel itself
# loads most modules at their first use.
_LOADABLE = "modprobe -n -q $n 2>/dev/null"
_NO_FOLDER = "[ ! -e /proc/modules ] || [ -e /lib/modules/$(uname -r)/modules.dep ] || uname -r"
_LOADED = "{ [ -e /sys/module/$n ] || grep -qs /$n.ko /lib/modules/$(uname -r)/modules.builtin; }"
_MARK = "=== version of "
"""precedes the name of a tool"""


@dataclass(frozen=True)
class ReadinessFinding:
    """The result of one check of one host."""

    host: str
    what: str
    state: str
    """present, missing or wrong"""
    detail: str = ""


@dataclass(frozen=True)
class Needs:
    """Requirements of a host for a scenario."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    """name -> program"""
    modules: Mapping[str, str] = field(default_factory=dict)
    """kernel module -> option that builds it into a kernel, without the prefix CONFIG_"""

    def __or__(self, other: "Needs") -> "Needs":
        return Needs({**self.tools, **other.tools}, {**self.modules, **other.modules})


class Here:
    """This machine, which answers the same commands as a host."""

    name = "this machine"

    def run(self, command: str, *, check: bool = True) -> str:
        """Run a line for a shell and return its standard output. Raises CommandFailed on a non-zero
        exit (with `check`)."""
        argv = ["sh", "-c", command]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=30, env=environment())
        if check and done.returncode:
            raise CommandFailed(f"{self.name}: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout


def check_host(remote: Remote, needs: Needs) -> list[ReadinessFinding]:
    """Check one host: connection, privileges, tools, kernel features, interfaces, clock."""
    try:
        remote.connect()
        found = _check_connected(remote, needs)
    except (HostUnreachable, CommandFailed) as error:
        bad = "missing" if isinstance(error, HostUnreachable) else "wrong"
        return [_finding(remote, "connection", False, str(error), bad)]
    return [_finding(remote, "connection", True, remote.address), *found]


def _check_connected(remote: Remote, needs: Needs) -> list[ReadinessFinding]:
    try:
        user, uid = remote.run("id -un; id -u").split()
    except CommandFailed as error:  # sudo asks for a password, or is missing
        return [_finding(remote, "privileges", False, str(error), "wrong")]
    findings = [
        _finding(remote, "privileges", uid == "0", f"{user}, id {uid}; needs root", "wrong"),
        *check_machine(remote, needs),
    ]
    interfaces = remote.host.interfaces
    shown = remote.run_each(
        [f"ip -br link show {shlex.quote(name)} || true" for name in interfaces.values()]
    )
    for (link, interface), up in zip(interfaces.items(), shown, strict=True):
        findings.append(_finding(remote, f"interface {link}", bool(up), interface))
    try:
        return [*findings, clock_finding(remote.name, *offset_of(remote))]
    except CommandFailed as reason:
        return [*findings, _finding(remote, "clock", False, str(reason))]


def clock_finding(host: str, offset: float, error: float) -> ReadinessFinding:
    """The finding for a clock that is ahead by `offset`, known to within `error` [s]."""
    state = "present" if abs(offset) - error < CLOCK_LIMIT_S else "wrong"
    detail = f"offset {offset * 1e3:+.1f} ms, known to {error * 1e3:.1f} ms"
    return ReadinessFinding(host, "clock", state, detail)


def tool_versions(host: Remote | Here, tools: Mapping[str, Tool]) -> dict[str, str | None]:
    """Name -> line with the tool's version; None if the tool is not installed. One command asks for
    all of them, as a guest takes longer to begin one than a tool to answer."""
    if not tools:
        return {}
    asked = (
        f"printf '\\n{_MARK}%s\\n' {shlex.quote(name)}; "
        f"command -v {tool.command[0]} >/dev/null && {shlex.join(tool.command)} 2>&1"
        for name, tool in tools.items()
    )
    _, *parts = host.run("\n".join(asked), check=False).split(f"\n{_MARK}")
    said = {name: text.strip() for name, _, text in (part.partition("\n") for part in parts)}
    return {name: _version_in(said.get(name, "")) for name in tools}


def _version_in(text: str) -> str | None:
    """The first line with a version number: a program may complain before it answers, like swanctl
    under AppArmor. The first line, if none has a number; None, if there is none."""
    lines = text.splitlines()
    return next(filter(numbers_in, lines), lines[0] if lines else None)


def check_machine(host: Remote | Here, needs: Needs) -> list[ReadinessFinding]:
    """Check tools and kernel features of one machine. Raises CommandFailed."""
    versions = tool_versions(host, needs.tools)
    findings = [_tool_finding(host, name, needs.tools[name], versions[name]) for name in versions]
    # In the user namespace of a lab without root, the kernel may refuse to load modules.
    loads = not isinstance(host, Here) or os.geteuid() == 0
    there = host.run(
        _MODULES.format(
            at_once=_ALL_LOADABLE.format(names=" ".join(needs.modules)) if loads else "",
            modules=" ".join(map(":".join, needs.modules.items())),
            there=_LOADABLE if loads else _LOADED,
        )
    ).split()
    findings += [
        _finding(
            host, f"kernel {module}", module in there, "" if module in there else f"CONFIG_{option}"
        )
        for module, option in needs.modules.items()
    ]
    if not set(needs.modules) <= set(there) and (kernel := host.run(_NO_FOLDER).strip()):
        # An upgrade of the kernel took them away, or this is a container.
        lost = f"no /lib/modules/{kernel}; if its kernel was upgraded, start the machine again"
        findings.append(_finding(host, "kernel modules", False, lost))
    return findings


def _tool_finding(
    host: Remote | Here, name: str, tool: Tool, version: str | None
) -> ReadinessFinding:
    if complaint := version and tool.complaint(version):
        return ReadinessFinding(host.name, f"tool {name}", "wrong", complaint)
    return _finding(host, f"tool {name}", version is not None, version or f"package {tool.package}")


def _finding(
    host: Remote | Here, what: str, good: bool, detail: str = "", bad: str = "missing"
) -> ReadinessFinding:
    return ReadinessFinding(host.name, what, "present" if good else bad, detail)


def require_ready(remotes: Mapping[str, Remote], needs: Needs) -> None:
    """Check all hosts. Raises UserError naming every obstacle to the measuring of a scenario."""
    found = at_once(lambda remote: check_host(remote, needs), remotes.values())
    require(finding for host in found for finding in host)


def require(findings: Iterable[ReadinessFinding]) -> None:
    """Raise UserError naming every finding that prevents measuring, if there is one."""
    problems: dict[str, list[str]] = {}
    for found in findings:
        # A clock that is off spoils one-way delays only; its offset is stored with the block.
        if found.state != "present" and (found.what, found.state) != ("clock", "wrong"):
            problems.setdefault(found.host, []).append(
                f"{found.what} {found.state} {found.detail}".strip()
            )
    if problems:
        raise UserError(
            "the testbed is not ready: "
            + "; ".join(f"{host}: {', '.join(found)}" for host, found in problems.items())
        )
