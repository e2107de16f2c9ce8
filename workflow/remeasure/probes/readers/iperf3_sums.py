"""What iperf3 prints of one quantity in several ways: a sum beside its streams, a rate beside bytes
and time.

Version 3.0 prints six digits and later versions all, so what follows from two numbers agrees with a
third to `DIGITS`. Counts are exact.
"""

from typing import Any

from remeasure.probes.readers.iperf3_log import Run
from remeasure.probes.readers.printed import agree

DIGITS = 1e-5
"""share of a number of six digits by which it, and what it is computed from, may be rounded"""
_PARALLEL = 1e-3
"""the same for a sum of several streams, whose intervals end one after the other"""
_COUNTS = ("bytes", "retransmits", "packets", "lost_packets")


def check_sum(
    run: Run, key: str, name: str, whole: dict[str, Any], parts: list[dict[str, Any]]
) -> None:
    """A sum counts what its streams count together."""
    for count in _COUNTS:
        if count not in whole:
            continue
        found, expected = whole[count], sum(part[count] for part in parts)
        if type(found) is not int or found != expected:
            found = f"{name}: {found} {count}"
            raise run.wrong(key, found, f"{expected}, the sum of its streams")


def check_rate(
    run: Run, key: str, name: str, part: dict[str, Any], seconds: float | None = None
) -> None:
    """A rate is bytes in time."""
    several = run.settings["num_streams"] > 1
    passed = part["seconds"] if seconds is None else seconds
    rate = 8 * part["bytes"] / passed
    if not agree(part["bits_per_second"], rate, (_PARALLEL if several else DIGITS) * rate):
        found = f"{name}: {part['bits_per_second']} bits/s"
        raise run.wrong(key, found, f"{rate:.0f}, from bytes and seconds")
