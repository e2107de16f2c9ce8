"""The counters of a host: SAs, drops, interfaces, queues, protocols, processor time. One command
prints all of them, each kind under a heading; the text is kept as printed."""

from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

MARK = "=== "
"""precedes the name of a kind"""
SAS, LINKS, DROPS, PROTOCOLS = "xfrm-state.txt", "link.json", "xfrm-stat.txt", "snmp.txt"
PROTOCOLS_IPV6 = "snmp6.txt"
"""counters of IPv6 that are not 0: none in a network of IPv4 addresses"""
SOFTNET = "softnet.txt"
"""the kinds of counters by which a trial checks whether tools agree"""
_COMMANDS = {
    SAS: "ip -s xfrm state list nokeys",
    LINKS: "ip -s -j link; echo",
    "qdisc.json": "tc -j -s qdisc; echo",
    # Only interfaces with several queues print these lines. To ask one takes as long as all else.
    "queues.txt": (
        "for i in /sys/class/net/*; do [ ! -d $i/queues/rx-1 ] || ethtool -S ${i##*/} 2>/dev/null "
        "| grep -E 'queue_?[0-9]+_packets:' | sed \"s/^ */${i##*/} /\"; done"
    ),
}
_FILES = {
    DROPS: "/proc/net/xfrm_stat",
    PROTOCOLS: "/proc/net/snmp",
    PROTOCOLS_IPV6: "/proc/net/snmp6",
    "stat.txt": "/proc/stat",
    SOFTNET: "/proc/net/softnet_stat",
}
# One program reads all files: a guest takes longer to start a program than to answer. Lines of stat
# for processors and interrupts, and IPv6 counters of 0, are left out.
_TELL = f"""\
BEGIN {{
  count = split("{" ".join(f"{kind} {file}" for kind, file in _FILES.items())}", words, " ")
  for (i = 1; i < count; i += 2) {{
    print "{MARK}" words[i]
    while ((getline < words[i + 1]) > 0)
      if (words[i] == "{PROTOCOLS_IPV6}" ? $2 : words[i + 1] != "/proc/stat" || $1 == "cpu") print
  }}
}}"""
PROCESS = "process.txt"
_SCRIPT = (
    "; ".join(f"echo '{MARK}{kind}'; {command}" for kind, command in _COMMANDS.items())
    + f"; awk '{_TELL}'"
)


def read_host(remote: Remote) -> str:
    """Read all counters of a host. Returns the text as printed. Raises CommandFailed."""
    text = remote.run(_SCRIPT)
    if remote.host.process is not None:
        guest = tree(read_processes(), remote.host.process)
        text += f"{MARK}{PROCESS}\n{''.join(process.line for process in guest.values())}"
    return text


def split_kinds(text: str) -> dict[str, str]:
    """Split the text of `read_host`: kind of counters -> output of its command."""
    parts = [part.partition("\n") for part in text.split(MARK)[1:]]
    return {kind: content for kind, _, content in parts}
