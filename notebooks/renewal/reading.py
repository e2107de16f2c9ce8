"""How a renewal under traffic is read: its losses, traffic in the clear, and who would see it.

Break before make deletes the IKE_SA, then negotiates another one (RFC 7296, section 2.8.3). Each
end removes its policies when it deletes, and has new ones when IKE_AUTH ends there. In between lie
two round trips at either end, IKE_SA_INIT and IKE_AUTH, and the computing of both ends:

    clear time = ROUND_TRIPS x round trip + computing

Computing is the clear time without a delay. Nothing is fitted.
"""

from collections.abc import Mapping
from typing import NamedTuple

ROUND_TRIPS = 2
"""IKE exchanges from the deletion of an SA to the next one, at either end"""
TOLERANCE = 0.02
"""share by which a clear time may differ from the prediction, in addition to one datagram"""


class Renewed(NamedTuple):
    """One cell: the most of any of its trials."""

    lost: tuple[float, float]
    """datagrams that were sent and never arrived, up and down"""
    clear: tuple[float, float]
    """packets that left the sending gateway in the clear, up and down"""
    silence_ms: float
    """longest time without an arrival, of the worse direction [ms]"""
    ike_sas: float
    """IKE_SAs after the flow, at the end with more"""

    @property
    def lossless(self) -> bool:
        return not any(self.lost)

    @property
    def protected(self) -> bool:
        """Whether nothing left in the clear."""
        return not any(self.clear)

    @property
    def unseen(self) -> bool:
        """Whether packets left in the clear in a direction without losses: a loss test of this
        direction finds nothing."""
        return any(c and not lost for c, lost in zip(self.clear, self.lost, strict=True))


def reading(cell: Renewed) -> str:
    """The meaning of a cell, in words."""
    if cell.lossless and cell.protected:
        return "loses nothing, nothing in the clear"
    loses = "loses nothing" if cell.lossless else "loses packets"
    if cell.protected:
        return f"{loses}, nothing in the clear"
    unseen = ", unseen by a loss test of one direction" if cell.unseen else ""
    return f"{loses}, packets in the clear{unseen}"


def predicted_ms(round_trip_ms: float, computing_ms: float) -> float:
    """Time for which packets leave an end in the clear when it breaks before it makes [ms]."""
    return ROUND_TRIPS * round_trip_ms + computing_ms


def agrees(clear_ms: Mapping[float, float], grain_ms: float) -> bool | None:
    """Whether clear times (round trip [ms] -> clear time [ms]) are as predicted, to within one
    datagram, each `grain_ms`, and TOLERANCE; None without the cell of no delay, or without
    another."""
    if 0 not in clear_ms or len(clear_ms) < 2:
        return None
    return all(
        abs(found - predicted_ms(trip, clear_ms[0])) <= grain_ms + TOLERANCE * found
        for trip, found in clear_ms.items()
    )
