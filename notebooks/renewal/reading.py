"""How a renewal under traffic is read: its losses, its leaks, and who would see them.

Break before make deletes the IKE_SA, then negotiates another one (RFC 7296, section 2.8.3). Each
end removes its policies when it deletes, and has new ones when IKE_AUTH ends there. In between lie
two round trips at either end, IKE_SA_INIT and IKE_AUTH, and the computing of both ends:

    clear time = ROUND_TRIPS x round trip + computing

Computing is the clear time without a delay. Nothing is fitted.
"""

from collections.abc import Mapping, Sequence

ROUND_TRIPS = 2
"""IKE exchanges from the deletion of an SA to the next one, at either end"""
TOLERANCE = 0.02
"""share by which a clear time may differ from the prediction, in addition to one datagram"""


def reading(lost: Sequence[float], clear: Sequence[float]) -> str:
    """The meaning of a cell, in words, by the most of any of its trials, up and down: datagrams
    that never arrived, and packets that the sending gateway leaked."""
    loses = "loses packets" if any(lost) else "loses nothing"
    if not any(clear):
        return f"{loses}, leaks nothing"
    # A loss test of a direction finds nothing there, if nothing was lost in it.
    unseen = any(c and not found for c, found in zip(clear, lost, strict=True))
    said = ", unseen by a loss test of one direction" if unseen else ""
    return f"{loses}, leaks packets{said}"


def agrees(clear_ms: Mapping[float, float], grain_ms: float) -> bool | None:
    """Whether clear times (round trip [ms] -> clear time [ms]) are as predicted, to within one
    datagram, each `grain_ms`, and TOLERANCE; None without delay 0 or with nothing else."""
    if 0 not in clear_ms or len(clear_ms) < 2:
        return None
    return all(
        abs(found - ROUND_TRIPS * trip - clear_ms[0]) <= grain_ms + TOLERANCE * found
        for trip, found in clear_ms.items()
    )
