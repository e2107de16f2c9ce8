"""The counters of a host: SAs, drops, interfaces, queues, protocols, processor time.

One command prints all of them, each kind under a heading; the text is kept as printed.
"""

from remeasure.testbed.proc_stat import process_tree
from remeasure.testbed.remote import Remote

MARK = "=== "
"""what stands before the name of a kind"""
SAS, LINKS = "xfrm-state.txt", "link.json"
"""the kinds of counters by which a trial checks whether tools agree"""
_COMMANDS = {
    SAS: "ip -s xfrm state list nokeys",
    "xfrm-stat.txt": "cat /proc/net/xfrm_stat",
    LINKS: "ip -s -j link; echo",
    "qdisc.json": "tc -j -s qdisc; echo",
    "snmp.txt": "cat /proc/net/snmp",
    "stat.txt": "grep '^cpu ' /proc/stat",
    "softnet.txt": "cat /proc/net/softnet_stat",
    # Only interfaces with several queues print such lines. To ask one takes as long as all else.
    "queues.txt": (
        "for i in /sys/class/net/*; do [ ! -d $i/queues/rx-1 ] || ethtool -S ${i##*/} 2>/dev/null "
        "| grep -E 'queue_?[0-9]+_packets:' | sed \"s/^ */${i##*/} /\"; done"
    ),
}
PROCESS = "process.txt"
_SCRIPT = "; ".join(f"echo '{MARK}{kind}'; {command}" for kind, command in _COMMANDS.items())


def read_host(remote: Remote) -> str:
    """Read all counters of a host. Returns the text as printed. Raises CommandFailed."""
    text = remote.run(_SCRIPT)
    if remote.host.process is not None:
        text += f"{MARK}{PROCESS}\n{process_tree(remote.host.process)}"
    return text


def split_kinds(text: str) -> dict[str, str]:
    """Split the text of `read_host`: kind of counters -> what its command printed."""
    parts = [part.partition("\n") for part in text.split(MARK)[1:]]
    return {kind: content for kind, _, content in parts}
