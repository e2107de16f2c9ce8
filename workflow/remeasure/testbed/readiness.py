"""Whether hosts can measure: what is present, missing or wrong, before anything is measured."""

import os
import subprocess
from dataclasses import dataclass

from remeasure.errors import UserError
from remeasure.ipsec.suites import MODULES as IPSEC_MODULES
from remeasure.testbed.clock import offset_of
from remeasure.testbed.remote import CommandFailed, HostUnreachable, Remote, at_once
from remeasure.testbed.shaping import MODULES as SHAPING_MODULES
from remeasure.testbed.tool_path import environment
from remeasure.testbed.tools import Tool, tool_version

CLOCK_LIMIT_S = 0.001
"""offset beyond which one-way delays mean nothing"""
# A kernel that loads no modules has no modprobe.
_MODULES = (
    "for m in {modules}; do n=${{m%:*}}; if [ -e /proc/modules ]; then {there}; "
    "else zgrep -qsx CONFIG_${{m#*:}}=y /proc/config.gz; fi && echo $n; done; true"
)
# A dry run, which loads nothing, is content with a module that is built in. Most are loaded by the
# kernel itself at their first use.
_LOADABLE = "modprobe -n -q $n 2>/dev/null"
_LOADED = "{ [ -e /sys/module/$n ] || grep -qs /$n.ko /lib/modules/$(uname -r)/modules.builtin; }"


@dataclass(frozen=True)
class Finding:
    """One thing looked for on one host."""

    host: str
    what: str
    state: str
    """present, missing or wrong"""
    detail: str = ""


class Here:
    """This machine, asked by the same commands as a host."""

    name = "this machine"

    def run(self, command: str | list[str], *, timeout: float = 30, check: bool = True) -> str:
        """Standard output. Raises CommandFailed on a non-zero exit (with `check`)."""
        argv = ["sh", "-c", command] if isinstance(command, str) else command
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=timeout, env=environment()
        )
        if check and done.returncode:
            raise CommandFailed(f"{self.name}: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout


def check_host(remote: Remote, tools: dict[str, Tool]) -> list[Finding]:
    """Connection, privileges, tools, kernel features, interfaces, clock."""
    host = remote.host
    try:
        remote.connect()
        return [
            _finding(remote, "connection", True, f"{host.user}@{host.address}:{host.port}"),
            *_check_connected(remote, tools),
        ]
    except HostUnreachable as error:
        return [_finding(remote, "connection", False, str(error))]
    except CommandFailed as error:
        return [_finding(remote, "connection", False, str(error), "wrong")]


def _check_connected(remote: Remote, tools: dict[str, Tool]) -> list[Finding]:
    try:
        user, uid = remote.run("id -un; id -u").split()
    except CommandFailed as error:  # sudo asks for a password, or is not there
        return [_finding(remote, "privileges", False, str(error), "wrong")]
    findings = [
        _finding(remote, "privileges", uid == "0", f"{user}, id {uid}; needs root", "wrong"),
        *check_machine(remote, tools),
    ]
    for link, interface in remote.host.interfaces.items():
        up = remote.run(["ip", "-br", "link", "show", interface], check=False)
        findings.append(_finding(remote, f"interface {link}", bool(up), interface))
    return [*findings, _check_clock(remote)]


def _check_clock(remote: Remote) -> Finding:
    """Wrong if it is off, missing if it cannot be asked."""
    try:
        offset, error = offset_of(remote)
    except CommandFailed as reason:
        return _finding(remote, "clock", False, str(reason))
    return _finding(
        remote,
        "clock",
        abs(offset) - error < CLOCK_LIMIT_S,
        f"offset {offset * 1e3:+.1f} ms, known to {error * 1e3:.1f} ms",
        "wrong",
    )


def check_machine(
    host: Remote | Here, tools: dict[str, Tool], modules: dict[str, str] | None = None
) -> list[Finding]:
    """Tools and kernel features; `modules` beside those that every host needs."""
    findings = [_check_tool(host, name, tool) for name, tool in tools.items()]
    modules = (modules or {}) | IPSEC_MODULES | SHAPING_MODULES
    # Inside the user namespace of a lab without root, the kernel need not load modules for us.
    loads = not isinstance(host, Here) or os.geteuid() == 0
    there = host.run(
        _MODULES.format(
            modules=" ".join(map(":".join, modules.items())), there=_LOADABLE if loads else _LOADED
        )
    ).split()
    return findings + [_finding(host, f"kernel {module}", module in there) for module in modules]


def _check_tool(host: Remote | Here, name: str, tool: Tool) -> Finding:
    version = tool_version(host, tool)
    if complaint := version and tool.complaint(version):
        return Finding(host.name, f"tool {name}", "wrong", complaint)
    return _finding(host, f"tool {name}", version is not None, version or "")


def _finding(
    host: Remote | Here, what: str, good: bool, detail: str = "", bad: str = "missing"
) -> Finding:
    return Finding(host.name, what, "present" if good else bad, detail)


def require_ready(remotes: dict[str, Remote], tools: dict[str, Tool]) -> None:
    """Raises UserError naming everything that keeps a scenario from being measured."""
    # A clock that is off spoils one-way delays only; it is stored with the block.
    require(
        [
            f
            for found in at_once(lambda remote: check_host(remote, tools), remotes.values())
            for f in found
            if (f.what, f.state) != ("clock", "wrong")
        ]
    )


def require(findings: list[Finding]) -> None:
    """Raises UserError naming everything that is not present."""
    problems: dict[str, list[str]] = {}
    for found in findings:
        if found.state != "present":
            problems.setdefault(found.host, []).append(
                f"{found.what} {found.state} {found.detail}".strip()
            )
    if problems:
        raise UserError(
            "the testbed is not ready: "
            + "; ".join(f"{host}: {', '.join(found)}" for host, found in problems.items())
        )
