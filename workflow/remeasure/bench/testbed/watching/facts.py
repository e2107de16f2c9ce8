"""Facts about a host: everything that could explain a number measured on it."""

import math
import os
import platform
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments import instructions
from remeasure.bench.testbed.watching.clock_offset import offset_of
from remeasure.bench.testbed.watching.readiness import tool_versions

_FILES = {
    "tcp_congestion_control": "/proc/sys/net/ipv4/tcp_congestion_control",
    "tcp_rmem": "/proc/sys/net/ipv4/tcp_rmem",
    "tcp_wmem": "/proc/sys/net/ipv4/tcp_wmem",
    "rmem_default": "/proc/sys/net/core/rmem_default",
    "rmem_max": "/proc/sys/net/core/rmem_max",
    "wmem_max": "/proc/sys/net/core/wmem_max",
    "ip_forward": "/proc/sys/net/ipv4/ip_forward",
    "rt_runtime_us": "/proc/sys/kernel/sched_rt_runtime_us",
}
"""fact -> the file whose first line it is"""
# As few programs as possible: guests take longer to start one than to answer.
_ASK = f"""
(. /etc/os-release && printf 'os=%s\\n' "$PRETTY_NAME")
printf 'kernel=%s\\n' "$(uname -srvm)"
printf 'cpus=%s\\n' "$(nproc)"
grep -m 2 -sE '^(model name|flags|Features|MemTotal)' /proc/cpuinfo /proc/meminfo
grep -m 1 -s '' {" ".join(_FILES.values())} || true
"""
_ASKED = {
    "cpu": r"^/proc/cpuinfo:model name\s*: (.*)",
    "cpu_flags": r"^/proc/cpuinfo:(?:flags|Features)\s*: (.*)",
    "memory_kib": r"^/proc/meminfo:MemTotal: *([0-9]+)",
    **{name: f"^{re.escape(path)}:(.*)" for name, path in _FILES.items()},
    **{name: f"^{name}=(.*)" for name in ("os", "kernel", "cpus")},
}
"""fact -> its first line in the output of `_ASK`"""
_OFFLOADS = (
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "esp-hw-offload",
)


def facts_of(remotes: Mapping[str, Remote], tools: Mapping[str, Tool]) -> dict[str, dict[str, Any]]:
    """Role -> facts about its host: OS, kernel, processor and its instructions for cryptography,
    sysctls that matter; `offloads` (link -> offload -> on or off), `tools` (tool -> version, None
    if missing), `clock_offset_s` and `clock_offset_error_s`. Raises CommandFailed,
    HostUnreachable."""
    found = at_once(lambda remote: _but_its_clock(remote, tools), remotes.values())
    facts = dict(zip(remotes, found, strict=True))
    # In turn: a host that answers late, since others are busy, gives its offset less exactly.
    for role, remote in remotes.items():
        offset, error = offset_of(remote)
        facts[role] |= {"clock_offset_s": offset, "clock_offset_error_s": error}
    return facts


def _but_its_clock(remote: Remote, tools: Mapping[str, Tool]) -> dict[str, Any]:
    facts: dict[str, Any] = _read(remote.run(_ASK))
    facts["cpu_flags"] = instructions.flags_in(facts["cpu_flags"])
    facts["offloads"] = _offloads(remote)
    facts["tools"] = tool_versions(remote, tools)
    return facts


def _read(text: str) -> dict[str, Any]:
    """Fact -> its value in the output of `_ASK`; empty if it is not there."""
    found = {name: re.search(line, text, re.MULTILINE) for name, line in _ASKED.items()}
    return {name: match[1] if match else "" for name, match in found.items()}


def facts_after(remotes: Mapping[str, Remote]) -> dict[str, dict[str, Any]]:
    """Facts that hosts show only after a tunnel was up: role -> `crypto`, the drivers of the
    kernel's algorithms (instructions.py). All hosts are asked at the same time. Raises
    HostUnreachable."""
    texts = at_once(lambda remote: remote.run(instructions.ASK, check=False), remotes.values())
    return {
        role: {"crypto": instructions.read_drivers(text)}
        for role, text in zip(remotes, texts, strict=True)
    }


def machine_facts() -> dict[str, Any]:
    """Facts about the machine on which this process runs, which for a lab is the one under every
    guest."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    flags = [line.split(":", 1)[1] for line in lines if line[:5] in ("flags", "Featu")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cpu_flags": instructions.flags_in(flags[0]) if flags else "",
        "cpus": os.cpu_count(),
        "memory_mib": _installed(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _installed(usable: float) -> int:
    """Memory as it is installed, from the kernel's usable memory, which differs between kernels
    [MiB]: the next of 1, 1.25, 1.5 and 1.75 times a power of 2."""
    step = 2.0 ** (math.ceil(math.log2(usable)) - 3)
    return round(step * math.ceil(usable / step))


def node_facts() -> dict[str, str]:
    """The node of a cluster on which this process is a job of Slurm."""
    name = os.environ.get("SLURMD_NODENAME")
    return {"node": name} if name else {}


def _offloads(remote: Remote) -> dict[str, dict[str, str]]:
    """Link -> offload -> on or off; empty for an interface that cannot be asked."""
    interfaces = remote.host.interfaces
    asked = (
        f"echo ---; ethtool -k {shlex.quote(name)} 2>/dev/null" for name in interfaces.values()
    )
    _, *parts = remote.run("\n".join(asked), check=False).split("---\n")
    line = re.compile(rf"^\s*({'|'.join(_OFFLOADS)}): (.*)", re.MULTILINE)
    return {link: dict(line.findall(text)) for link, text in zip(interfaces, parts, strict=True)}
