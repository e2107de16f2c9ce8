"""The part of My tunnel that says which replay window was enough behind two paths and behind a
queue with priority, where packets left evenly, from notebook reordering_causes."""

from collections.abc import Iterable
from typing import Any, NamedTuple

NEAR = 1.25
"""how many times as great a rate or a delay may be as the measured one to be near it"""


class EvenlySent(NamedTuple):
    """Runs with packets of one size, at one rate and behind one cause."""

    path: str
    """'skew' or 'queue'"""
    payload: int
    """[bytes]"""
    per_second: float
    """packets a second"""
    wait_s: float
    """skew of the paths, or longest wait in the queue [s]"""
    enough: int | None
    """narrowest measured window that refused next to nothing [packets]; None if there is none"""
    shown: bool
    """whether the page offers these values"""


def even_part(measured: Iterable[EvenlySent]) -> dict[str, Any]:
    """What the page needs to say what was measured with even senders, nearest to the reader's
    values; delays are in ms, rates in Mbit/s of payload."""
    return {
        "near": NEAR,
        "measured": [
            {
                "path": one.path,
                "per_second": one.per_second,
                "size": one.payload,
                "rate": one.per_second * one.payload * 8 / 1e6,
                "delay": one.wait_s * 1e3,
                "enough": one.enough,
                "shown": one.shown,
            }
            for one in measured
        ],
    }
