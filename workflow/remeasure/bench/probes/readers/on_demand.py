"""Negotiations that a packet without an SA asked for, in the log of the initiator's charon."""

import re
from collections.abc import Iterator
from datetime import datetime

from remeasure.bench.probes.metrics import Metric, Value
from remeasure.bench.probes.readers import charon_log

METRICS = {
    "negotiations": Metric(
        "negotiations", "IKE_SAs that an echo made the initiator establish", "count"
    ),
    "negotiated": Metric(
        "ms",
        "initiator's log: `creating acquire job` for an echo to `CHILD_SA established` (index: "
        "number of the negotiation, from 1)",
        "delay",
    ),
}
_ON_DEMAND = re.compile(r"creating acquire job for policy \S+\[icmp/8\] === ")


def negotiations(file: str, content: bytes) -> Iterator[Value]:
    """Yield how long each negotiation took that an echo asked for, and how many there were. Raises
    LogError."""
    asked: datetime | None = None
    established, last, pending = 0, 1, False
    for number, at, message in charon_log.log_lines(file, content):
        if _ON_DEMAND.match(message):
            asked, pending = at, True
        if pending and charon_log.IKE_ESTABLISHED.fullmatch(message):
            pending, established, last = False, established + 1, number
        if asked and charon_log.CHILD_ESTABLISHED.fullmatch(message):
            yield Value("negotiated", (at - asked).total_seconds() * 1e3, number, established)
            asked = None
    yield Value("negotiations", established, last)
