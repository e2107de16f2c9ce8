"""Facts about a host: everything that could explain a number measured on it."""

import os
import platform
from collections.abc import Mapping
from pathlib import Path

from remeasure.testbed import crypto_drivers
from remeasure.testbed.clock import offset_of
from remeasure.testbed.remote import Remote, at_once
from remeasure.testbed.settled import Settled, ask_settled
from remeasure.testbed.tools import Tool, tool_version

_FACTS = {
    "os": '. /etc/os-release && echo "$PRETTY_NAME"',
    "kernel": "uname -srvm",
    "cpu": "grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2-",
    "cpu_flags": (
        "grep -m 1 -E '^(flags|Features)' /proc/cpuinfo | tr ' ' '\\n' "
        f"| grep -xE '{'|'.join(crypto_drivers.FLAGS)}' | tr '\\n' ' ' | sed 's/ $//'"
    ),
    "cpus": "nproc",
    "memory_kib": "awk '/MemTotal/ {print $2}' /proc/meminfo",
    "tcp_congestion_control": "cat /proc/sys/net/ipv4/tcp_congestion_control",
    "tcp_rmem": "cat /proc/sys/net/ipv4/tcp_rmem",
    "tcp_wmem": "cat /proc/sys/net/ipv4/tcp_wmem",
    "rmem_default": "cat /proc/sys/net/core/rmem_default",
    "rmem_max": "cat /proc/sys/net/core/rmem_max",
    "wmem_max": "cat /proc/sys/net/core/wmem_max",
    "ip_forward": "cat /proc/sys/net/ipv4/ip_forward",
    "rt_runtime_us": "cat /proc/sys/kernel/sched_rt_runtime_us",
}
_OFFLOADS = (
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "esp-hw-offload",
)


def facts_of(remotes: Mapping[str, Remote], tools: Mapping[str, Tool]) -> dict[str, dict]:
    """Role -> facts about its host: OS, kernel, processor and its instructions for cryptography,
    sysctls that matter; `offloads` (link -> offload -> on or off), `tools` (tool -> version, None
    if missing), `clock_offset_s` and `clock_offset_error_s`; `settled`, what is to stay as it is.

    Raises CommandFailed, HostUnreachable.
    """
    found = at_once(lambda remote: _but_its_clock(remote, tools), remotes.values())
    facts = dict(zip(remotes, found, strict=True))
    # In turn: a host that answers late, since others are busy, tells its offset less exactly.
    for role, remote in remotes.items():
        offset, error = offset_of(remote)
        facts[role] |= {"clock_offset_s": offset, "clock_offset_error_s": error}
    return facts


def _but_its_clock(remote: Remote, tools: Mapping[str, Tool]) -> dict:
    script = "".join(
        f"printf '{name}\\t%s\\n' \"$({command})\"\n" for name, command in _FACTS.items()
    )
    facts: dict = dict(line.split("\t", 1) for line in remote.run(script).splitlines())
    facts["offloads"] = {
        link: _offloads(remote, name) for link, name in remote.host.interfaces.items()
    }
    facts["tools"] = {tool: tool_version(remote, program) for tool, program in tools.items()}
    facts["settled"] = ask_settled(remote)
    return facts


def settled_of(session: Mapping) -> Settled:
    """Role -> how a host was when a session with these facts began."""
    return {role: facts["settled"] for role, facts in session["hosts"].items()}


def facts_after(remotes: Mapping[str, Remote]) -> dict[str, dict]:
    """Facts that hosts tell only once a tunnel was up: role -> `crypto`, the drivers of the
    kernel's algorithms (see remeasure.testbed.crypto_drivers). All hosts are asked at the same
    time. Raises HostUnreachable."""
    texts = at_once(lambda remote: remote.run(crypto_drivers.ASK, check=False), remotes.values())
    return {
        role: {"crypto": crypto_drivers.read_drivers(text)}
        for role, text in zip(remotes, texts, strict=True)
    }


def machine_facts() -> dict:
    """Facts about the machine on which this process runs, which for a lab is the one under every
    guest."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    flags = [line.split(":", 1)[1].split() for line in lines if line[:5] in ("flags", "Featu")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cpu_flags": " ".join(f for f in flags[0] if f in crypto_drivers.FLAGS) if flags else "",
        "cpus": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _offloads(remote: Remote, interface: str) -> dict[str, str]:
    lines = remote.run(["ethtool", "-k", interface], check=False).splitlines()
    pairs = (line.strip().split(": ", 1) for line in lines if ": " in line)
    return {name: state for name, state in pairs if name in _OFFLOADS}
