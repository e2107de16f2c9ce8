"""Whether hosts can measure: what is present, missing or wrong, before anything is measured."""

from dataclasses import dataclass

from remeasure.errors import UserError
from remeasure.ipsec.suites import MODULES as IPSEC_MODULES
from remeasure.testbed.clock import offset_of
from remeasure.testbed.facts import tool_version
from remeasure.testbed.remote import HostUnreachable, Remote
from remeasure.testbed.shaping import MODULES as SHAPING_MODULES

CLOCK_LIMIT_S = 0.001
"""offset beyond which one-way delays mean nothing"""
# modprobe is content with a module that is built in; a kernel that loads none has no modprobe.
_MODULES = ("for m in {}; do if [ -e /proc/modules ]; then modprobe -q ${{m%:*}}; "
            "else zgrep -qx CONFIG_${{m#*:}}=y /proc/config.gz; fi && echo ${{m%:*}}; done; true")


@dataclass(frozen=True)
class Finding:
    """One thing looked for on one host."""

    host: str
    what: str
    state: str
    """present, missing or wrong"""
    detail: str = ""


def check_host(remote: Remote, tools: dict[str, list[str]]) -> list[Finding]:
    """Connection, privileges, tools, kernel features, interfaces, clock."""
    def finding(what: str, good: bool, detail: str = "", bad: str = "missing") -> Finding:
        return Finding(remote.name, what, "present" if good else bad, detail)

    try:
        user = remote.run(["id", "-un"]).strip()
    except HostUnreachable as error:
        return [Finding(remote.name, "connection", "missing", str(error))]
    findings = [finding("connection", True, f"{user}@{remote.host.address}:{remote.host.port}")]
    uid = remote.run(["id", "-u"]).strip()
    findings.append(finding("privileges", uid == "0", f"{user}, id {uid}; needs root", "wrong"))
    for tool, command in tools.items():
        version = tool_version(remote, command)
        findings.append(finding(f"tool {tool}", version is not None, version or ""))
    modules = IPSEC_MODULES | SHAPING_MODULES
    there = remote.run(_MODULES.format(" ".join(map(":".join, modules.items())))).split()
    findings += [finding(f"kernel {module}", module in there) for module in modules]
    for link, interface in remote.host.interfaces.items():
        up = remote.run(["ip", "-br", "link", "show", interface], check=False)
        findings.append(finding(f"interface {link}", bool(up), interface))
    offset, error = offset_of(remote)
    findings.append(finding("clock", abs(offset) - error < CLOCK_LIMIT_S,
                            f"offset {offset * 1e3:+.1f} ms, known to {error * 1e3:.1f} ms",
                            bad="wrong"))
    return findings


def require_ready(remotes: dict[str, Remote], tools: dict[str, list[str]]) -> None:
    """Raises UserError naming everything that keeps a scenario from being measured."""
    problems = [f"{f.host}: {f.what} {f.state} {f.detail}".strip()
                for remote in remotes.values() for f in check_host(remote, tools)
                # A clock that is off spoils one-way delays only; it is stored with the block.
                if f.state != "present" and f.what != "clock"]
    if problems:
        raise UserError("the testbed is not ready: " + "; ".join(problems))
