"""The tools that manage IPsec, by their names in an inventory."""

from types import ModuleType

from remeasure_windows import advfirewall, netsecurity, netsh_ipsec
from remeasure_windows.suites import Tool

TOOLS: dict[Tool, ModuleType] = {
    "netsecurity": netsecurity,
    "advfirewall": advfirewall,
    "ipsec": netsh_ipsec,
}
"""name of a tool -> its module, which has AVAILABLE, NAME, set_up(ends), remove(pairs), state() and
read_state(text)"""
