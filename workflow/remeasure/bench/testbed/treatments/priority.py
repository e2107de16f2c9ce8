"""Strict priority on a link with a token bucket: packets of one DSCP leave before all others.

    tbf      the bucket: asks for a packet when it may leave
    prio     hands out packets of its first class while there are any
    bfifo    a queue for each class

A filter sends packets of the DSCP to the first class. On a link that carries ESP it is the DSCP of
the outer packet, which strongSwan copies from the inner one (`copy_dscp` in swanctl.conf(5)). See
tc-prio(8), tc-u32(8).
"""

import re
import shlex

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.family import IPV4, Family
from remeasure.bench.testbed.treatments.netem import seconds
from remeasure.bench.testbed.treatments.shaping import Discipline, Shaping, dscp

MODULES = {"sch_prio": "NET_SCH_PRIO", "cls_u32": "NET_CLS_U32"}
"""kernel module -> option of the kernel's configuration that builds it"""
_CLASSES = "20:"
"""handle of the discipline with the classes"""
_PLACES = {4: 18, 6: 22}
"""version of IP -> lowest bit of a DSCP in the first word of a packet's header"""
_MATCH = re.compile(r"match ([0-9a-f]{8})/([0-9a-f]{8}) at ([0-9]+)")
_TO_CLASS = re.compile(r"flowid (\S+)")


def classes(shaping: Shaping, bucket: str) -> list[Discipline]:
    """The disciplines below the bucket, whose handle is given; none without a priority."""
    if shaping.priority is None:
        return []
    limit = int(seconds(shaping.queue) * (shaping.rate_bits or 0) / 8)
    words = ["bands", "2", "priomap", *["1"] * 16]
    queue = ["limit", str(limit)]
    facts = {"queue (bytes)": limit}
    return [
        Discipline("prio", _CLASSES, words, {"classes": 2}, f"{bucket}1"),
        Discipline("bfifo", "21:", queue, facts, f"{_CLASSES}1"),
        Discipline("bfifo", "22:", queue, facts, f"{_CLASSES}2"),
    ]


def filter_commands(shaping: Shaping | None, interface: str, family: Family = IPV4) -> list[str]:
    """The command, for a shell, that sends packets of the DSCP to the first class; none without a
    priority."""
    if shaping is None or shaping.priority is None:
        return []
    value, mask = _word(shaping.priority, family)
    match = ["match", "u32", f"0x{value}", f"0x{mask}", "at", "0"]
    add = ["tc", "filter", "add", "dev", interface, "parent", _CLASSES]
    add += ["protocol", family.protocol]
    return [shlex.join([*add, "u32", *match, "flowid", f"{_CLASSES}1"])]


def filter_question(interface: str) -> list[str]:
    """The command that lists the filters."""
    return ["tc", "filter", "show", "dev", interface, "parent", _CLASSES]


def check_filter(place: str, priority: str, filters: str, family: Family = IPV4) -> Check:
    """Compare what `filter_question` printed with the one filter that the cell asks for."""
    found = sorted((*match, *_TO_CLASS.findall(filters)) for match in _MATCH.findall(filters))
    wanted = (*_word(priority, family), "0", f"{_CLASSES}1")
    of_family = f"filter protocol {family.protocol} " in filters
    name = f"{place}: filter of DSCP {priority}"
    return equal("link", name, found if of_family else f"none of {family}", [wanted])


def _word(priority: str, family: Family) -> tuple[str, str]:
    """The DSCP in the first word of a packet's header, and the bits that it takes there."""
    place = _PLACES[family.version]
    return f"{dscp(priority) << place:08x}", f"{0x3F << place:08x}"
