"""The queueing disciplines of tc that shape an interface: their commands, and the proof.

A link with a rate is, from the root down:

    tbf    SPLIT        cuts super-packets into frames
    netem  impairment   delay and loss, if the cell has them; packets may overtake each other here
    netem  wire         holds each frame for its bits over the rate, one after the other

The kernel hands TCP to an interface in super-packets of up to 64 kB (segmentation and receive
offload), whatever ethtool(8) says of a software device. Without the first discipline such a packet
would be one unit of the wire, delayed and lost as a whole. A token bucket cuts what is longer than
its bucket, so one of 2000 bytes lets no two full frames pass as one. At its rate a full frame takes
less than a nanosecond, which the kernel rounds to none, so that it never holds a frame back. At
250 Gbit/s, where a frame takes 48 ns, it held back half of the frames of a saturated link of
1 Gbit/s, whose guests count time in steps of 256 ns. See tc-tbf(8), tc-netem(8).

A link with a token bucket (`burst`) is the impairment, if there is one, and below it the bucket.
Below the bucket may be classes with a queue each (priority.py).
"""

import json
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.netem import Netem, rate_bits, read_netem
from remeasure.bench.testbed.treatments.priority import (
    check_filter,
    classes,
    filter_commands,
    filter_question,
)
from remeasure.bench.testbed.treatments.shaping import Discipline, Place, Shaping
from remeasure.bench.testbed.treatments.treatment import Prover, Question, Setter

MODULES = {"sch_netem": "NET_SCH_NETEM", "sch_tbf": "NET_SCH_TBF"}
"""kernel module -> option of the kernel's configuration that builds it"""
TOOLS = {"tc": Tool(["tc", "-V"], "iproute2")}
WIRE = "10:"
"""handle of the discipline that has the link's rate"""
_SPLIT_RATE = "16tbit"
_LONGEST = "2000"
"""bucket of the discipline that splits: more than a full frame, less than two [byte]. tc does not
tell it: it tells a bucket in steps of 64 ns"""
_UNCOUNTED = 0.1
"""share of frames that a netem may let pass without counting them as delayed, 0 to 1. A frame whose
time has passed when a busy guest looks at it is not counted: 0.013 of the frames of a trial with
many small ones. Of a run of TCP in super-packets it is 0.9, and at least 0.5"""
_KINDS = ("netem", "tbf", "prio", "bfifo")


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
        ask = ["tc", "-j", "-s", "qdisc", "show", "dev", place.interface]
        question = Question(f"proof.{place}.qdisc.json", ask)
        yield Prover(place.host, [question], partial(check_shaping, str(place), shaping))
        if shaping and shaping.priority:
            filters = Question(f"proof.{place}.filter.txt", filter_question(place.interface))
            check = partial(_filter_checks, place, shaping.priority)
            yield Prover(place.host, [filters], check)


def _filter_checks(place: Place, priority: str, filters: str) -> list[Check]:
    return [check_filter(str(place), priority, filters, place.family)]


def check_shaping(place: str, shaping: Shaping | None, qdiscs_json: str) -> list[Check]:
    """Compare the output of `tc -j -s qdisc` for one interface (`place`, <host>.<link>) with the
    cell: the kinds of the disciplines in their order, and what each is set to."""
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
        chain.append(_splitting())
    if shaping.netem:
        facts = {"netem": _with_limit(shaping.impairment.as_reported, shaping.netem_limit)}
        words = ["limit", str(shaping.netem_limit), *shaping.netem.split()]
        chain.append(Discipline("netem", f"{len(chain) + 1}:", words, facts))
    if shaping.rate and shaping.burst:
        words = ["rate", shaping.rate, "burst", shaping.burst, "latency", shaping.queue]
        facts = {"rate (bit/s)": shaping.rate_bits}
        chain += [Discipline("tbf", WIRE, words, facts), *classes(shaping, WIRE)]
    elif shaping.rate:
        words = ["limit", str(shaping.queue_frames), "rate", shaping.rate]
        facts = {"rate (bit/s)": shaping.rate_bits, "queue (frames)": shaping.queue_frames}
        facts |= {"beside the rate": str(Netem()), "super-packets": "none"}
        chain.append(Discipline("netem", WIRE, words, facts))
    return chain


def _splitting() -> Discipline:
    # The limit is that of a queue which the discipline below replaces.
    words = ["rate", _SPLIT_RATE, "burst", _LONGEST, "limit", _LONGEST]
    return Discipline("tbf", "1:", words, {"splitter (bit/s)": rate_bits(_SPLIT_RATE)})


def _commands(
    place: Place, shaping: Shaping | None, randomness: Callable[[str], int] | None
) -> list[str]:
    """The commands, for a shell, that shape a bare interface."""
    seed = ["seed", str(randomness(str(place)))] if randomness else []
    commands, parent = [], ["root"]
    for kind, handle, words, _, above in disciplines(shaping):
        where = ["parent", above] if above else parent
        add = ["tc", "qdisc", "add", "dev", place.interface, *where, "handle", handle, kind]
        commands.append(shlex.join([*add, *words, *(seed if kind == "netem" else [])]))
        parent = ["parent", f"{handle}1"]
    return commands + filter_commands(shaping, place.interface, place.family)


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
    """What a discipline is set to, as tc reports it, under the names of Discipline.facts."""
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
        "beside the rate": str(replace(netem, rate_bits=0)),
        "super-packets": _in_super_packets(qdisc),
    }


def _in_super_packets(qdisc: dict[str, Any]) -> str:
    """Whether a netem held frames in super-packets: it counts each frame that it sends, but what it
    delays by packets. Versions of tc before 7 do not tell how many it delayed."""
    sent, delayed = qdisc["packets"], qdisc.get("delayed", qdisc["packets"])
    return f"{sent - delayed} of {sent} frames" if sent - delayed > _UNCOUNTED * sent else "none"


def _with_limit(netem: Netem, limit: int) -> str:
    return f"{netem}, holding {limit} packets"
