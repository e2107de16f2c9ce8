"""Whether hosts can measure: what is present, missing or wrong, before anything is measured."""

import subprocess
from dataclasses import dataclass

from remeasure.errors import UserError
from remeasure.ipsec.suites import MODULES as IPSEC_MODULES
from remeasure.testbed.clock import offset_of
from remeasure.testbed.facts import tool_version
from remeasure.testbed.remote import CommandFailed, HostUnreachable, Remote, at_once
from remeasure.testbed.shaping import MODULES as SHAPING_MODULES

CLOCK_LIMIT_S = 0.001
"""offset beyond which one-way delays mean nothing"""
# modprobe is content with a module that is built in; a kernel that loads none has no modprobe.
_MODULES = ("for m in {}; do if [ -e /proc/modules ]; then modprobe -q ${{m%:*}} 2>/dev/null; "
            "else zgrep -qsx CONFIG_${{m#*:}}=y /proc/config.gz; fi && echo ${{m%:*}}; done; true")


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
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout)
        if check and done.returncode:
            raise CommandFailed(f"{self.name}: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout


def check_host(remote: Remote, tools: dict[str, list[str]]) -> list[Finding]:
    """Connection, privileges, tools, kernel features, interfaces, clock."""
    try:
        user = remote.run(["id", "-un"]).strip()
    except HostUnreachable as error:
        return [Finding(remote.name, "connection", "missing", str(error))]
    uid = remote.run(["id", "-u"]).strip()
    findings = [
        _finding(remote, "connection", True, f"{user}@{remote.host.address}:{remote.host.port}"),
        _finding(remote, "privileges", uid == "0", f"{user}, id {uid}; needs root", "wrong"),
        *check_machine(remote, tools)]
    for link, interface in remote.host.interfaces.items():
        up = remote.run(["ip", "-br", "link", "show", interface], check=False)
        findings.append(_finding(remote, f"interface {link}", bool(up), interface))
    offset, error = offset_of(remote)
    findings.append(_finding(remote, "clock", abs(offset) - error < CLOCK_LIMIT_S,
                             f"offset {offset * 1e3:+.1f} ms, known to {error * 1e3:.1f} ms",
                             bad="wrong"))
    return findings


def check_machine(host: Remote | Here, tools: dict[str, list[str]],
                  modules: dict[str, str] | None = None) -> list[Finding]:
    """Tools and kernel features; `modules` beside those that every host needs."""
    findings = []
    for tool, command in tools.items():
        version = tool_version(host, command)
        findings.append(_finding(host, f"tool {tool}", version is not None, version or ""))
    modules = (modules or {}) | IPSEC_MODULES | SHAPING_MODULES
    there = host.run(_MODULES.format(" ".join(map(":".join, modules.items())))).split()
    return findings + [_finding(host, f"kernel {module}", module in there) for module in modules]


def _finding(host: Remote | Here, what: str, good: bool, detail: str = "",
             bad: str = "missing") -> Finding:
    return Finding(host.name, what, "present" if good else bad, detail)


def require_ready(remotes: dict[str, Remote], tools: dict[str, list[str]]) -> None:
    """Raises UserError naming everything that keeps a scenario from being measured."""
    # A clock that is off spoils one-way delays only; it is stored with the block.
    require([f for found in at_once(lambda remote: check_host(remote, tools), remotes.values())
             for f in found if f.what != "clock"])


def require(findings: list[Finding]) -> None:
    """Raises UserError naming everything that is not present."""
    problems: dict[str, list[str]] = {}
    for found in findings:
        if found.state != "present":
            problems.setdefault(found.host, []).append(
                f"{found.what} {found.state} {found.detail}".strip())
    if problems:
        raise UserError("the testbed is not ready: " + "; ".join(
            f"{host}: {', '.join(found)}" for host, found in problems.items()))
