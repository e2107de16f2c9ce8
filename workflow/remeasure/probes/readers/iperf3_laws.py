"""What must hold within the JSON of one run of iperf3.

Two runs are refused that iperf3 can make and no probe asks for: one that leaves out its first
seconds (`omit`), whose bytes are not exactly the bytes of the seconds that stay, and one in
both directions at once (`bidir`).
"""

from itertools import pairwise
from typing import Any

from remeasure.probes.readers.iperf3_log import Run
from remeasure.probes.readers.iperf3_sums import DIGITS, check_rate, check_sum
from remeasure.probes.readers.iperf3_totals import check_totals
from remeasure.probes.readers.printed import agree


def check(run: Run) -> None:
    """Raises LogError if the log contradicts itself."""
    _check_settings(run)
    if run.udp:
        _check_lost(run)
    _check_intervals(run)
    check_totals(run)


def _check_settings(run: Run) -> None:
    settings, streams = run.settings, run.log["end"]["streams"]
    for key, possible in (
        ("protocol", ("TCP", "UDP")),
        ("reverse", (0, 1)),
        ("omit", (0,)),
        ("bidir", (0,)),
        ("num_streams", (len(streams),)),
        ("connected", (len(streams),)),
    ):
        found = len(run.log["start"][key]) if key == "connected" else settings.get(key, 0)
        if isinstance(found, bool) or found not in possible:
            expected = " or ".join(map(str, possible))
            raise run.wrong(key, f"{key} {found}", f"{expected}{_WHY.get(key, '')}")
    if not streams:
        raise run.wrong("streams", "no stream", "one at least")
    for key in ("duration", "blksize"):
        if type(settings[key]) is not int or settings[key] < (key == "blksize"):
            raise run.wrong(key, f"{key} {settings[key]}", "a whole number")


_WHY = {
    "omit": ": a run of which all seconds count",
    "bidir": ": a run in one direction",
    "num_streams": ", as many as it has at its end",
    "connected": ", as many as it has at its end",
}


def _check_lost(run: Run) -> None:
    key = "sum_received" if "sum_received" in run.log["end"] else "sum"
    total = run.log["end"][key]
    if total["packets"] == 0:
        raise run.wrong(key, "0 packets", "a receiver that counted datagrams")
    if not 0 <= total["lost_packets"] <= total["packets"]:
        # Seen with version 3.9, in a download whose datagrams overtook each other.
        found = f"{total['lost_packets']} of {total['packets']} datagrams lost"
        raise run.wrong(key, found, "no more lost than sent")


def _check_intervals(run: Run) -> None:
    intervals = run.log.get("intervals")
    if not intervals:
        raise run.wrong("intervals", "no interval", "one at least")
    for index, interval in enumerate(intervals):
        if "sum" not in interval:
            raise run.wrong("intervals", f"interval {index}", "a sum in each interval")
        whole, parts = interval["sum"], interval["streams"]
        if len(parts) != run.settings["num_streams"]:
            expected = f"{run.settings['num_streams']}, as in num_streams"
            raise run.wrong("intervals", f"{len(parts)} streams in interval {index}", expected)
        for part in (whole, *parts):
            if part.get("omitted") or part.get("sender", not run.reverse) == run.reverse:
                found = f"interval {index}: {_flags(part)}"
                raise run.wrong("intervals", found, "one that counts, of the client")
        check_sum(run, "intervals", f"interval {index}", whole, parts)
        check_rate(run, "intervals", f"interval {index}", whole)
        if not agree(whole["seconds"], whole["end"] - whole["start"], DIGITS * whole["end"]):
            found = f"interval {index}: {whole['seconds']} s"
            raise run.wrong("intervals", found, f"{whole['start']} s to {whole['end']} s")
    for before, after in pairwise([{"end": 0}, *(interval["sum"] for interval in intervals)]):
        if not agree(after["start"], before["end"], DIGITS * before["end"]):
            found = f"an interval from {after['start']} s"
            raise run.wrong("intervals", found, f"one from {before['end']} s")


def _flags(part: dict[str, Any]) -> str:
    return ", ".join(f"{key} {part[key]}" for key in ("omitted", "sender") if key in part)
