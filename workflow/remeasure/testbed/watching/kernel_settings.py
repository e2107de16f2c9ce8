"""What a host's kernel is set to: each sysctl of the network that can be written, each device with
its queue length, its offloads, and how it takes packets from its interrupts.

There are a thousand such lines, and all are to stay as they were. So a host is told the SHA-256 of
the lines that are expected, and prints them only if its own have another one.
"""

import hashlib
from collections.abc import Mapping

MARK = "--- settings of the kernel, SHA-256 "
"""what precedes the sum of these lines; they follow if the sum was not as expected"""
LIST_SETTINGS = """\
echo @offloads
ethtool -k '*' 2>/dev/null || for i in /sys/class/net/*; do ethtool -k ${i##*/} 2>/dev/null; done
echo @settings
grep -rs '' /proc/sys/net /sys/class/net/*/gro_flush_timeout \
/sys/class/net/*/napi_defer_hard_irqs /sys/class/net/*/threaded /proc/sys/kernel/sched_*"""
"""commands that print settings, each kind under a heading; the kind `link` is `ip -o -d link`"""
# Left out are flags and fields that shaping, listening and captures change, and which `settled` has
# in lines of their own; and what charon sets when it starts, or the kernel draws or counts itself.
# Of an offload, what is requested counts: an interface that was moved gets that at its next change.
# What stands for several offloads is left out.
TELL_SETTINGS = r"""
function tell_device() {
  sub(/^[0-9]+: /, ""); sub(/</, "<,"); gsub(/,(UP|LOWER_UP|PROMISC|NO-CARRIER)/, "")
  gsub(/ (mtu|qdisc|state|promiscuity|allmulti) [^ ]+/, ""); sub(/ *$/, "")
  print "device", $0
}
function tell_offload() {
  if ($1 ~ /^(tx-checksumming|scatter-gather|tcp-segmentation-offload):/) return
  print "offload", device, $1, /requested o/ ? ($4 ~ /^on/ ? "on" : "off") : $2
}
function tell_setting() {
  sub(/^\/(proc\/sys|sys\/class\/net)\//, ""); sub(/:/, " "); $1 = $1
  if ($0 !~ /xfrm_acq_expires |_key |_secret |_count /) print
}
kind == "offloads" && /^Features for / { device = $3; sub(/:$/, "", device); next }
kind == "offloads" && /: (on|off)/ && !/\[fixed\]/ { tell_offload() }
kind == "settings" { tell_setting() }
"""
"""rules of awk that print a line for each setting; `kind` is the heading"""
# The rest of what hosts are asked goes to standard error: a shell must see the settings alone.
_ASK = f"""\
settings=$({{
LISTED
}} | awk OPTIONS 'TELL')
sum=$(printf '%s\\n' "$settings" | sha256sum); sum=${{sum%% *}}
echo "{MARK}$sum"; [ "$sum" = 'EXPECTED' ] || printf '%s\\n' "$settings"
"""


def ask(listed: str, options: str, tell: str, expected: str = "") -> str:
    """The command that prints the sum of a host's settings, and the settings if they are not the
    `expected` ones (lines). `listed`: commands, among them LIST_SETTINGS; `options` and `tell`:
    of the awk that reads what they print, with TELL_SETTINGS."""
    line = _ASK.replace("LISTED", listed).replace("OPTIONS", options).replace("TELL", tell)
    return line.replace("EXPECTED", sum_of(expected) if expected else "")


def sum_of(lines: str) -> str:
    """SHA-256 of settings, as the host computes it."""
    return hashlib.sha256(lines.encode()).hexdigest()


def split(text: str) -> tuple[str, str, str]:
    """What a host printed, as what precedes its settings, their sum, and the settings; both empty
    if it was not asked for them."""
    before, _, after = text.partition(MARK)
    found, _, lines = after.partition("\n")
    return before, found, lines


def with_set(lines: str, wanted: Mapping[str, str]) -> str:
    """Settings, of which some are given another value: the words before it -> value. A setting that
    the host has not stays away."""
    if not wanted:
        return lines
    return "".join(
        f"{name} {wanted[name]}\n" if (name := line.rpartition(" ")[0]) in wanted else line
        for line in lines.splitlines(keepends=True)
    )
