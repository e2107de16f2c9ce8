"""Link shaping with tc: a rate limit (TBF) and an impairment (netem) on the egress of an interface.

With both, netem is the root and TBF its child, so packets are delayed first and then queue for the
link. See tc-tbf(8), tc-netem(8).
"""

import json
import re
import shlex

from pydantic import Field

from remeasure.config import Strict
from remeasure.testbed.remote import Remote
from remeasure.testbed.tools import Tool

MODULES = {"sch_netem": "NET_SCH_NETEM", "sch_tbf": "NET_SCH_TBF"}
"""as those of ipsec.suites"""
TOOLS = {"tc": Tool(["tc", "-V"])}


_NETEM = (
    r"^(delay [\d.]+ms( [\d.]+ms( distribution \w+)?)?)?"
    r"( ?loss (random )?[\d.]+%)?( ?rate [\d.]+[kmg]?bit)?$"
)


class Shaping(Strict):
    """What the egress of one interface is made to be."""

    rate: str | None = Field(None, pattern=r"^\d+(\.\d+)?[kmg]?bit$")
    """rate limit, such as 100mbit, of Ethernet frames without preamble and check sequence"""
    burst: str = "128kb"
    """size of the token bucket; a kernel that ticks at 100 Hz needs rate / HZ, so 125 kB at 100
    Mbit/s (tc-tbf(8))"""
    queue: str = "50ms"
    """how long a packet may wait for the link; packets that would wait longer are dropped"""
    netem: str | None = Field(None, pattern=_NETEM)
    """delay, loss and rate, as arguments of tc-netem(8): delay 100ms 20ms distribution normal loss
    random 1% rate 1gbit"""
    netem_limit: int = 1000
    """how many packets netem can hold; 1000 is its default"""


def shaping_commands(interface: str, shaping: Shaping) -> list[list[str]]:
    """The tc commands that shape `interface`, from a clean state."""
    tc = ["tc", "qdisc", "add", "dev", interface]
    commands, parent = [], ["root"]
    if shaping.netem:
        commands.append(
            [
                *tc,
                "root",
                "handle",
                "1:",
                "netem",
                "limit",
                str(shaping.netem_limit),
                *shaping.netem.split(),
            ]
        )
        parent = ["parent", "1:1"]
    if shaping.rate:
        commands.append(
            [
                *tc,
                *parent,
                "handle",
                "10:",
                "tbf",
                "rate",
                shaping.rate,
                "burst",
                shaping.burst,
                "latency",
                shaping.queue,
            ]
        )
    return commands


def apply_shaping(remote: Remote, interface: str, shaping: Shaping | None) -> None:
    """Replace whatever qdiscs `interface` has. Raises CommandFailed if tc refuses."""
    commands = [shlex.join(c) for c in shaping_commands(interface, shaping or Shaping())]
    remote.run(
        "; ".join(
            [
                f"tc qdisc del dev {shlex.quote(interface)} root 2>/dev/null",
                " && ".join(commands) or "true",
            ]
        )
    )


def read_qdiscs(text: str) -> dict[str, dict]:
    """Output of `tc -j -s qdisc show dev X` -> qdisc kind -> its attributes."""
    return {qdisc["kind"]: qdisc for qdisc in json.loads(text)}


_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}


def rate_bits(rate: str) -> float:
    """'100mbit' -> 1e8 (bit/s)."""
    number, unit = re.fullmatch(r"([\d.]+)([kmg]?)bit", rate).groups()
    return float(number) * _UNITS[unit]
