"""The queueing disciplines of tc that shape an interface: their commands, and the proof.

A link with a rate is, from the root down:

    tbf    SPLIT        cuts super-packets into frames
    netem  impairment   delay and loss, if the cell has them; packets may overtake each other here
    netem  wire         keeps each frame for its bits over the rate, one after the other

The kernel hands TCP to an interface in super-packets of up to 64 kB (segmentation and receive
offload), whatever ethtool(8) prints of a software device. Without the first discipline such a
packet would be one unit of the wire, delayed and lost as a whole. A token bucket cuts packets
longer than its bucket, so one of 2000 bytes lets no two full frames pass as one. At its rate a full
frame takes less than a nanosecond, which the kernel rounds to none, so that it never delays a
frame. At 250 Gbit/s, where a frame takes 48 ns, it delayed half of the frames of a saturated link
of 1 Gbit/s, whose guests count time in steps of 256 ns. See tc-tbf(8), tc-netem(8).

A link with a token bucket (`burst`) is the impairment, if there is one, and below it the bucket.
With strict priority, packets of one DSCP leave before all others:

    tbf      the bucket: asks for a packet when it may leave
    prio     hands out packets of its first class while there are any
    bfifo    a queue for each class

A filter sends packets of the DSCP to the first class. On a link that carries ESP it is the DSCP of
the outer packet, which strongSwan copies from the inner one (`copy_dscp` in swanctl.conf(5)). See
tc-prio(8), tc-u32(8).
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.family import Family
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.shaping import (
    Netem,
    Place,
    Shaping,
    dscp,
    rate_bits,
    read_netem,
    seconds,
)
from remeasure.bench.testbed.treatments.treatment import Prover, Setter

MODULES = {"sch_netem": "NET_SCH_NETEM", "sch_tbf": "NET_SCH_TBF"}
"""kernel module -> option of the kernel's configuration that builds it"""
PRIORITY_MODULES = {"sch_prio": "NET_SCH_PRIO", "cls_u32": "NET_CLS_U32"}
"""further modules for links with a priority"""
TOOLS = {"tc": Tool(["tc", "-V"], "iproute2")}
WIRE = "10:"
"""handle of the discipline with the link's rate"""
_SPLIT_RATE = "16tbit"
_LONGEST = "2000"
"""bucket of the discipline that splits: more than a full frame, less than two [byte]. tc prints it
only in steps of 64 ns"""
_UNCOUNTED = 0.1
"""share of frames that a netem may let pass without counting them as delayed, 0 to 1. A frame whose
time has passed when a busy guest looks at it is not counted: 0.013 of the frames of a trial with
many small ones. For a run of TCP in super-packets it is 0.9, and at least 0.5"""
_KINDS = ("netem", "tbf", "prio", "bfifo")
_CLASSES = "20:"
"""handle of the discipline with the classes"""
_LOWEST_BIT = {4: 18, 6: 22}
"""version of IP -> lowest bit of a DSCP in the first word of a packet's header"""
_MATCH = re.compile(r"match ([0-9a-f]{8})/([0-9a-f]{8}) at ([0-9]+)")
_TO_CLASS = re.compile(r"flowid (\S+)")


class Discipline(NamedTuple):
    """One queueing discipline."""

    kind: str
    handle: str
    words: Sequence[str]
    """arguments of tc"""
    facts: Mapping[str, object]
    """setting -> its value, as `check_shaping` reads it back from tc"""
    parent: str = ""
    """class to which it is attached; empty: the only class of the discipline before it, or the
    root"""


def shaping_setters(
    wanted: Mapping[Place, Shaping | None], randomness: Callable[[str], int] | None = None
) -> list[Setter]:
    """Setters that replace all queueing disciplines of these interfaces; None: leave the interface
    bare. `randomness` gives the seed of an interface's netem (<host>.<link>); None: the kernel
    draws one."""
    return [
        Setter(
            place.host,
            f"tc qdisc del dev {shlex.quote(place.interface)} root 2>/dev/null; "
            + (" && ".join(_commands(place, shaping, randomness)) or "true"),
        )
        for place, shaping in wanted.items()
    ]


def shaping_provers(wanted: Mapping[Place, Shaping | None]) -> Iterable[Prover]:
    """Provers that the queueing disciplines of these interfaces are exactly the cell's."""
    for place, shaping in wanted.items():
        name = shlex.quote(place.interface)
        question = {f"proof.{place}.qdisc.json": f"tc -j -s qdisc show dev {name}"}
        yield Prover(place.host, question, partial(check_shaping, str(place), shaping))
        if shaping and shaping.priority:
            listing = f"tc filter show dev {name} parent {_CLASSES}"
            check = partial(check_filter, str(place), shaping.priority, place.family)
            yield Prover(place.host, {f"proof.{place}.filter.txt": listing}, check)


def check_shaping(place: str, shaping: Shaping | None, qdiscs_json: str) -> list[Check]:
    """Compare the output of `tc -j -s qdisc` for one interface (`place`, <host>.<link>) with the
    cell: the kinds of the disciplines in their order, and their settings."""
    found = _in_order(json.loads(qdiscs_json))
    wanted = disciplines(shaping)
    kinds = [" > ".join(names) for names in ([q["kind"] for q in found], [d.kind for d in wanted])]
    checks = [equal("link", f"{place}: disciplines", *(k or "none" for k in kinds))]
    if kinds[0] == kinds[1]:
        for qdisc, discipline in zip(found, wanted, strict=True):
            read = _facts(qdisc)
            checks += [
                equal("link", f"{place}: {fact}", read.get(fact), value)
                for fact, value in discipline.facts.items()
            ]
    return checks


