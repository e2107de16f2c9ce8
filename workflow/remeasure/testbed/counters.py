"""What a host has counted so far: SAs, drops, interfaces, queues, protocols, processor time.

One command prints all of it, under a line for each kind; the text is kept as printed.
"""

from remeasure.testbed.proc_stat import process_tree
from remeasure.testbed.remote import Remote

_MARK = "=== "
SAS, LINKS = "xfrm-state.txt", "link.json"
"""the kinds by which a trial checks whether tools agree"""
_COMMANDS = {
    SAS: "ip -s xfrm state list nokeys",
    "xfrm-stat.txt": "cat /proc/net/xfrm_stat",
    LINKS: "ip -s -j link; echo",
    "qdisc.json": "tc -j -s qdisc; echo",
    "snmp.txt": "cat /proc/net/snmp",
    "stat.txt": "grep '^cpu ' /proc/stat",
    "softnet.txt": "cat /proc/net/softnet_stat",
    # Only interfaces with several queues have such lines.
    "queues.txt": (
        "for i in /sys/class/net/*; do ethtool -S ${i##*/} 2>/dev/null "
        "| grep -E 'queue_?[0-9]+_packets:' | sed \"s/^ */${i##*/} /\"; done"
    ),
}
PROCESS = "process.txt"
_SCRIPT = "; ".join(f"echo '{_MARK}{kind}'; {command}" for kind, command in _COMMANDS.items())


def read_host(remote: Remote) -> str:
    """The counters of a host now. Raises CommandFailed."""
    text = remote.run(_SCRIPT)
    if remote.host.process is not None:
        text += f"{_MARK}{PROCESS}\n{process_tree(remote.host.process)}"
    return text


def split_kinds(text: str) -> dict[str, str]:
    """What `read_host` returned -> kind -> what its command printed."""
    parts = [part.partition("\n") for part in text.split(_MARK)[1:]]
    return {kind: content for kind, _, content in parts}