def disciplines(shaping: Shaping | None) -> list[Discipline]:
    """The disciplines of an interface, from the root down; none for a bare interface."""
    if shaping is None:
        return []
    chain = []
    facts: dict[str, object]
    if shaping.takes_time:
        # The limit belongs to a queue that the discipline below replaces.
        words = ["rate", _SPLIT_RATE, "burst", _LONGEST, "limit", _LONGEST]
        facts = {"splitter (bit/s)": rate_bits(_SPLIT_RATE)}
        chain.append(Discipline("tbf", "1:", words, facts))
    if shaping.netem:
        facts = {"netem": _with_limit(shaping.impairment.as_reported, shaping.netem_limit)}
        words = ["limit", str(shaping.netem_limit), *shaping.netem.split()]
        chain.append(Discipline("netem", f"{len(chain) + 1}:", words, facts))
    if shaping.rate and shaping.burst:
        words = ["rate", shaping.rate, "burst", shaping.burst, "latency", shaping.queue]
        facts = {"rate (bit/s)": shaping.rate_bits}
        chain += [Discipline("tbf", WIRE, words, facts), *_classes(shaping)]
    elif shaping.rate:
        words = ["limit", str(shaping.queue_frames), "rate", shaping.rate]
        facts = {"rate (bit/s)": shaping.rate_bits, "queue (frames)": shaping.queue_frames}
        facts |= {"beside the rate": str(Netem()), "super-packets": "none"}
        chain.append(Discipline("netem", WIRE, words, facts))
    return chain


def _classes(shaping: Shaping) -> list[Discipline]:
    if shaping.priority is None:
        return []
    limit = int(seconds(shaping.queue) * (shaping.rate_bits or 0) / 8)
    words = ["bands", "2", "priomap", *["1"] * 16]
    queue, facts = ["limit", str(limit)], {"queue (bytes)": limit}
    return [
        Discipline("prio", _CLASSES, words, {"classes": 2}, f"{WIRE}1"),
        Discipline("bfifo", "21:", queue, facts, f"{_CLASSES}1"),
        Discipline("bfifo", "22:", queue, facts, f"{_CLASSES}2"),
    ]


def check_filter(place: str, priority: str, family: Family, filters: str) -> list[Check]:
    """Compare the output of `tc filter show` with the cell's one filter."""
    found = sorted((*match, *_TO_CLASS.findall(filters)) for match in _MATCH.findall(filters))
    wanted = (*_first_word(priority, family), "0", f"{_CLASSES}1")
    of_family = f"filter protocol {family.protocol} " in filters
    name = f"{place}: filter of DSCP {priority}"
    return [equal("link", name, found if of_family else f"none of {family}", [wanted])]


def _first_word(priority: str, family: Family) -> tuple[str, str]:
    """The DSCP in the first word of a packet's header, and the bits that it takes there."""
    bit = _LOWEST_BIT[family.version]
    return f"{dscp(priority) << bit:08x}", f"{0x3F << bit:08x}"


def _commands(
    place: Place, shaping: Shaping | None, randomness: Callable[[str], int] | None
) -> list[str]:
    seed = ["seed", str(randomness(str(place)))] if randomness else []
    commands, parent = [], ["root"]
    for kind, handle, words, _, above in disciplines(shaping):
        where = ["parent", above] if above else parent
        add = ["tc", "qdisc", "add", "dev", place.interface, *where, "handle", handle, kind]
        commands.append(shlex.join([*add, *words, *(seed if kind == "netem" else [])]))
        parent = ["parent", f"{handle}1"]
    if shaping and shaping.priority:
        value, mask = _first_word(shaping.priority, place.family)
        commands.append(
            f"tc filter add dev {shlex.quote(place.interface)} parent {_CLASSES} protocol "
            f"{place.family.protocol} u32 match u32 0x{value} 0x{mask} at 0 flowid {_CLASSES}1"
        )
    return commands


def _in_order(qdiscs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The disciplines that shape, from the root down; tc lists them in any order."""
    below: dict[str, list[dict[str, Any]]] = {}
    for qdisc in qdiscs:
        if qdisc["kind"] in _KINDS:
            above = "" if qdisc.get("root") else qdisc["parent"].partition(":")[0]
            below.setdefault(above, []).append(qdisc)
    found, handles = [], [""]
    while handles:
        under = sorted(below.pop(handles.pop(), []), key=lambda qdisc: str(qdisc.get("parent")))
        found += under
        handles += [qdisc["handle"].partition(":")[0] for qdisc in under]
    return found


def _facts(qdisc: dict[str, Any]) -> dict[str, object]:
    """The settings of a discipline in tc's report, under the names of Discipline.facts."""
    options = qdisc["options"]
    if qdisc["kind"] == "prio":
        return {"classes": options["bands"]}
    if qdisc["kind"] == "bfifo":
        return {"queue (bytes)": options["limit"]}
    if qdisc["kind"] == "tbf":
        rate = 8 * options["rate"]
        return {"rate (bit/s)": rate, "splitter (bit/s)": rate}
    netem, limit = read_netem(options), options["limit"]
    return {
        "netem": _with_limit(netem, limit),
        "rate (bit/s)": netem.rate_bits,
        "queue (frames)": limit,
        "beside the rate": str(netem._replace(rate_bits=0)),
        "super-packets": _in_super_packets(qdisc),
    }


def _in_super_packets(qdisc: dict[str, Any]) -> str:
    """Whether a netem kept frames in super-packets: it counts each frame that it sends, but delayed
    packets. Versions of tc before 7 do not print how many it delayed."""
    sent, delayed = qdisc["packets"], qdisc.get("delayed", qdisc["packets"])
    return f"{sent - delayed} of {sent} frames" if sent - delayed > _UNCOUNTED * sent else "none"


def _with_limit(netem: Netem, limit: int) -> str:
    return f"{netem}, holding {limit} packets"
